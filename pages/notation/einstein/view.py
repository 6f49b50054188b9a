"""Draws the page Einstein notation: the formula with what was found in it, its tensor, cost and code, and mistakes to try."""

from __future__ import annotations

import streamlit as st

from tlmviz.analysis.notation import code, costing
from tlmviz.analysis.notation.block import Compared
from tlmviz.analysis.notation.checking import KINDS
from tlmviz.analysis.notation.latex import latex
from tlmviz.analysis.notation.panels import panel
from tlmviz.analysis.notation.running import Result
from tlmviz.analysis.notation.syntax import BadNotation
from tlmviz.ui import below, frame, inputs

from . import compute, controls, words
from .component import payload, tensors_view
from .controls import Choice


def show(choice: Choice) -> Result | None:
    """The formula and its tensor; None where it, or the sizes, cannot be read."""
    try:
        compute.table(choice)
    except BadNotation as error:
        refused(error, choice.sizes or "")
        return None
    return formula(choice)


def beneath(choice: Choice, found: Result | None) -> None:
    """What to notice, order, code, mistakes, the notes' own lines, badges."""
    frame.what_to_notice(*words.NOTICE, maths=words.NOTICE_MATHS)
    if found is not None and found.plan is not None:
        if pictured(found):
            below.when_painted("beneath-einstein", lambda: _order_and_code(choice, found))
        else:
            _order_and_code(choice, found)
    if choice.sizes is None:
        mistakes(choice)
    notes()
    if choice.sizes is None:
        frame.badges(compute.checks(choice))
    for equation in words.EQUATIONS:
        frame.equation(*equation)
    if found is not None and found.plan is not None:
        if pictured(found):
            below.copy_as_python("einstein-python", words.snippet(choice, found))
        else:
            frame.copy_as_python(words.snippet(choice, found))


def pictured(found: Result) -> bool:
    """Whether there is a picture, which goes before what is below it; one number has none."""
    return found.value is not None and bool(found.checked.out)


def _order_and_code(choice: Choice, found: Result) -> None:
    """A table and code: what draws them takes the browser longer to load than the picture."""
    cost(found)
    python(choice, found)


def formula(choice: Choice) -> Result | None:
    """The formula as it is read, the findings and the tensors; None where it cannot be read."""
    try:
        found, compared = compute.result(choice)
    except BadNotation as error:
        refused(error, choice.formula)
        return None
    marks = [finding.at for finding in found.checked.findings]
    st.latex(latex(found.checked.line, marks))
    for finding in found.checked.findings:
        color = "red" if finding.blocks else "orange"
        st.markdown(f":{color}-badge[{inputs.plain(finding.name)}] {inputs.plain(finding.says)}")
    if marks:
        st.code(words.caret(choice.formula, marks[0]), language=None)
    st.markdown(words.verdict(choice, found, compared))
    if found.value is not None:
        pictures(choice, found, compared)
    return found


def refused(error: BadNotation, text: str) -> None:
    """What cannot be read: the sentence, and the place in the text."""
    st.error(str(error))
    if text.strip():
        st.code(words.caret(text, error.at), language=None)


def pictures(choice: Choice, found: Result, compared: Compared | None) -> None:
    """What the formula makes, and the model's own tensor beside it."""
    value, letters, tokens = found.value, found.checked.out, compute.tokens(choice)
    assert value is not None
    if not letters:
        return
    named = found.checked.line.left.name if found.checked.line.left else "the result"
    drawn = [(f"{named} by the formula", value)]
    if compared is not None:
        drawn.append((f"{named} of the model", compared.own.value))
    panels = [panel(name, each, letters, choice.head, tokens) for name, each in drawn]
    tensors_view(payload(panels, picture=below.next_picture()), key="made")


def cost(found: Result) -> None:
    """The order of the products and what it saves."""
    plan, sizes = found.plan, found.checked.sizes
    assert plan is not None
    orders = [costing.order_of(each, sizes) for each in costing.contractions(plan)]
    orders = [order for order in orders if len(order.inputs) > 1]
    if not orders:
        return
    most = max(orders, key=lambda order: order.at_once)
    st.markdown("#### In which order")
    frame.table(words.pairings(most), words.FORMATS, words.HELPS)
    frame.caption(words.cost(most))


def python(choice: Choice, found: Result) -> None:
    """The code, in three styles."""
    assert found.plan is not None
    st.markdown("#### As code")
    style = st.segmented_control(
        "Style",
        code.STYLES,
        default=code.EINSUM,
        key="ncode",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    name = found.checked.line.left.name if found.checked.line.left else "result"
    st.code(code.write_code(found.plan, name, str(style)), language="python", wrap_lines=True)
    frame.caption(words.code_of(found.plan))


def mistakes(choice: Choice) -> None:
    """Mistakes to try: a button for each, and what each of them computes."""
    every = compute.mistakes(choice)
    with st.expander(f"Try the mistakes ({len(every)})", expanded=False):
        with st.container(horizontal=True, gap="small"):
            for slip, formula, _, _ in every:
                st.button(
                    KINDS[slip.kind],
                    key=f"slip-{slip.kind}",
                    on_click=controls.use,
                    args=(slip.line, formula),
                    help=f"`{formula}`",
                )
        frame.caption(words.mistakes([(result, compared) for _, _, result, compared in every]))


def notes() -> None:
    """The notes' own lines by the notes' own rules."""
    with st.expander(words.NOTES_HEADING):
        st.markdown(words.notes(compute.notes()))
