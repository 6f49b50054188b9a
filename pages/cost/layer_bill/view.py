"""Draws the page One layer's bill: controls, what the browser draws, and the tables below it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from tlmviz.analysis.cost import layer
from tlmviz.analysis.cost.layer import MOST, PARTS, Sizes
from tlmviz.ui import compute, frame, inputs, live, menu
from tlmviz.ui.language import N_, _, ngettext

from . import claims
from .data import Data
from .state import BILL, DRAWN, FFN, GROWTH, HAND, LONGEST_TEXT, NAMES, PARAMETERS, Bill

PICTURE = live.Picture(
    __file__,
    "layer-bill",
    **{name: Bill.controls[name] for name in (*NAMES, "counted", "prompt", "steps", "toy", "answers")},
)
EQUATIONS = {
    BILL: (
        r"\underbrace{2Bn\,d\,(hD+2gD)}_{Q,K,V}+\underbrace{2Bhn^2D}_{QK^\top}+\underbrace{5Bhn^2}_{\text{softmax}}"
        r"+\underbrace{2Bhn^2D}_{PV}+\underbrace{2Bn\,hD\,d}_{W_O}+\underbrace{2Bn\,d\,F\,(2\text{ or }3)}_{\text{FFN}}"
        r"\;=\;O(nd^2+n^2d)",
        "Attention (chapter), sections 1 and 2; LLM notes, section 3.1 (“the computational cost are the same”).",
        "The chapter says that the softmax of H heads is of a similar scale as that of one: it is H times as much, as "
        "there are H maps. Its single head has no output matrix; here both have one, so that they can be compared.",
    ),
    HAND: (
        r"\text{cells}=B\,h\,n^2,\qquad 3nd^2+n^2d+n^2d+nd^2=4nd^2+2n^2d",
        "Attention (chapter), “A Simple Example” and “How the Inefficiency Grows”.",
        "The chapter's single head has no W_O. It says that two heads do twice the scoring steps at half the width: "
        "products stay the same, exponentials double.",
    ),
    GROWTH: (
        r"1+2+\dots+N=\frac{N(N+1)}2\ \sim\ O(N^2)",
        "Attention (chapter), section on multi-head attention, “Growing Computational Cost”.",
        "The chapter's sum counts what a step attends to. Without a cache a step computes all earlier rows as well, "
        "which adds up to O(N³) pairs.",
    ),
    PARAMETERS: (
        r"V d\;+\;L\,\big[\,d\,(hD+2gD)+hD\,d+(2\text{ or }3)\,d\,F+\text{norms}\,\big]\;(+\;V "
        r"d\text{ for an untied head})",
        "LLM notes, section 8, which is a heading and a figure; section 7.4 for the feed-forward part.",
        "Section 7.4 says that feed-forward parts hold 50% to 60% of all parameters: the published layers in the table "
        "hold more. It gives 2.4 as the usual ratio F/d and 2 for LLaMA: LLaMA 2 7B has 2.69, with a third matrix, 70B "
        "3.5.",
    ),
    FFN: (
        r"\mathrm{FFN}(x)=W_2\,\sigma(W_1x+b_1)+b_2,\qquad \mathrm{GELU}(x)=x\,\Phi(x),\qquad "
        r"\mathrm{GELU}'(x)=\Phi(x)+x\,\varphi(x)",
        "Transformer with PyTorch, section 2.1.3, Eq. 30; LLM notes, section 7.4; Hendrycks and Gimpel 2016.",
        "The notes call ReLU's gradient zero for negative inputs, and GELU smooth: both hold. GELU's slope is negative "
        "left of x = −0.75, where it pushes the other way.",
    ),
}
# Columns: format, help.
BILL_COLUMNS = {
    N_("Multiplications"): (claims.count, N_("In products of matrices; each comes with an addition.")),
    N_("Operations"): (claims.count, N_("Multiplications, additions, and five for every cell of the softmax.")),
    N_("Weights"): (claims.count, N_("Parameters of the part, biases left out.")),
    N_("Written"): (claims.count, N_("Numbers that plain code writes; scores and softmax write B·h·n² each.")),
    N_("ms"): (",.3g", N_("Measured on this machine, in FP32, with all heads.")),
    N_("ms, one head"): (",.3g", N_("Measured here, in FP32, with a single head as wide as all together.")),
}
GROWTH_COLUMNS = {
    N_("The prompt"): claims.count,
    N_("Without a cache"): claims.count,
    N_("With a cache"): claims.count,
    N_("Times less"): ",.4g",
}


def described(sizes: Sizes) -> dict[str, Any]:
    """Sizes as the browser knows them: `head` is 0 for d / h."""
    return {name: getattr(sizes, name) for name in ("n", "d", "h", "g", "f", "gated", "batch", "bytes")} | {
        "head": sizes.head or 0
    }


def controls(model: str) -> Bill | None:
    """Draw the controls; what they say, None where a text is needed and there is none."""
    part, text = Bill.part.draw(), ""
    if part in DRAWN:
        menu.unread("text")
    if part == PARAMETERS:
        Bill.grouping.draw()
    if part == FFN:
        lm = compute.model(model)
        if (text := inputs.text_box(lm)) is None:
            return None
        layers = range(lm.config.n_layers)
        Bill.layer.draw(st.columns([0.25, 0.75])[0], options=layers, unchosen=len(layers) // 2)
    return Bill.of_session(model=model, text=text)


def picture(data: Data) -> None:
    """What the browser draws."""
    header = {
        "title": claims.title(data),
        "view": data.chosen.part,
        "most": MOST,
        "longest": LONGEST_TEXT,
        "told": data.chosen.fitted[1],
        "presets": [{"name": name, "sizes": described(each), "source": source} for name, each, source in data.presets],
    }
    PICTURE.show(header, {})


def beneath_bill(data: Data) -> None:
    """The bill as a table, with a row for the whole, and times that are measured here."""
    with st.spinner(_("Measuring the parts on this machine …"), show_time=True):
        times = data.times
    columns = {_(name): (form, _(said)) for name, (form, said) in BILL_COLUMNS.items()}
    lines, rows = layer.bill(data.sizes), []
    for name in PARTS:
        line = lines[name]
        values = (
            float(line.multiplications),
            float(line.operations),
            float(line.weights),
            float(line.written + line.maps),
            *(float("nan") if each is None else 1000 * each for each in times[name]),
        )
        rows.append({_("Part"): _(claims.NAMES[name]), **dict(zip(columns, values))})
    whole = {name: sum(row[name] for row in rows) for name in columns}  # beyond what an integer column holds
    frame.table(
        [*rows, {_("Part"): _("All"), **whole}],
        {name: form for name, (form, _said) in columns.items()},
        {name: said for name, (_form, said) in columns.items()},
    )
    st.markdown(claims.measured(times) or "")
    frame.timed(claims.timing(data), Data.rounds.clear)


def beneath_areas(data: Data) -> None:
    """The areas of everything that is counted."""
    head = ngettext(
        "{n:,} token after {prompt:,}", "{n:,} tokens after {prompt:,}", data.chosen.steps, prompt=data.chosen.prompt
    )
    rows = []
    for counted, found in data.growths.items():
        without, cached = float(sum(found.without)), float(sum(found.cached))
        values = float(found.prompt), without, cached, without / cached
        rows.append({head: _(claims.COUNTS[counted]), **dict(zip(map(_, GROWTH_COLUMNS), values))})
    frame.table(rows, {_(name): form for name, form in GROWTH_COLUMNS.items()})
    frame.caption(_("Operations are those of {name}.", name=data.name))


def snippet_of_bill(data: Data) -> str:
    """A layer's bill with the public API."""
    return f"""\
from tlmviz.analysis.cost import layer, layer_run

sizes = layer.{data.sizes!r}
counted, found = layer_run.count(sizes), layer.bill(sizes)
for part, line in found.items():
    print(part, line.operations, counted[part].operations, line.weights, line.written + line.maps)
print(layer.totals(sizes), layer.crossings(sizes))
print(layer.totals(sizes.one_head))
"""


def snippet_of_toy(data: Data) -> str:
    """The table that is filled in with the public API."""
    n, d, h = data.chosen.toy
    return f"""\
from tlmviz.analysis.cost import layer

many = layer.Sizes({n}, {d}, {h}, {h}, {4 * d}, bytes=4)
for sizes in (many.one_head, many):
    found = layer.bill(sizes)
    print(sizes.width, [line.multiplications for line in found.values()], layer.totals(sizes).maps)
"""


def snippet_of_growth(data: Data) -> str:
    """The areas with the public API."""
    return f"""\
from tlmviz.analysis.cost import layer

sizes = layer.{data.sizes!r}
for counted in layer.COUNTED:
    found = layer.growth(sizes, {data.chosen.prompt}, {data.chosen.steps}, counted)
    print(counted, found.prompt, sum(found.without), sum(found.cached))
"""
