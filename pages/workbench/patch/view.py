"""Draws the page Patch: controls, the grid and what runs it, the predictions around a cell, the chain, preview against
exact."""

from __future__ import annotations

from functools import partial

import streamlit as st

from tlmviz.analysis.workbench.patching import correlation
from tlmviz.figures import number, readable_all
from tlmviz.figures.workbench import patching as figures
from tlmviz.ui import confirm_long_run, frame, handoff, live, state
from tlmviz.ui.handoff import EXPLORER, Onward
from tlmviz.ui.language import N_, _

from . import claims
from .data import STORY, Data, Exact
from .state import TEXTS, Patch, add, remove, spelled

PICTURE = live.Picture(__file__, "patch", cell=Patch.cell)
LARGE = 30_000_000  # parameters, from which the identities take many seconds and are measured when asked for
LOOK = 0.7  # seconds between two looks at a grid that runs
RUNS = {"corrupted": N_("Corrupted"), "patched": N_("Patched"), "chain": N_("Chain"), "clean": N_("Clean")}


EQUATION = (
    r"r=\frac{\Delta(\text{corrupted},\ a\leftarrow a^{\text{clean}})-\Delta(\text{corrupted})}"
    r"{\Delta(\text{clean})-\Delta(\text{corrupted})},\quad \Delta=\ell_{\text{answer}}-\ell_{\text{wrong}},\qquad "
    r"r\approx\frac{\partial r}{\partial a}\cdot\left(a^{\text{clean}}-a\right)",
    "Activation patching: Vig et al. 2020; Meng et al. 2022. Attribution patching: Nanda 2023; Syed et al. 2023.",
)


def controls(model: str) -> Patch:
    """Draw the texts, the answers and the kinds; what they say."""
    if tuple(box.get() for box in TEXTS[:2]) == STORY:
        for box, text in zip(TEXTS, Data(Patch.of_session(model=model)).opening):
            box.set(text)
    *places, last = st.columns([0.345, 0.345, 0.11, 0.12, 0.08], vertical_alignment="bottom")
    for box, where in zip(TEXTS[:2], places):
        box.draw(where)
    expected = Data(Patch.of_session(model=model)).expected
    for box, where, word in zip(TEXTS[2:], places[2:], expected):
        box.draw(where, word)
    state.reset_button(Patch, last)
    Patch.kind.draw()
    return Patch.of_session(model=model)


def picture(data: Data) -> None:
    """The grid, and beside it what follows."""
    left, right = st.columns([0.58, 0.42], gap="medium")
    with left:
        grid(data)
    with right, st.container(key="patch-runs"):
        predictions(data)


def grid(data: Data) -> None:
    """The grid, and below it what it takes to run it."""
    job = data.job
    if data.chosen.exact and not job.finished and job.expected <= confirm_long_run.QUICK:
        job.begin()
    if job.running:
        running(data)
    else:
        _grid(data)
        _offer(job)


@partial(frame.fragment, every=LOOK)
def running(data: Data) -> None:
    """The grid while it is run, looked at again and again; the page runs again when it has ended."""
    job = data.job
    if not job.running:
        st.rerun()
    _grid(data)
    bar, button = st.columns([0.8, 0.2], vertical_alignment="center")
    bar.progress(job.share, claims.progress(job))
    button.button(_("Cancel"), on_click=_cancel, args=(job,), key="ptcancel")


def _offer(job: Exact) -> None:
    """A button where the exact grid takes a while."""
    if job.error:
        st.error(frame.worded(job.error))
    if job.finished:
        return
    button, said = st.columns([0.2, 0.8], vertical_alignment="center")
    button.button(_("Exact"), on_click=_begin, args=(job,), type="primary", key="ptrun")
    said.caption(claims.offer(job))


def _begin(job: Exact) -> None:
    Patch.exact.set(True)
    job.begin()


def _cancel(job: Exact) -> None:
    Patch.exact.set(False)
    job.stop()


def _grid(data: Data) -> None:
    clean, corrupted, cell = data.task.clean, data.task.corrupted, data.cell
    header = {
        "title": claims.title(data),
        "clean": clean.tokens,
        "corrupted": corrupted.tokens,
        "rows": len(data.job.grid),
        "columns": data.job.grid.shape[1],
        "heads": data.chosen.heads,
        "kind": data.chosen.kind,
        "part": _(claims.PARTS[data.chosen.kind]),
        "best": [cell.kind, cell.layer, cell.index],
        "chain": [[each.layer, each.index] for each in data.chain if each.kind == data.chosen.kind],
        "said": claims.known(data),
    }
    PICTURE.show(header, {"preview": data.preview, "exact": data.job.grid})


