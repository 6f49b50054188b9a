"""The pictures and words of the page "Long context"."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from tlmviz.analysis.kernels import sparse_methods
from tlmviz.analysis.kernels.long_context import Survey, band_names, strongest
from tlmviz.analysis.kernels.sparse_methods import SWAPPED, Method
from tlmviz.figures.kernels import long_context as figures
from tlmviz.layers.linear import LINEAR
from tlmviz.trace import Trace
from tlmviz.ui import compute, frame, inputs, link, long_text

from . import compute as long_state

Ids = tuple[int, ...]
STATISTICS = {
    "Sink": ("first", "Mass on the first token (probability)", ".3f", None),
    "Previous token": ("previous", "Mass on the token before (probability)", ".2f", 1.0),
    "Itself": ("own", "Mass on the query's own token (probability)", ".2f", 1.0),
    "Mean distance": ("distance", "Mean distance (tokens back)", ",.0f", None),
    "Beyond training": ("beyond", "Mass farther back than the training length (probability)", ".3f", None),
}
EQUATIONS = {
    "Maps": (
        r"p_{ts} = \exp\!\Big(\tfrac{q_t \cdot k_s}{\sqrt{d_k}} - \mathrm{lse}_t\Big)"
        r"\quad\text{for any tile, from } O(T) \text{ numbers}",
        "Transformer with PyTorch, sections 1.2 and 4. The map is never stored: of each layer only q, k, v and each "
        "row's log-sum-exp are kept, and the loss is computed in strips of the text.",
    ),
    "Masks": (
        r"\text{mask } M_t:\ z'_t = \sum_{s \in M_t} \frac{p_{ts}}{\sum_{r \in M_t} p_{tr}}\,v_s,\qquad "
        r"\text{linear: } z'_t = \frac{\phi(q_t)\sum_{s \le t}\phi(k_s)\,v_s^\top}{\phi(q_t) \cdot \sum_{s \le t}\phi(k_s)}",
        "Attention, “Strategies to Mitigate Inefficiency”; Decoder-Only Transformers in Einstein Notation, sections 4.3 and 4.4. "
        "The notes call attention within a page “paged attention”; that is this block-local mask. Paged attention proper is a "
        "layout of memory, and still sees every token.",
    ),
}
POINTS = {
    "Maps": (
        "Right of the orange line the model reads positions it never saw in training: RoPE gives angles there, not experience.",
        "A bright first column is an attention sink: heads rest on the first token. *Beyond training*: who looks too far back.",
        "Drag a box on the middle map, or type where to look: the tile beside it is recomputed exactly.",
    ),
    "Masks": (
        "The model was trained with full attention and nothing is retrained: what is lost here is what *this* model used.",
        "What *Longformer* covers beyond *Sliding window* lies on the first tokens; a model without sinks gains little.",
        "Linear attention keeps a state whose size does not depend on the text; without retraining the model cannot use it.",
    ),
}


def about(name: str, text: str) -> str:
    """Where the text comes from, and whether the link holds it."""
    if st.session_state["src"] == long_text.SAMPLE:
        ended = st.session_state["ltok"] > 1 + len(compute.model(name).tokenizer.encode(text))
        return "Stories that stories-rope wrote beforehand" + (
            ": all there are; let the model write more." if ended else "."
        )
    if st.session_state["src"] == long_state.WRITTEN:
        tokens, seed = st.session_state["ltok"], st.session_state["draw"]
        return f"{tokens:,} tokens written by {name}: stories drawn one by one (seed {seed}), joined by blank lines."
    kept = (
        "in the link"
        if len(text) <= long_text.IN_LINK
        else f"too long for the link (over {long_text.IN_LINK:,})"
    )
    return f"{len(text):,} characters, line breaks kept; {kept}."


def _selection(key: str) -> dict:
    return (st.session_state.get(key) or {}).get("selection") or {}


def _head_clicked() -> None:
    points = _selection("allheads").get("points")
    if points:
        link.choose_head(*map(int, points[0]["customdata"]))


def _box_dragged() -> None:
    boxes = _selection("headmap").get("box")
    if boxes:
        where = long_state.tile_from_box(boxes[-1]["x"], boxes[-1]["y"])
        st.session_state.update(zip(("trow", "tcol", "tside"), where))


# --- maps -------------------------------------------------------------------------------------------


def loss(loss: np.ndarray, context: int, seconds: float) -> None:
    """Loss along the text, and in a sentence how it differs beyond the training length."""
    frame.chart(
        figures.loss_curve(loss, context, frame.theme()), key="loss", alt="Loss per token along the text"
    )
    inside, outside = loss[: context - 1], loss[context - 1 :]
    words = f"{len(loss) + 1:,} tokens, one pass in {seconds:.1f} s. "
    if len(inside):
        words += (
            f"Mean loss {inside.mean():.2f} nats per token within the training length of {context:,} tokens"
        )
    if len(outside):
        words += f", **{outside.mean():.2f} beyond it**"
    st.caption(words + ".")


def maps(
    name: str, ids: Ids, trace: Trace, every: bool, head: tuple[int, int]
) -> tuple[list[Survey], tuple[int, int, int]]:
    """All heads, the chosen head, and a tile of it, side by side. Returns the surveys of all layers, and the tile."""
    theme, context = frame.theme(), compute.model(name).config.context
    left, middle, right = st.columns([0.34, 0.34, 0.32], gap="small")
    with right:
        place = st.container()
        row, col, side = tile = long_state.tile_menu(len(ids), st.columns(3))
    with left:
        surveys = long_state.survey(name, ids, every)
        pictures = np.stack([survey.pictures for survey in surveys])
        figure = figures.overview(pictures, head, theme)
        frame.chart(
            figure,
            key="allheads",
            alt="Pooled attention maps of all heads; click one",
            select="points",
            on_select=_head_clicked,
        )
    with middle:
        with st.spinner("Pooling the chosen head …", show_time=True):
            picture = long_state.pooled(name, ids, *head)
        title = f"Layer {head[0]}, head {head[1]}"
        figure = figures.head_map(picture, len(ids), context, tile, title, theme)
        alt = f"Pooled map of layer {head[0]}, head {head[1]}; drag a box to open it"
        frame.chart(figure, key="headmap", alt=alt, select="box", on_select=_box_dragged)
    weights = long_state.tile(name, ids, *head, tile)
    with place:
        tokens = (trace.tokens[row : row + side], trace.tokens[col : col + side])
        figure = figures.exact_tile(weights.numpy(), (row, col), tokens, theme)
        frame.chart(figure, key="tile", alt=f"Exact weights of queries {row} and on, keys {col} and on")
    best = [
        f"{row + r:,} `{_token(trace, row + r)}` → {col + c:,} `{_token(trace, col + c)}` {value:.3f}"
        for r, c, value in strongest(weights, 4)
    ]
    st.caption(
        f"All heads: {_queries(surveys[0].queries, len(ids))} read. "
        + f"Tile: queries {row:,}–{row + side - 1:,}, keys {col:,}–{col + side - 1:,}; "
        + ("largest weights " + ", ".join(best) + "." if best else "the future, which no query sees.")
    )
    return surveys, tile


def _queries(read: int, length: int) -> str:
    return "every query" if read == length else f"{read:,} evenly spaced queries of {length:,}"


def _token(trace: Trace, position: int) -> str:
    return inputs.readable(trace.tokens[position]).replace("`", "ˋ")


def statistics(surveys: list[Survey], head: tuple[int, int]) -> None:
    """Where each head's mass lies: one number per head, and by distance."""
    theme = frame.theme()
    left, right = st.columns([0.4, 0.6])
    with left:
        which = st.selectbox(
            "Statistic", list(STATISTICS), key="lstat", bind="query-params", label_visibility="collapsed"
        )
        field, title, form, top = STATISTICS[which]
        values = np.stack([getattr(survey, field) for survey in surveys])
        frame.chart(
            figures.per_head(values, title, theme, form=form, top=top),
            key="stat",
            alt=f"{title} of every head",
        )
    with right:
        mass = np.concatenate([survey.bands for survey in surveys])
        heads = len(surveys[0].first)
        labels = [f"{layer}.{h}" for layer in range(len(surveys)) for h in range(heads)]
        figure = figures.bands(
            mass, band_names(mass.shape[1]), labels, head[0] * heads + head[1], theme, height=340
        )
        frame.chart(figure, key="bands", alt="Attention mass of every head by distance in tokens")


