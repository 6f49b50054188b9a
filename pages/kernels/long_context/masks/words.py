"""The words of the view Masks: captions, columns of the table, what to notice, equation, snippet."""

from __future__ import annotations

from tlmviz.analysis.kernels.sparse_methods import SWAPPED

from ..controls import Choice
from ..words import queries, snippet_start
from .controls import MaskChoice

NOTICE = (
    "The model was trained with full attention and nothing is retrained: what is lost here is what *this* model used.",
    "What *Longformer* covers beyond *Sliding window* lies on the first tokens; a model without sinks gains little.",
    "Linear attention keeps a state whose size does not depend on the text; without retraining the model cannot use it.",
)
EQUATION = (
    r"\text{mask } M_t:\ z'_t = \sum_{s \in M_t} \frac{p_{ts}}{\sum_{r \in M_t} p_{tr}}\,v_s,\qquad "
    r"\text{linear: } z'_t = \frac{\phi(q_t)\sum_{s \le t}\phi(k_s)\,v_s^\top}{\phi(q_t) \cdot \sum_{s \le t}\phi(k_s)}",
    "Attention, “Strategies to Mitigate Inefficiency”; Decoder-Only Transformers in Einstein Notation, sections 4.3 and 4.4.",
    "The notes call attention within a page “paged attention”; that is this block-local mask. Paged attention proper is a "
    "layout of memory, and still sees every token.",
)
COLUMNS = {  # column of the table: its help
    "FLOP": "For this text, all heads of all layers",
    "Keys a query sees": "Mean over queries and heads; of fixed masks by formula over every query",
    "Keys in cache": "Per head, to decode on; linear attention has a state",
    "Cached numbers": "Keys and values, or the state: all heads of all layers",
    "Mass covered": "Of the softmax; for linear attention the mass both share",
    "Output error": "|z′ − z| / |z|, mean over heads",
    "Loss": "Nats per token",
    "Change": "Nats per token against the model as it is",
}
# Title and caption of a method's mass per head.
MASS_SHARED = (
    "Mass shared, of 1",
    "Σ min(p, p′): no mask, so its weights are compared with the softmax.",
)
MASS_COVERED = ("Mass covered, of 1", "")
KEYS_SEEN = "Keys a query sees"
NEEDLE_BUTTON = "Needle test: which of them still find a name?"
NEEDLE_ALT = "Gain by distance, a line for each method"
TRADE_ALT = "Change of the loss against operations, one dot per method"


def caption(n_queries: int, length: int, sampled: list[str]) -> str:
    """What the numbers of the table were measured on; `sampled` are the methods whose keys were counted at those queries."""
    some = queries(n_queries, length)
    keys = "Keys and FLOP: every query, by formula"
    if sampled and n_queries < length:
        keys += f"; of {' and '.join(sampled)} the same {n_queries:,}"
    limit = f" (at most {SWAPPED:,}, to keep it short)" if length > SWAPPED else ""
    return (
        f"Mass and error: {some}, averaged over all heads. {keys}. "
        f"Loss: a real pass with the method in every layer, over the first {min(length, SWAPPED):,} tokens{limit}. "
        "FLOP: scores, weighted sum and what chooses the cells, without projections. BigBird, LSH and Performer draw at random "
        "(seeded)."
    )


def needle_help(names: str) -> str:
    """The tooltip."""
    return f"“{names}” is read, then stories, then the same names again: ten passes for each method."


def needle_waiting(name: str) -> str:
    """What is said while it is computed."""
    return f"{name}: looking for the names …"


def reading_text(length: int) -> str:
    """What is said while it is computed."""
    return f"One pass over {length:,} tokens …"


def pattern_alt(pattern: str) -> str:
    """What the picture shows, for screen readers."""
    return f"Which keys {pattern} lets queries see"


def measuring(name: str, layers: int) -> str:
    """What is said while it is computed."""
    return f"{name}: measuring {layers} layers and the loss …"


def needle_sentence(reaches: dict[str, int | None], gain: float, nearest: int) -> str:
    """How many tokens back each method found the names, None where not even `nearest`; found are those that gain `gain`."""
    found = [f"{name} up to {reach} tokens back" for name, reach in reaches.items() if reach is not None]
    lost = [name for name, reach in reaches.items() if reach is None]
    sentences = [
        f"Found (the names gain {gain:g} nats per token or more): {', '.join(found)}." if found else "",
        f"Not even {nearest} tokens back: {', '.join(lost)}." if lost else "",
        "Gain: log p of the repeated names, minus the same where stories stand in place of the first ones, both with the method "
        "in every layer.",
    ]
    return " ".join(filter(None, sentences))


def snippet(choice: Choice, length: int, methods: MaskChoice) -> str:
    """The numbers of the method whose pattern is drawn, with the public API."""
    method, layer, head = methods.method, choice.layer, choice.head
    start = snippet_start(choice, length, "long_trace")
    return f"""\
from tlmviz.analysis.kernels.sparse_methods import mean_loss, measure, picture
from tlmviz.figures import LIGHT
from tlmviz.figures.kernels import long_context as figures
from {type(method).__module__} import {type(method).__name__}
{start}method = {method!r}
measures = measure(trace, {layer}, method)  # layer {layer}: mass and error per head
change = mean_loss(lm, ids, method) - mean_loss(lm, ids)  # swapped into every layer
print(measures, change)
cells = picture(trace, {layer}, method)[{head}]
figures.mask(cells, len(trace), "{methods.pattern}, head {layer}.{head}", {methods.linear}, LIGHT).show()
"""
