"""The words of the part "Unrolled sum" of the view "Streams"."""

from __future__ import annotations

from pages.streams.mhc.compute import most_streams

from .controls import Choice, readers

SHORT = {"residual": "plain residual", "hyper": "HC", "manifold": "mHC"}
NOTICE = (
    "Plain residual: every output arrives as it was written, × 1, from any depth. That is the identity path, and the first "
    "term is the embedding itself.",
    "HC: every later H_res multiplies all that was written. The more sublayers follow, the more a ribbon can thicken, "
    "thin out or turn orange (subtracted): nothing keeps an identity path.",
    "mHC: columns of H_res sum to 1, so mixing moves shares between streams and leaves their mean. In the mean, the embedding "
    "arrives × 1 and every output with the mean of its H_post, however many sublayers follow.",
)
EQUATION = (
    r"X_P = \Big(\prod_{p=P-1}^{0} H^{res}_p\Big) X_0 + \sum_{p=0}^{P-1} \Big(\prod_{q=P-1}^{p+1} H^{res}_q\Big) H^{post}_p F_p,"
    r"\qquad c_p = \tfrac{1}{N}\,\mathbf{1}^{\top} \Big(\prod_{q=P-1}^{p+1} H^{res}_q\Big) H^{post}_p",
    "Transformer with PyTorch, section 5, Eq. 98 (plain residual: all products are 1) and 99. P counts "
    "sublayers, products run from the last one back.",
    "The notes' sum has one factor H_res for each later layer, as here; it is printed from i = 1 and must start at i = l, where "
    "the first term does (here 0).",
)
SXREADERS_ALT = "Coefficient of every part in what every sublayer and the head read, per model"
PLAIN_TITLE = "plain residual · by definition"


def embedding_range(title: str, low: float, high: float) -> str:
    """The embedding's coefficient in a panel, smallest to largest over tokens."""
    value = f"{low:.3f}" if high - low < 5e-4 else f"{low:.3f} to {high:.3f}"
    return f"**{title}**: embedding × {value}.".replace("-", "−" if low < 0 else "-")


def range_caption(ranges: str, to: str) -> str:
    """What stands below it."""
    return f"{ranges} Coefficients in {to}, over all tokens."


def ribbons_alt(to: str) -> str:
    """What the picture shows, for screen readers."""
    return f"Every part’s way to {to}, as wide as its coefficient, one panel per model"


def snippet(choice: Choice) -> str:
    """Python that draws the ribbons of a family of models."""
    reading, token = choice.reading, choice.token
    return f"""\
import tlmviz
from tlmviz.analysis.streams import unrolled as stream_unrolled
from tlmviz.analysis.streams.depth import relatives
from tlmviz.figures import LIGHT
from tlmviz.figures.streams.graph import Panel, fans

panels = []
for connection, name in relatives({reading.model!r}).items():
    trace = tlmviz.load(name).trace({reading.text!r})
    unrolled = stream_unrolled.unrolled_of(trace)
    coefficients = {_coefficients(choice)}  # [1 + sublayers, tokens], the embedding first
    print(connection, coefficients[:, {token}], "sum is off by", stream_unrolled.unrolled_error(trace))
    panels.append(Panel(name, coefficients.numpy()))
parts = stream_unrolled.part_names(trace.n_layers)
fans(panels, parts, trace.tokens, {token}, LIGHT, to={readers(reading)[choice.reader]!r}).show()
"""


def _coefficients(choice: Choice) -> str:
    """What a reader gets of an Unrolled, in Python."""
    streams = most_streams(choice.reading.model)
    if choice.reader == 0:
        return "unrolled.mean"
    if choice.reader <= streams:
        return f"unrolled.final[..., min({choice.reader - 1}, unrolled.final.shape[-1] - 1)]"
    return f"unrolled.read[{choice.reader - streams - 1}]"
