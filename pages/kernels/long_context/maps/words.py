"""The words of the view Maps: captions, names of statistics, what to notice, equation, snippet."""

from __future__ import annotations

import numpy as np

from tlmviz.figures import readable
from tlmviz.trace import Trace

from ..compute import HEAD_SIZE
from ..controls import Choice
from ..words import queries, snippet_start
from .controls import LARGEST, MapChoice

STATISTICS = {  # label: field of Survey, title, format, upper end of the colour scale
    "Previous token": ("previous", "Mass on the token before (probability)", ".2f", 1.0),
    "Sink": ("first", "Mass on the first token (probability)", ".3f", None),
    "Itself": ("own", "Mass on the query's own token (probability)", ".2f", 1.0),
    "Mean distance": ("distance", "Mean distance (tokens back)", ",.0f", None),
    "Beyond training": ("beyond", "Mass farther back than the training length (probability)", ".3f", None),
}
BEYOND = "Right of the orange line the model reads positions that it never saw in training."
NOTICE = (
    "A bright first column is an attention sink: heads put much of their weight on the first token. *Beyond training* shows "
    "the heads that look farther back than any training text was long.",
    "Drag a box on the middle map, or type where to look: the tile beside it is recomputed exactly.",
)
NOTICE_MATHS = ("RoPE defines the angles of those positions, but no weight was trained on them.",)
EQUATION = (
    r"p_{ts} = \exp\!\Big(\tfrac{q_t \cdot k_s}{\sqrt{d_k}} - \mathrm{lse}_t\Big)"
    r"\quad\text{for any tile, from } O(T) \text{ numbers}",
    "Transformer with PyTorch, sections 1.2 and 4. The map is never stored: of each layer only q, k, v and each "
    "row's log-sum-exp are kept, and the loss is computed in strips of the text.",
)
LOSS_ALT = "Loss per token along the text"
OVERVIEW_ALT = "Pooled attention maps of all heads; click one"
POOLING = "Pooling the chosen head …"
BANDS_ALT = "Attention mass of every head by distance in tokens"


def notice(beyond: bool) -> tuple[str, ...]:
    """What to notice; the first is of texts that go beyond the training length."""
    return (BEYOND, *NOTICE) if beyond else NOTICE


def losses(loss: np.ndarray, context: int, seconds: float) -> str:
    """The mean loss within and beyond the training length, and how long the pass took."""
    inside, outside = loss[: context - 1], loss[context - 1 :]
    sentence = f"{len(loss) + 1:,} tokens, one pass in {seconds:.1f} s. "
    if len(inside):
        sentence += (
            f"Mean loss {inside.mean():.2f} nats per token within the training length of {context:,} tokens"
        )
    if len(outside):
        sentence += f", **{outside.mean():.2f} beyond it**"
    return sentence + "."


def caption(trace: Trace, n_queries: int, tile: MapChoice, weights: list[tuple[int, int, float]]) -> str:
    """What the overview read, and the tile's place with its largest `weights` (row and column inside it, value)."""
    best = [
        f"{tile.row + r:,} `{_token(trace, tile.row + r)}` → {tile.col + c:,} `{_token(trace, tile.col + c)}` {value:.3f}"
        for r, c, value in weights
    ]
    return (
        f"All heads: {queries(n_queries, len(trace))} read. Tile: queries {tile.row:,}–{tile.rows.stop - 1:,}, "
        f"keys {tile.col:,}–{tile.cols.stop - 1:,}; "
        + ("largest weights " + ", ".join(best) + "." if best else "the future, which no query sees.")
    )


def moved(length: int, tile: MapChoice) -> str:
    """Another tile was asked for."""
    return (
        f"The text has {length:,} tokens and a tile 1 to {LARGEST}: the nearest one is drawn, {tile.side} tokens from query "
        f"{tile.row:,} and key {tile.col:,}."
    )


def _token(trace: Trace, position: int) -> str:
    return readable(trace.tokens[position]).replace("`", "ˋ")


def tile_title(row: int, col: int) -> str:
    """What stands above the opened tile."""
    return f"Exact weights of queries {row} and on, keys {col} and on"


def reading_waiting(layer: int, layers: int) -> str:
    """How far the reading of all maps is."""
    return f"Reading the maps of all heads: layer {layer} of {layers} …"


def reading_text(length: int) -> str:
    """What is said while it is computed."""
    return f"One pass over {length:,} tokens …"


def head_map_alt(layer: int, head: int) -> str:
    """What the picture shows, for screen readers."""
    return f"Pooled map of layer {layer}, head {head}; drag a box to open it"


def snippet(choice: Choice, length: int, tile: MapChoice) -> str:
    """The loss, the head's map and the tile with the public API."""
    start = snippet_start(choice, length, "long_trace, loss_along")
    rows, cols = (f"slice({part.start}, {part.stop})" for part in (tile.rows, tile.cols))
    layer, head, context = choice.layer, choice.head, "lm.config.context"
    return f"""\
from tlmviz.figures import LIGHT
from tlmviz.figures.kernels import long_context as figures
{start}loss = loss_along(lm, trace).numpy()  # nats, in strips
figures.loss_curve(loss, {context}, LIGHT).show()
picture = trace.pooled({layer}, {head}, size={min(HEAD_SIZE, length)}).numpy()
tile, rows, cols = ({tile.row}, {tile.col}, {tile.side}), {rows}, {cols}
figures.head_map(picture, len(trace), {context}, tile, "Layer {layer}, head {head}", LIGHT).show()
tile = trace.attention({layer}, {head}, rows=rows, cols=cols)
names = trace.tokens[rows], trace.tokens[cols]
figures.exact_tile(tile.numpy(), ({tile.row}, {tile.col}), names, LIGHT).show()
"""
