"""Draws the part Einstein notation: the formula with what was found in it, its tensor, cost and code, and mistakes to
try."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from tlmviz.analysis.notation import code
from tlmviz.analysis.notation.block import lines_of
from tlmviz.analysis.notation.checking import KINDS
from tlmviz.analysis.notation.latex import latex
from tlmviz.analysis.notation.panels import panel
from tlmviz.analysis.notation.plans import Load, steps
from tlmviz.analysis.notation.syntax import BadNotation
from tlmviz.ui import compute as shared
from tlmviz.ui import frame, inputs, link, live, markdown
from tlmviz.ui.language import _

from . import claims
from .data import TOKENS, Data
from .state import MODEL, Formula, use

PICTURE = live.Picture(__file__, "tensors")
FIXED_WIDTH = "<style>.st-key-nform input { font-family: ui-monospace, Menlo, Consolas, monospace; }</style>"
EQUATION = (
    r"L_{ts}^{(h)} = \frac{1}{\sqrt{d_k}}\,\widehat Q_{th}{}^k\,\widehat K_{shk},\qquad A_{ts}^{(h)} ="
    r" \mathrm{softmax}_s(L_{ts}^{(h)}),\qquad Y_{th}{}^d = \sum_{s\le t} A_{ts}^{(h)} V_{sh}{}^d",
    "Decoder-Only Transformers in Einstein Notation, sections 1, 2 and 10.",
    "The notes call the weights and attention's output A; here the output is Aout. H'' is used in section 2 and never "
    "defined: it is the normalised H'. W_O stands with h and d below in section 2.1, so that h is paired below with "
    "below, against the checklist's first point; and the checklist asks for δ with one index on each side, where "
    "lowering K takes δ with both below. A window of W tokens is t - s < W.",
)


def controls(model: str) -> Formula | None:
    """Draw the controls; what they say. None, with a sentence, where there is nothing to read yet."""
    lm = shared.model(model)
    text = inputs.text_box(lm)
    if text is None:
        return None
    row = shared.striking_row(model, text)
    link.open_on(f"einstein:{model}", lambda: (row.layer, row.head))
    config = lm.config
    with frame.after_picture(pairs=False):
        left, *places, more = st.columns([0.62, 0.13, 0.13, 0.12], vertical_alignment="center")
        layer, head = inputs.head_menus(config.n_layers, config.n_heads, places)
        lines = {line.title: line for line in lines_of(config, layer)}
        line = lines[
            Formula.line.draw(left, options=tuple(lines), format_func=lambda title: f"{title}: {lines[title].says}")
        ]
        with frame.more(more):
            whose = Formula.whose.draw()
            Formula.sizes.draw(disabled=whose == MODEL)
    link.FIELDS["head"].share()
    _box(line.text)
    given = {"model": model, "text": text, "layer": layer, "head": head, "line": line.title}
    chosen = Formula.of_session(**given)
    if unlike := Data(chosen).unlike:
        said = _(
            "{model} has {what}, which the notes' block lacks: formulas run on tensors of your own sizes. Another "
            "model, such as stories-rope, shows its own.",
            model=lm.name,
            what=unlike,
        )
        st.info(said)
    return chosen


def _box(own: str) -> None:
    """The box of the formula: it shows the line's own while nothing else is typed."""
    st.html(FIXED_WIDTH)
    control = Formula.formula
    typed = control._drawn(st, control.get() or own, {}, _(control.label))
    control.set("" if typed == own else typed)


def formula(data: Data) -> bool:
    """The formula as it is read, with what is marked in it; whether it, and the sizes, can be read."""
    try:
        data.table  # noqa: B018 (read first: what is wrong with the sizes is said of them)
    except BadNotation as error:
        return _refused(error, data.chosen.sizes)
    try:
        found = data.result
    except BadNotation as error:
        return _refused(error, data.formula)
    marks = [finding.at for finding in found.checked.findings]
    st.latex(latex(found.checked.line, marks))
    for finding in found.checked.findings:
        color = "red" if finding.blocks else "orange"
        st.markdown(f":{color}-badge[{markdown.plain(finding.name)}] {markdown.plain(finding.says)}")
    if marks:
        st.code(claims.caret(data.formula, marks[0]), language=None)
    return True


def _refused(error: BadNotation, text: str) -> bool:
    """What cannot be read: the sentence, and the place in the text."""
    st.error(frame.worded(error))
    if text.strip():
        st.code(claims.caret(text, error.at), language=None)
    return False


def pictured(data: Data) -> bool:
    """Whether there is a picture, which goes before what is below it; one number has none."""
    return data.result.value is not None and bool(data.result.checked.out)