# --- masks ------------------------------------------------------------------------------------------


def comparison(name: str, ids: Ids, methods: dict[str, Method], head: tuple[int, int]) -> str:
    """The table of all chosen methods, one method's pattern and mass, and cost against loss. Returns the pictured method."""
    lm, theme = compute.model(name), frame.theme()
    layers, heads, width = lm.config.n_layers, lm.config.n_heads, lm.config.head_dim
    part = ids[:SWAPPED]
    before = long_state.loss(name, part, None) if len(part) > 1 else float("nan")
    rows, mass, place = [], {}, st.empty()
    for label, method in methods.items():
        with place, st.spinner(f"{label}: measuring {layers} layers and the loss …", show_time=True):
            measures = [long_state.measured(name, ids, layer, method) for layer in range(layers)]
            after = before if label == "Full" or len(part) < 2 else long_state.loss(name, part, method)
        cost = [sparse_methods.cost(method, one.seen, len(ids), width) for one in measures]
        mass[label] = np.stack([one.mass for one in measures])
        keys = "state" if cost[0].keys is None else f"{cost[0].keys:,}"
        rows.append(
            {
                "Method": label,
                "FLOP": sum(one.flops for one in cost) * heads,
                "Keys a query sees": np.mean([one.seen for one in measures]),
                "Keys in cache": keys,
                "Cached numbers": cost[0].cached * layers * lm.config.n_kv_heads,
                "Mass covered": mass[label].mean(),
                "Output error": np.mean([one.error for one in measures]),
                "Loss": after,
                "Change": after - before,
            }
        )
    place.empty()
    _table(pd.DataFrame(rows))
    st.caption(
        f"Mass and error: {_queries(measures[0].queries, len(ids))}, averaged over all heads. "
        f"Loss: a real pass with the method in every layer, over the first {len(part):,} tokens"
        + (f" (at most {SWAPPED:,}, to keep it short)" if len(ids) > SWAPPED else "")
        + ". "
        "FLOP: scores, weighted sum and what chooses the cells, without projections. BigBird, LSH and Performer draw at random "
        "(seeded)."
    )
    left, middle, right = st.columns([0.3, 0.3, 0.4])
    with left:
        shown = st.selectbox(
            "Pattern of",
            list(methods),
            index=min(1, len(methods) - 1),
            key="pat",
            bind="query-params",
            label_visibility="collapsed",
        )
        method, linear = methods[shown], isinstance(methods[shown], LINEAR)
        drawn = long_state.picture(name, ids, head[0], method)[head[1]]
        title = f"{shown}, head {head[0]}.{head[1]}"
        figure = figures.mask(drawn, len(ids), title, linear, theme)
        frame.chart(figure, key="pattern", alt=f"Which keys {shown} lets queries see")
    with middle:
        title = "Mass shared" if linear else "Mass covered"
        st.caption(
            "Σ min(p, p′): no mask, so its weights are compared with the softmax."
            if linear
            else "1: nothing is lost."
        )
        figure = figures.per_head(mass[shown], f"{title} (probability)", theme, top=1.0, height=330)
        frame.chart(figure, key="mass", alt=f"{title} by {shown}, per head")
    with right:
        table = pd.DataFrame(rows)
        if len(part) > 1:
            st.caption("Right: more work. Up: worse predictions.")
            figure = figures.trade(list(methods), table["FLOP"].to_numpy(), table["Change"].to_numpy(), theme)
            frame.chart(figure, key="trade", alt="Change of the loss against operations, one dot per method")
    return shown


