"""The unrolled sum in the view "Streams": whole families of models side by side, and who reads whom."""

from __future__ import annotations

import numpy as np
import streamlit as st

from pages.streams.mhc import compute as stream_state
from pages.streams.mhc.words import wide
from tlmviz.analysis.streams import unrolled as stream_unrolled
from tlmviz.analysis.streams.unrolled import Unrolled
from tlmviz.figures.streams import graph as stream_graph
from tlmviz.figures.streams.graph import Panel
from tlmviz.ui import compute, frame

SHORT = {"residual": "plain residual", "hyper": "HC", "manifold": "mHC"}
HEAD = "the mean that the head reads"
POINTS = (
    "Plain residual: every output arrives as it was written, × 1, from any depth. That is the identity path, and the first "
    "term is the embedding itself.",
    "HC: every later H_res multiplies what is on its way. The more sublayers follow, the more a ribbon can thicken, thin out or "
    "turn orange (subtracted): nothing keeps an identity path.",
    "mHC: columns of H_res sum to 1, so mixing moves shares between streams and leaves their mean. In the mean, the embedding "
    "arrives × 1 and every output with the mean of its H_post, however many sublayers follow.",
)
EQUATION = (
    r"X_P = \Big(\prod_{p=P-1}^{0} H^{res}_p\Big) X_0 + \sum_{p=0}^{P-1} \Big(\prod_{q=P-1}^{p+1} H^{res}_q\Big) H^{post}_p F_p,"
    r"\qquad c_p = \tfrac{1}{N}\,\mathbf{1}^{\top} \Big(\prod_{q=P-1}^{p+1} H^{res}_q\Big) H^{post}_p"
)
SOURCE = (
    "Transformer with PyTorch, section 5, Eq. 98 (plain residual: all products are 1) and 99. The notes’ sum has one factor "
    "H_res for each later layer, as here; P counts sublayers, products run from the last one back."
)
SNIPPET = """\
import tlmviz
from tlmviz.analysis.streams import unrolled as stream_unrolled
from tlmviz.analysis.streams.depth import relatives
from tlmviz.figures import LIGHT
from tlmviz.figures.streams.graph import Panel, fans

panels = []
for connection, name in relatives({name!r}).items():
    trace = tlmviz.load(name).trace({text!r})
    unrolled = stream_unrolled.unrolled_of(trace)
    coefficients = {chosen}  # [1 + sublayers, tokens], the embedding first
    print(connection, coefficients[:, {token}], "sum is off by", stream_unrolled.unrolled_error(trace))
    panels.append(Panel(name, coefficients.numpy()))
parts = stream_unrolled.part_names(trace.n_layers)
fans(panels, parts, trace.tokens, {token}, LIGHT, to={to!r}).show()
"""


@st.cache_resource(max_entries=16, show_spinner=False)
def unrolled(name: str, text: str) -> Unrolled:
    """Every coefficient of a text."""
    mixed = stream_state.mixing(name, text)
    return compute.run_in_worker(lambda: stream_unrolled.unroll(mixed), compute.about(text))


def readers(name: str) -> tuple[list[str], int]:
    """Who can read, in words: the head, every final stream, every sublayer; and how many streams that is."""
    lm = compute.model(name)
    streams = max(
        compute.model(member).config.connection.streams for member in stream_state.family(name).values()
    )
    parts = stream_unrolled.part_names(lm.config.n_layers)[1:]
    return [
        HEAD,
        *(f"final stream {n}" for n in range(streams)),
        *(f"what {part} reads" for part in parts),
    ], streams


def reader(name: str, room) -> int:
    """The chosen entry of `readers`, from 0."""
    options, _ = readers(name)
    if st.session_state.get("sxto", HEAD) not in options:
        del st.session_state["sxto"]
    return options.index(
        room.selectbox("Reader", options, key="sxto", bind="query-params", label_visibility="collapsed")
    )


