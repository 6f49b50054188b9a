"""Draws the part Models: bytes per token, and bytes against the length, measured and by formula."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from tlmviz.analysis.caches import family
from tlmviz.analysis.caches.cost import Shape
from tlmviz.figures.caches import kv_costs
from tlmviz.ui import compute as shared
from tlmviz.ui import frame
from tlmviz.ui.language import _

from . import claims
from .data import TIMED, Data
from .state import Compared

EQUATION = (
    r"\text{MHA, GQA, MQA: } 2\,G\,D,\qquad \text{MLA: } d_c + d^R_h,\qquad \text{window: at most } W "
    r"\text{ positions}",
    "Numbers kept per token and layer. LLM notes, section 3.2; Transformer with PyTorch, sections 3.2 and 3.4; "
    "Decoder-Only Transformers in Einstein Notation, sections 4.4 and 6.",
    "Section 4.4 "
    "gives the window as (t − W, t], which is W positions, and its mask as s < t − W, which leaves W + 1; here it is "
    "W.",
)
PARTS = "keys", "values", "latent c_KV", "turned key k^R"


def controls(text: str) -> Compared:
    """Draw the controls; what they say."""
    left, right = st.columns([0.74, 0.26], vertical_alignment="bottom")
    names = list(shared.configs())
    alike = family.largest(shared.configs())
    chosen = Compared.models.get()
    start = [name for name in (alike if chosen is None else chosen) if name in names]
    if st.session_state.get("kmods") != start:
        st.session_state["kmods"] = start
    left.multiselect(
        _("Models"),
        names,
        key="kmods",
        on_change=_keep,
        label_visibility="collapsed",
        placeholder=_("Choose models to compare"),
    )
    Compared.length.draw(right)
    chosen = Compared.of_session(text=text)
    return replace(chosen, models=tuple(st.session_state["kmods"]))


def _keep() -> None:
    Compared.models.set(tuple(st.session_state["kmods"]))


def left_out(data: Data) -> bool:
    """Which models cannot read so far; whether any can."""
    for name, error in data.left_out.items():
        st.warning(_("{model} is left out: {why}", model=name, why=frame.worded(error)))
    if not data.sizes:
        st.info(_("No model is chosen; choose at least one."))
    return bool(data.sizes)


def picture(data: Data) -> None:
    """Bytes per token, and as the cache grows."""
    left, right = st.columns(2)
    with left:
        shares = {name: _shares(shape) for name, shape in data.shapes.items()}
        parts = {
            part: np.array([value * shares[name].get(part, 0.0) for name, value in data.per_token.items()])
            for part in PARTS
        }
        formula = np.array([total / data.chosen.length for total in data.formula.values()])
        labels = [f"{name}<br>{shape.kind}" for name, shape in data.shapes.items()]
        figure = kv_costs.token_bytes(labels, parts, formula, data.chosen.length, frame.theme())
        frame.chart(figure, key="kvbytes", alt=_("Bytes per token of each model's cache, measured and by formula"))
    with right:
        measured = {name: (size.lengths, size.nbytes) for name, size in data.sizes.items()}
        figure = kv_costs.growth(*data.curves, measured, frame.theme())
        frame.chart(figure, key="kvgrowth", alt=_("Bytes of each cache against its length"))


def _shares(shape: Shape) -> dict[str, float]:
    """The parts of what is cached of a position, as shares."""
    if shape.latent is None:
        return {"keys": 0.5, "values": 0.5}
    total = shape.numbers_per_token_per_layer
    return {"latent c_KV": shape.latent / total, "turned key k^R": shape.rope / total}


def table(data: Data) -> None:
    """Every model in numbers, and why some have no time."""
    names = (
        _("Numbers of a token and layer"),
        _("Bytes"),
        _("By formula"),
        _("Bytes per token read"),
        _("ms per token, measured"),
    )
    rows = []
    with st.spinner(_("Measuring …"), show_time=True):
        times = data.times
    for name, shape in data.shapes.items():
        nbytes, formula, taken = int(data.sizes[name].nbytes[-1]), data.formula[name], times[name]
        written = None if taken is None else f"{taken[0]:.2f} – {taken[1]:.2f}"
        values = shape.written, nbytes, formula, data.per_token[name], written
        row = {_("Model"): name, _("Attention"): shape.kind, **dict(zip(names, values))}
        rows.append(row | {_("Equal"): "✓" if nbytes == formula else "✗"})
    how = _("The fastest and the slowest of {steps} steps in which the models took turns.", steps=TIMED)
    frame.table(rows, dict.fromkeys(names[1:4], ",.0f"), {names[4]: how})
    frame.timed(claims.untimed(data) or "", data.measure_again)


def snippet(data: Data) -> str:
    """Real caches beside the formula."""
    return f"""\
import torch

import tlmviz
from tlmviz.analysis.caches import cost

sizes = {{}}
for name in {list(data.sizes)!r}:
    lm = tlmviz.load(name)
    cache = lm.new_cache()
    ids = torch.tensor(lm.tokenizer.encode({data.chosen.text!r}) * {data.chosen.length})[:{data.chosen.length}]
    lm(ids[None], cache)
    sizes[name] = cache.nbytes, cost.cache_bytes(cost.Shape.of(lm.config), {data.chosen.length})
print(sizes)
"""