def _table(table: pd.DataFrame) -> None:
    number = st.column_config.NumberColumn
    st.dataframe(
        table,
        hide_index=True,
        height="content",
        column_config={
            "FLOP": number(format="scientific", help="For this text, all heads of all layers"),
            "Keys a query sees": number(format="%.0f", help="Mean over queries and heads"),
            "Keys in cache": st.column_config.TextColumn(
                help="Per head, to decode on; linear attention has a state"
            ),
            "Cached numbers": number(
                format="localized", help="Keys and values, or the state: all heads of all layers"
            ),
            "Mass covered": st.column_config.ProgressColumn(
                format="%.3f",
                min_value=0,
                max_value=1,
                help="Of the softmax; for linear attention the mass both share",
            ),
            "Output error": number(format="%.3f", help="|z′ − z| / |z|, mean over heads"),
            "Loss": number(format="%.3f", help="Nats per token"),
            "Change": number(format="%+.3f", help="Nats per token against the model as it is"),
        },
    )


# --- code -------------------------------------------------------------------------------------------

_START = """\
import tlmviz
from tlmviz.analysis.kernels.long_context import {names}

lm = tlmviz.load({name!r})
{text}
ids = [lm.tokenizer.end_of_text, *lm.tokenizer.encode(text)][:{tokens}]
trace = long_trace(lm, ids)  # keeps q, k, v and lse of each layer
"""


def snippet(
    name: str,
    text: str,
    ids: Ids,
    head: tuple[int, int],
    tile: tuple[int, int, int] | None,
    method: Method | None,
) -> str:
    """Code that reproduces the tile or the chosen method's numbers."""
    source, names = st.session_state.get("src"), "long_trace, loss_along"
    if source == long_text.SAMPLE:
        text, names = "text = sample_text()", f"{names}\nfrom tlmviz.analysis.samples import sample_text"
    elif source == long_state.WRITTEN:
        names += ", write_stories"
        text = f"text = write_stories(lm, tokens={st.session_state['ltok']}, seed={st.session_state['draw']})"
    else:
        text = long_text.text_line(text)
    start = _START.format(
        names=names if tile else names.replace(", loss_along", ""), name=name, text=text, tokens=len(ids)
    )
    if tile:
        row, col, side = tile
        return start + (
            "print(loss_along(lm, trace))  # nats, in strips\n"
            f"picture = trace.pooled({head[0]}, {head[1]}, size={min(long_state.HEAD_SIZE, len(ids))})\n"
            f"tile = trace.attention({head[0]}, {head[1]}, rows=slice({row}, {row + side}), cols=slice({col}, {col + side}))\n"
        )
    kind = type(method)
    imports = (
        "from tlmviz.analysis.kernels.sparse_methods import mean_loss, measure\n"
        f"from {kind.__module__} import {kind.__name__}\n"
    )
    return (
        imports
        + start
        + (
            f"method = {method!r}\n"
            f"measures = measure(trace, {head[0]}, method)  # layer {head[0]}: mass and error per head\n"
            "change = mean_loss(lm, ids, method) - mean_loss(lm, ids)  # swapped into every layer\nprint(measures, change)\n"
        )
    )


def position(length: int) -> int:
    """The pinned token, or the last."""
    query = link.view().query
    return length - 1 if query is None or query >= length else query
