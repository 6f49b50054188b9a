"""Draws the page Patch: the grid, what runs it, the predictions around a cell, the chain, and preview against exact."""

from __future__ import annotations

from functools import partial

import streamlit as st

from tlmviz.analysis.workbench.patching import Cell, correlation
from tlmviz.figures import readable_all
from tlmviz.figures.workbench import patching as figures
from tlmviz.ui import below, frame, patience

from . import compute, controls, words
from .component import patch_view, payload
from .compute import Exact, Prediction
from .controls import Choice

LARGE = 30_000_000  # parameters, from which the identities take many seconds and are measured when asked for
LOOK = 0.7  # seconds between two looks at a grid that runs


def picture(choice: Choice) -> None:
    """The grid, and beside it what it takes to run it."""
    job = compute.exact(choice)
    if controls.EXACT.get() and not job.finished and job.expected <= patience.QUICK:
        job.begin()
    if job.running:
        running(choice)
    else:
        _grid(choice)
        _offer(choice, job)


@partial(frame.fragment, every=LOOK)
def running(choice: Choice) -> None:
    """The grid while it is run, looked at again and again; the page runs again when it has ended."""
    job = compute.exact(choice)
    if not job.running:
        st.rerun()
    _grid(choice)
    bar, button = st.columns([0.84, 0.16], vertical_alignment="center")
    bar.progress(job.share, words.progress(job))
    button.button("Cancel", on_click=_cancel, args=(job,), key="ptcancel")


def _offer(choice: Choice, job: Exact) -> None:
    """A button where the exact grid takes a while."""
    if job.error:
        st.error(job.error)
    if job.finished:
        return
    button, said = st.columns([0.16, 0.84], vertical_alignment="center")
    button.button("Exact", on_click=_begin, args=(job,), type="primary", key="ptrun")
    said.caption(words.offer(job))


def _begin(job: Exact) -> None:
    controls.wish(True)
    job.begin()


def _cancel(job: Exact) -> None:
    controls.wish(False)
    job.stop()


def chosen_cell(choice: Choice) -> Cell:
    """The cell of this kind that was clicked, else the one that brings back most."""
    cell = controls.CELL.get()
    if cell is not None and cell.kind == choice.kind and compute.fits(choice, cell):
        return cell
    return compute.strongest(choice)


def chain_of(choice: Choice) -> tuple[Cell, ...]:
    """The chain, without what this model and these texts do not have."""
    return tuple(cell for cell in controls.CHAIN.get() if compute.fits(choice, cell))


def _grid(choice: Choice) -> None:
    both, job, cell = compute.task(choice), compute.exact(choice), chosen_cell(choice)
    data = payload(
        compute.preview(choice),
        job.grid,
        clean=both.clean.tokens,
        corrupted=both.corrupted.tokens,
        heads=choice.heads,
        part=words.PART[choice.kind],
        chosen=[cell.layer, cell.index],
        chain=[[each.layer, each.index] for each in chain_of(choice) if each.kind == choice.kind],
        said=words.said(choice, job),
        origin=f"{choice} {cell}",
        picture=below.next_picture(),
    )
    patch_view(data, key=controls.KEY, on_change=controls.clicked(choice))


def predictions(choice: Choice) -> None:
    """What follows the corrupted text, the patched one and the clean one, for the chosen cell."""
    cell = chosen_cell(choice)
    title, button = st.columns([0.8, 0.2], vertical_alignment="bottom")
    title.markdown(f"##### {words.before_after(choice, cell)}")
    chained = cell in chain_of(choice)
    button.button(
        "In the chain" if chained else words.ADD_TO_CHAIN,
        on_click=controls.add,
        args=(cell,),
        disabled=chained,
        key="ptadd",
        help=words.PTADD_HELP,
    )
    _three(choice, compute.patched(choice.task, (cell,)), "one")


def chain(choice: Choice) -> None:
    """The patches that are made together, and what they bring back."""
    cells = chain_of(choice)
    if not cells:
        return
    together = compute.patched(choice.task, cells)
    st.markdown(f"##### {words.together(cells, together)}")
    with st.container(horizontal=True, gap="small"):
        for cell in cells:
            name = words.named(choice, cell)
            st.button(
                f"{name} ✕", on_click=controls.remove, args=(cell,), key=f"ptdrop-{controls.spelled(cell)}"
            )
    _three(choice, together, "chain")


def _three(choice: Choice, patched: Prediction, key: str) -> None:
    corrupted, clean = compute.ends(choice)
    for place, name, prediction in zip(
        st.columns(3), ("Corrupted", "Patched", "Clean"), (corrupted, patched, clean)
    ):
        with place:
            st.markdown(words.prediction(choice, name, prediction))
            frame.table(words.rows(prediction), words.ROWS, key=f"pt{key}-{name}")


def agreement(choice: Choice) -> None:
    """Once the picture is painted: preview against exact, where all of the grid is known."""
    below.when_painted("agreement-patch", lambda: _agreement(choice))


def _agreement(choice: Choice) -> None:
    job, first = compute.exact(choice), compute.preview(choice)
    if job.finished:
        names = readable_all(compute.task(choice).clean.tokens)
        labels = [
            f"{layer}.{column}" if choice.heads else f"layer {layer}, {column} {names[column]}"
            for layer in range(len(first))
            for column in range(first.shape[1])
        ]
        agreed = correlation(first, job.grid)
        figure = figures.scatter(
            first.ravel(), job.grid.ravel(), labels, frame.theme(), title=words.scatter_title(agreed)
        )
        frame.chart(figure, key="ptscatter", alt=words.PTSCATTER_ALT)


def identities(choice: Choice) -> None:
    """Once the picture is painted: the identities, on what was typed."""
    below.when_painted("identities-patch", lambda: _identities(choice))


def _identities(choice: Choice) -> None:
    if choice.lm.n_parameters <= LARGE or st.toggle(words.MEASURE, key="ptmeasure"):
        frame.measured(lambda: compute.measured(choice.task))
