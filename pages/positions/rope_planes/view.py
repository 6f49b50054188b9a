"""Draws the page RoPE planes: its controls, and the clocks and the steps of the rotation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from tlmviz.analysis.positions import rope_planes
from tlmviz.figures import placed
from tlmviz.figures.positions import rope_steps
from tlmviz.tracing.trace import Trace
from tlmviz.ui import compute as shared
from tlmviz.ui import engine, frame, inputs, link, live, rope
from tlmviz.ui.language import _

from .data import NOTES_BASE, PLAIN_BASE, Data
from .state import CLOCKS, HEADS, LAYOUTS, STEPS, Choice, Pair
from .view_passes import heads_snippet, layouts_snippet, shown, start

READER = Path(__file__).parent / "reader.js"
PICTURE = live.Picture(__file__, "clocks", at=Choice.at)
QUERY, KEY = "_token", "_key"  # the menus' keys in the session; the link holds the view that all pages share
_SETTING = {CLOCKS: Choice.moves, STEPS: Choice.layout, HEADS: Choice.everywhere}
_SLIPS = (
    "The notes shorten θ^(t/d) to θ^t after Eq. 47: the angle of plane j at position t is t·θ^(−2j/d), so read θ^j in "
    "Eq. 54 and 56, and θ² in Eq. 58, as θ^(2j/d). Their code's default base is 100,000, the chapter uses 10,000."
)
EQUATIONS = {
    CLOCKS: (
        r"s_{mn} = \frac{(R_m q) \cdot (R_n k)}{\sqrt{d}} = \frac{1}{\sqrt{d}} \sum_{j=0}^{d/2-1} |q_j|\,|k_j| "
        r"\cos\!\big(\varphi_j + (m - n)\,\theta^{-2j/d}\big),\qquad \lambda_j = 2\pi\,\theta^{2j/d}",
        "Su et al. 2021 (RoFormer); Transformer with PyTorch, section 3.3, Eq. 47–58; Decoder-Only Transformers in "
        "Einstein Notation, section 3.1; Attention, “Rotary Positional Embeddings”. φ is the angle between q and k in "
        "plane j before any rotation.",
        _SLIPS,
    ),
    STEPS: (
        r"\begin{bmatrix} x'_{t,2j} \\ x'_{t,2j+1} \end{bmatrix} = \begin{bmatrix} \cos t\omega_j & -\sin t\omega_j \\ "
        r"\sin t\omega_j & \cos t\omega_j \end{bmatrix} \begin{bmatrix} x_{t,2j} \\ x_{t,2j+1} \end{bmatrix},\qquad "
        r"\omega_j = \theta^{-2j/d}",
        "Su et al. 2021 (RoFormer); Transformer with PyTorch, section 3.3: Eq. 49 angles, 50 cos, 51 sin, 52 even and "
        "odd, 53–56 rotation, 57–58 one plane as a matrix, then interleaved back.",
        _SLIPS,
    ),
    LAYOUTS: (
        r"\text{interleaved: plane } j = (2j,\ 2j+1),\qquad \text{half-split: plane } j = (j,\ j + "
        r"\tfrac{d}{2}),\qquad \mathrm{RoPE}_{\text{half}}(P x) = P\,\mathrm{RoPE}_{\text{interleaved}}(x)",
        "Transformer with PyTorch, Eq. 52–58, interleaves, as RoFormer and Meta's LLaMA do; GPT-NeoX and Hugging "
        "Face's LLaMA split in halves, so a converter must reorder the rows of W_Q and W_K by P (first the even "
        "dimensions, then the odd).",
    ),
    HEADS: (
        r"E_j = \frac{1}{\sqrt{d}}\,\overline{|q_j|\,|k_j|},\qquad \bar s(\delta) = \frac{1}{T - \delta} "
        r"\sum_{t=\delta}^{T-1} \frac{(R_t q_t) \cdot (R_{t-\delta} k_{t-\delta})}{\sqrt{d}}",
        "Means over the pairs of this text that the head can see. Transformer with PyTorch, section 3.3; the score as "
        "a function of t − s: Decoder-Only Transformers in Einstein Notation, section 3.1.",
    ),
}


# --- controls ----------------------------------------------------------------------------------------


def controls(model: str) -> Choice | None:
    """Draw the controls; what they say. None, with a sentence, where there is nothing to read yet, or for a model
    without RoPE the way to one that has it."""
    if not rope_planes.has_planes(shared.model(model).config):
        rope.offer_rope_models(model)
        if st.session_state["model"] != model:  # one of them is pressed: the page begins anew with it
            st.rerun()
        return None
    text = inputs.text_box(shared.model(model), **engine.pause(model))
    with frame.after_picture(pairs=False, horizontal=True, vertical_alignment="center", gap="small"):
        first, setting, *pair = (st.container(width=width) for width in ("content", "content", 130, 130))
        more = frame.more(st.container(width=95))
    part = Choice.part.draw(first)
    if part in _SETTING:
        _SETTING[part].draw(setting)
    if text is None:
        return None
    trace = shared.trace(model, text)
    link.open_on(f"rope:{model}", lambda: shared.previous_head(model, text))
    with more, st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        rest = [st.container(width=150) for _place in range(2)]
        pair, head = (rest, pair) if part == HEADS else (pair, rest)  # what the part depends on stands in sight
        chosen = inputs.head_menus(trace.n_layers, trace.n_heads, head)
        query, key = _pair_menus(trace, pair)
        _settings(Data(Choice(model=model, text=text, head=chosen, pair=(query, key))), part)
    for name in ("head", "query", "key"):
        link.FIELDS[name].share()
    return Choice.of_session(model=model, text=text, head=chosen, pair=(query, key))


def _settings(data: Data, part: str) -> None:
    """The step, the base, and the way to a head that stands for many."""
    chosen, own, query = data.chosen, data.own_base, data.chosen.pair[0]
    said = _(
        "Frequencies are θ^(−2j/d). This model was trained with θ = {own}; the notes' code has {notes}, the chapter "
        "“Attention” {plain}.",
        own=f"{own:,.6g}",
        notes=f"{NOTES_BASE:,.0f}",
        plain=f"{PLAIN_BASE:,.0f}",
    )
    if part == CLOCKS:
        Choice.stride.draw(st.container(width=150))
    if part in (CLOCKS, STEPS):
        Choice.base.draw(st.container(width=150), own, help=said)
    if part == HEADS:
        Choice.other.draw(st.container(width=150), data.other_base, help=said)
    if part == CLOCKS:
        st.button(
            _("A previous-token head"),
            key="rprev",
            on_click=_view_previous,
            disabled=query == 0,
            args=(*shared.previous_head(chosen.model, chosen.text), query),
            help=_("The head of this model that looks most at the token before, with that token as the key"),
        )


def _pair_menus(trace: Trace, places: Sequence[Any]) -> Pair:
    """Menus of query and key, tied to the view that all pages share; the key is never after the query."""
    query, key = inputs.pinned(trace, link.view().fitted(trace.n_layers, trace.n_heads, len(trace)))
    st.session_state[QUERY], st.session_state[KEY] = query, key
    for place, name, label, count in (
        (places[0], QUERY, _("Query"), len(trace)),
        (places[1], KEY, _("Key"), query + 1),
    ):
        place.selectbox(
            label,
            range(count),
            key=name,
            on_change=_keep_pair,
            args=(name,),
            label_visibility="collapsed",
            format_func=lambda at, label=label: f"{label} {placed(at, trace.tokens[at])}",
            help=_("The key the query weighs most, until another is chosen") if name == KEY else None,
        )
    return query, key


def _keep_pair(name: str) -> None:
    key = {"key": st.session_state[KEY]} if name == KEY else {}
    link.remember(replace(link.view(), query=st.session_state[QUERY], **key))


def _view_previous(layer: int, head: int, query: int) -> None:
    """Choose a head, and the token before the query as its key."""
    link.remember(replace(link.view(), head=(layer, head), query=query, key=query - 1))


# --- pictures ----------------------------------------------------------------------------------------


@shown
def clocks(data: Data) -> None:
    """Every plane's clock, what each adds, and the sum; a slider moves positions."""
    (layer, head), tokens = data.chosen.head, data.trace.tokens
    query, key = (placed(at, tokens[at]) for at in data.chosen.pair)
    title = _("L{layer}H{head}: query {query}, key {key}", layer=layer, head=head, query=query, key=key)
    walked = data.clocks
    header = {
        "engine": _engine(data.chosen),
        "title": title,
        "moves": data.chosen.moves,
        "home": walked.home,
        "positions": walked.positions.tolist(),
        "speeds": walked.frequency.tolist(),
    }
    PICTURE.show(header, {"q": walked.q, "k": walked.k, "parts": walked.parts})