def predictions(data: Data) -> None:
    """What follows the corrupted text, the patched one and the clean one, for the chosen cell, and with the chain."""
    cell, runs = data.cell, data.predictions
    st.markdown(f"**{claims.before_after(data)}**")
    rows = [
        {_("Next token"): token, **{_(RUNS[run]): share for run, share in zip(runs, shares)}}
        for token, shares in data.likely
    ]
    frame.table(rows, {_(RUNS[run]): ".1%" for run in runs}, key="ptnext")
    difference = _("{run}: logit difference {value}")
    st.caption(
        " · ".join(
            difference.format(run=_(RUNS[name]), value=number(run.difference, "+.2f")) for name, run in runs.items()
        )
    )
    chained = cell in data.chain
    st.button(
        _("In the chain") if chained else _("Add to the chain"),
        on_click=add,
        args=(cell,),
        disabled=chained,
        key="ptadd",
        help=_("Patches in the chain are made together, in one run."),
    )
    if data.chain:
        st.markdown(f"**{claims.chained(data)}**")
        with st.container(horizontal=True, gap="small"):
            for each in data.chain:
                name = f"{claims.named(data, each)} ✕"
                key = f"ptdrop-{spelled((each.kind, each.layer, each.index))}"
                st.button(name, on_click=remove, args=(each,), key=key)


def further(data: Data) -> None:
    """Links to where the case can be followed: both texts compared, and the patched head looked at and explained."""
    chosen, cell = data.chosen, data.cell
    texts = {"model": chosen.model, "cmpa": chosen.clean, "cmpb": chosen.corrupted}
    links = [Onward(_("Compare both texts"), "compare", texts)]
    if chosen.heads:
        head, last = f"L{cell.layer}H{cell.index}", len(data.names) - 1
        key = int(data.task.clean.attention(cell.layer, cell.index, rows=slice(last, last + 1)).argmax())
        look = {
            "model": chosen.model,
            "text": chosen.clean,
            "head": f"{cell.layer}.{cell.index}",
            "query": str(last),
            "key": str(key),
        }
        links += [
            Onward(_("Why {head} looks there", head=head), "why", look),
            Onward(_("Open {head} in the explorer", head=head), EXPLORER, look),
        ]
    handoff.links(links)


def agreement(data: Data) -> None:
    """Preview against exact, where all of the grid is known."""
    if not data.job.finished:
        return
    first, names = data.preview, readable_all(data.task.clean.tokens)
    labels = [
        f"L{layer}H{column}"
        if data.chosen.heads
        else _("layer {layer}, {column} {token}", layer=layer, column=column, token=names[column])
        for layer in range(len(first))
        for column in range(first.shape[1])
    ]
    agreed = correlation(first, data.job.grid)
    title = _("Preview against exact: correlation r = {r}", r=number(agreed, ".3f"))
    figure = figures.scatter(first.ravel(), data.job.grid.ravel(), labels, frame.theme(), title=title)
    frame.chart(figure, key="ptscatter", alt=_("Exact value of every patch against its preview"))


def identities(data: Data) -> None:
    """The identities, on what was typed."""
    asked = data.lm.n_parameters <= LARGE or st.toggle(
        _("Measure the identities on these texts (about ten more passes)"), key="ptmeasure"
    )
    if asked:
        frame.measured(lambda: data.checks)


def snippet(data: Data) -> str:
    """The grid, its preview and the chain with the public API."""
    chosen = data.chosen
    cells = ", ".join(f"Cell({c.kind!r}, {c.layer}, {c.index})" for c in data.chain or (data.cell,))
    return f"""\
import plotly.graph_objects as go
import tlmviz
from tlmviz.analysis.workbench.patching import Cell, correlation, patched_trace, task_of

lm = tlmviz.load({chosen.model!r})
texts = {chosen.clean!r}, {chosen.corrupted!r}
answers = {chosen.answer!r}, {chosen.wrong!r}  # None: what each text makes the model expect
grid = lm.patch(*texts, *answers, kind={chosen.kind!r})
preview = lm.patch(*texts, *answers, kind={chosen.kind!r}, exact=False)
print(grid.max(), correlation(preview.numpy(), grid.numpy()))

task = task_of(lm, *texts, *answers)
cells = [{cells}]
restored = float(task.restored(patched_trace(lm, task, cells).logits_at(-1)))
go.Figure(go.Heatmap(z=grid.numpy(), zmid=0)).show()
"""