def picture(data: Data) -> None:
    """What the formula makes, the model's own tensor beside it, and what they differ by."""
    if not pictured(data):
        return
    letters, head, tokens = data.result.checked.out, data.chosen.head, data.tokens
    named = data.name or _("the result")
    panels = [panel(_("{name} by the formula", name=named), data.result.value, letters, head, tokens)]
    if data.compared is not None:
        own = panel(_("{name} of the model", name=named), data.compared.own.value, letters, head, tokens)
        apart = np.asarray(panels[0].values, np.float64) - np.asarray(own.values, np.float64)
        panels += [own, replace(own, name=_("their difference"), values=apart, kind="score")]
    ends = [each.end for each in panels[:2]]
    if (
        data.compared is not None
    ):  # equal tensors differ in no colour, others up to the largest difference that is drawn
        largest = float(np.nanmax(np.abs(apart), initial=0.0))
        ends.append(largest if largest and not data.same else ends[1])
    drawn = [
        {
            "name": each.name,
            "detail": " · ".join(filter(None, (each.shape, each.note))),
            "x": each.x,
            "y": each.y,
            "rows": each.values.shape[0],
            "cols": each.values.shape[1],
            "row_labels": list(each.row_labels),
            "col_labels": list(each.col_labels),
            "probability": each.kind == "probability",
            "end": end,
            "ends": ["0" if each.kind == "probability" else f"−{end:.2g}", f"{end:.2g}"],
        }
        for each, end in zip(panels, ends)
    ]
    values = {str(i): np.asarray(each.values, np.float32) for i, each in enumerate(panels)}
    PICTURE.show({"title": f"{data.chosen.model}: {data.formula}", "panels": drawn}, values)


def order_and_code(data: Data) -> None:
    """The order of the products and what it takes; the code, in three styles."""
    if data.result.plan is None:
        return
    if data.order is not None:
        st.markdown("#### " + _("In which order"))
        operations = _("Multiplications and additions")
        rows = [
            {
                _("Product"): f"{pair.left} × {pair.right}" if pair.right else pair.left,
                _("Makes"): " ".join(pair.result) or _("a number"),
                _("Summed"): " ".join(pair.summed) or "–",
                operations: pair.operations,
            }
            for pair in data.order.pairings
        ]
        helps = {
            _("Summed"): _("Indices that neither the result nor any later factor has."),
            operations: _(
                "As opt_einsum counts: one multiplication for each combination of indices, and one addition where an "
                "index is summed."
            ),
        }
        frame.table(rows, {operations: ",d"}, helps)
        frame.caption(claims.cost(data))
    st.markdown("#### " + _("As code"))
    style = Formula.style.draw()
    st.code(code.write_code(data.result.plan, data.name or "result", style), language="python", wrap_lines=True)
    frame.caption(claims.code_of(data.result.plan))


def mistakes(data: Data) -> None:
    """Mistakes to try, a button for each, and what each of them computes; the notes' own lines by their own rules."""
    if data.of_model:
        every = data.mistakes
        with st.expander(_("Try the mistakes ({count})", count=len(every)), expanded=False):
            with st.container(horizontal=True, gap="small"):
                for slip, formula, *_rest in every:
                    st.button(
                        KINDS[slip.kind],
                        key=f"slip-{slip.kind}",
                        on_click=use,
                        args=(slip.line, formula),
                        help=f"`{formula}`",
                    )
            frame.caption(claims.of_mistakes(every))
    with st.expander(_("The notes' own lines, by their own rules")):
        st.markdown(claims.of_notes(data.notes))


def snippet(data: Data) -> str:
    """The formula and its code with the public API."""
    chosen, plan = data.chosen, data.result.plan
    assert plan is not None
    loaded = {step.name: step for step in steps(plan) if isinstance(step, Load)}
    if data.of_model:
        imports = "import tlmviz\n"
        source = f"""\
lm = tlmviz.load({chosen.model!r})
ids = lm.encode({chosen.text!r})[:{TOKENS}]
trace = lm.trace_ids(ids, keep=tensors.taps({chosen.layer}).__contains__)
table = tensors.of_block(lm, trace, {chosen.layer})
"""
        read = code.head(plan, lambda name: f'table.tensors["{name}"].value')
    else:
        imports = ""
        source = f"table = tensors.of_sizes(tensors.read_sizes({chosen.sizes!r}))\n"
        read = code.head(plan, lambda name: f'table.look("{name}", {loaded[name].letters!r}, (0, 0)).value')
    name = data.name or "made"
    functions = "".join(
        f'{each} = table.functions["{each}"]\n'
        for each in ("sigma", "LN1", "LN2")
        if f"{each}(" in code.write_code(plan, name)
    )
    return f"""\
import torch
{imports}from tlmviz.analysis.notation import tensors
from tlmviz.analysis.notation.running import evaluate

{source}result = evaluate({data.formula!r}, table)
print([finding.name for finding in result.checked.findings], list(result.value.shape))

dk, pi = table.head_dim, table.head_of
{functions}{read}
{code.write_code(plan, name)}
print(torch.allclose({code.name(name)}, result.value, atol=1e-4, equal_nan=True))
"""