def _engine(chosen: Choice) -> dict[str, Any] | None:
    """What the browser makes clocks of further texts by; None where the server does."""
    query, key = (link.FIELDS[name].get() for name in ("query", "key"))
    return engine.offer(
        chosen.model,
        chosen.text,
        READER,
        head=chosen.head,
        query=query,
        key=key,
        moves=chosen.moves,
        stride=chosen.stride,
        base=chosen.base,
    )


@shown
def steps(data: Data) -> None:
    """Angles, cos, sin, pairs and rotated pairs, walked plane by plane."""
    layer, head = data.chosen.head
    title = _("RoPE step by step: the queries of L{layer}H{head}", layer=layer, head=head)
    figure = rope_steps.rotation(
        data.rotation, data.trace.tokens[data.rows], data.chosen.pair[0], data.base, frame.theme(), title=title
    )
    with frame.wide("wide", 880):
        alt = _("Angle table, cos, sin, pairs and rotated pairs as heatmaps, plane by plane")
        frame.chart(figure, key="steps", alt=alt)


def numbers(data: Data) -> None:
    """The clocks at the true positions, plane by plane."""
    walked = data.clocks
    q, k, parts = (values[walked.home] for values in (walked.q, walked.k, walked.parts))
    angle = np.degrees(np.arctan2(q[:, 1], q[:, 0]) - np.arctan2(k[:, 1], k[:, 0]))
    planes = np.arange(len(parts))
    columns = {
        _("plane"): (planes, "d"),
        _("dimensions"): ([f"{2 * j}, {2 * j + 1}" for j in planes], ""),
        _("rad per token"): (walked.frequency, ".4g"),
        _("tokens per turn"): (walked.wavelength, ",.2f"),
        "|q|": (np.linalg.norm(q, axis=1), ".3f"),
        "|k|": (np.linalg.norm(k, axis=1), ".3f"),
        _("angle (°)"): ((angle + 180) % 360 - 180, "+.1f"),
        _("adds to the score"): (parts, "+.4f"),
    }
    rows = [dict(zip(columns, row)) for row in zip(*(values for values, _format in columns.values()))]
    with st.expander(_("Numbers at the true positions")):
        frame.table(rows, {name: form for name, (_values, form) in columns.items() if form})