def token_bytes(name: str) -> int:
    """About how much one token's ribbons take; a plain residual's are sent once."""
    moving = sum(kind != "residual" for kind in stream_state.family(name))
    return stream_graph.fan_bytes(moving, 2 * compute.model(name).config.n_layers + 1)


def show(name: str, text: str, number: int, at: int, drawn: int, seen: range) -> None:
    """The ribbons of every model of the family for one reader, and all readers of one token."""
    lm, tokens, theme = compute.model(name), compute.trace(name, text).tokens, frame.theme()
    parts, members = stream_unrolled.part_names(lm.config.n_layers), stream_state.family(name)
    each = {f"{SHORT[kind]} · {member}": unrolled(member, text) for kind, member in members.items()}
    options, streams = readers(name)
    to = options[number]
    panels = [Panel(title, _coefficients(one, number, streams)) for title, one in each.items()]
    if "residual" not in members:
        panels.insert(
            0,
            Panel(
                "plain residual · by definition", _by_definition(len(parts), len(tokens), number - streams)
            ),
        )
    part = slice(seen.start, seen.stop)
    figure = stream_graph.fans(
        [Panel(panel.title, panel.coefficients[:, part]) for panel in panels],
        parts,
        tokens[part],
        drawn - seen.start,
        theme,
        to=to,
        offset=seen.start,
    )
    with wide("sxwide"):
        frame.chart(
            figure,
            key="sxfans",
            alt=f"Every part’s way to {to}, as wide as its coefficient, one panel per model",
        )
    reach(seen, len(tokens))
    st.caption(" ".join(_range(panel) for panel in panels) + f" Coefficients in {to}, over all tokens.")
    frame.what_to_notice(*POINTS)
    maps = [Panel(title, _map(one, at)) for title, one in each.items()]
    with wide("sxwidemap"):
        figure = stream_graph.readers(maps, parts, theme, token=tokens[at])
        frame.chart(
            figure,
            key="sxreaders",
            alt="Coefficient of every part in what every sublayer and the head read, per model",
        )
    frame.badges(stream_state.checks(name, text))
    frame.equation(EQUATION, SOURCE)
    chosen = (
        "unrolled.mean"
        if not number
        else (
            f"unrolled.final[..., min({number - 1}, unrolled.final.shape[-1] - 1)]"
            if number <= streams
            else f"unrolled.read[{number - streams - 1}]"
        )
    )
    frame.copy_as_python(SNIPPET.format(name=name, text=text, token=at, to=to, chosen=chosen))


def reach(seen: range, tokens: int) -> None:
    """Which tokens the slider reaches, where not all."""
    if len(seen) < tokens:
        st.caption(
            f"The slider walks tokens {seen.start} to {seen.stop - 1} of {tokens}; the menu above moves it elsewhere."
        )


def _coefficients(one: Unrolled, number: int, streams: int) -> np.ndarray:
    """Coefficients [parts, T] in what the menu's entry `number` names; a model with fewer streams shows its last."""
    if number == 0:
        return one.mean.numpy()
    if number <= streams:
        return one.final[..., min(number - 1, one.final.shape[-1] - 1)].numpy()
    return one.read[number - streams - 1].numpy()


def _by_definition(parts: int, tokens: int, reader: int) -> np.ndarray:
    """A plain residual's coefficients: 1 for all parts that exist when sublayer `reader` - 1 reads, or for all."""
    ones = np.ones((parts, tokens), np.float32)
    if reader > 0:
        ones[reader:] = 0.0
    return ones


def _map(one: Unrolled, at: int) -> np.ndarray:
    """Coefficients [readers, parts] at one token, the head last."""
    return np.concatenate([one.read[:, :, at].numpy(), one.mean[None, :, at].numpy()])


def _range(panel: Panel) -> str:
    """The embedding's coefficient, smallest to largest over tokens, in words."""
    low, high = panel.coefficients[0].min(), panel.coefficients[0].max()
    value = f"{low:.3f}" if high - low < 5e-4 else f"{low:.3f} to {high:.3f}"
    return f"**{panel.title}**: embedding × {value}.".replace("-", "−" if low < 0 else "-")