# --- snippets ----------------------------------------------------------------------------------------


def _clocks_snippet(data: Data) -> str:
    """The clocks, their sum and the model's own score."""
    (layer, head), (query, key), own = data.chosen.head, data.chosen.pair, data.own_base
    moves, stride = data.chosen.moves, data.chosen.stride
    return f"""\
{start(data, "rope_planes")}
q, k = rope_planes.head_vectors(trace, layer={layer}, head={head}, base={own!r})  # before RoPE, [T, D]
clocks = rope_planes.clocks(
    q[{query}], k[{key}], ({query}, {key}), base={data.base!r}, moves={moves!r}, stride={stride}
)
score = clocks.scores[clocks.home]
print("planes:", clocks.parts[clocks.home], "sum:", score)
model = trace.scores({layer}, {head})[{query}, {key}].item()
print("the model's own score, with base {own:g}:", model)
print("the score at each pair of positions:", dict(zip(map(tuple, clocks.positions.tolist()), clocks.scores)))
"""


def _steps_snippet(data: Data) -> str:
    """Every matrix of the rotation, and the kernel beside it."""
    (layer, head), query, base, layout = data.chosen.head, data.chosen.pair[0], data.base, data.chosen.layout
    return f"""\
import torch

{start(data, "rope_planes", "rope_steps")}
q, _ = rope_planes.head_vectors(trace, layer={layer}, head={head}, base={data.own_base!r})
rows = figures.shown_rows(len(trace), {query})
steps = rope_planes.rotation(q[rows], base={base!r}, layout={layout!r}, start=rows.start)
kernel = tlmviz.kernels.rope(q[rows], torch.arange(rows.start, rows.stop), base={base!r}, layout={layout!r})
error = (torch.from_numpy(steps.out) - kernel).abs().max().item()
print("largest difference from the kernel:", error)
figures.rotation(steps, trace.tokens[rows], {query}, {base!r}, LIGHT, title="L{layer}H{head}").show()
"""


SNIPPETS = {CLOCKS: _clocks_snippet, STEPS: _steps_snippet, LAYOUTS: layouts_snippet, HEADS: heads_snippet}
