"""Draws the part Matrix by hand: presets, a text and a table of cells for one matrix."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from tlmviz.decoding.penalties import Penalties
from tlmviz.ui import frame, translation
from tlmviz.ui.language import _

from ..data import Covered
from ..state import Alignment
from .matrices import SIDE, read_matrix, resized, write_matrix
from .state import EVEN, LEAST, MOST, TABLE, Hand, put

ROWS, COLUMNS = "_arows", "_acols"
TOO_LARGE = "_too_large"  # session: why the translation's map could not be taken over
TALL = 300  # pixels of a table of many steps


def controls(model: str, text: str, buttons, table) -> tuple[Hand, Penalties]:
    """Draw presets and penalties at `buttons`, the matrix at `table`; what they say. Raises BadShape for what is no
    attention."""
    with buttons:
        places = st.columns([0.2, 0.2, 0.2, 0.26, 0.14], vertical_alignment="bottom")
        for place, name, label, preset in zip(
            places, ("Least", "Most", "Even"), (_("Least"), _("Most"), _("Even")), (LEAST, MOST, EVEN)
        ):
            place.button(label, key=f"preset-{name}", on_click=put, args=(preset,), width="stretch")
        places[3].button(
            _("From the translation"),
            key="preset-translation",
            on_click=_from_translation,
            args=(model, text),
            width="stretch",
            disabled=not text,
            help=_("The best hypothesis's map, where it is not too large."),
        )
        more = frame.more(places[4])
        Alignment.beta.draw(more)
        Alignment.floor.draw(more)
        chosen = Alignment.of_session(model=model, text=text)
    if message := st.session_state.pop(TOO_LARGE, None):
        buttons.warning(message)
    with table:
        typed = Hand.matrix.draw() or ""
        hand, shape = replace(Hand.of_session(), matrix=typed), read_matrix(typed).shape
        _cells(typed)
        labels = _("Steps"), _("Source tokens")
        for place, label, key, count in zip(st.columns(2), labels, (ROWS, COLUMNS), shape):
            st.session_state[key] = count
            place.number_input(label, 1, SIDE, key=key, on_change=_resize, args=(typed,))
        st.caption(_("Each row is scaled to sum 1, as attention does."))
    return hand, Penalties(beta=chosen.beta, floor=chosen.floor)


def _cells(typed: str) -> None:
    """The matrix as cells to type into; what is typed goes into the text."""
    lines = typed.strip().strip(";").split(";")
    rows = [[float(value) for value in row.replace(",", " ").split()] for row in lines]
    names = [f"y{i}" for i in range(1, 1 + len(rows))], [f"x{j}" for j in range(1, 1 + len(rows[0]))]
    cells = pd.DataFrame(rows, *names)
    key = f"_cells{st.session_state.get(TABLE, 0)}"
    number = st.column_config.NumberColumn(min_value=0.0, width=52, format="%g")
    st.data_editor(
        cells,
        key=key,
        on_change=_edited,
        args=(key, cells),
        height="auto" if len(cells) <= 8 else TALL,
        column_config=dict.fromkeys(cells, number),
    )


def _edited(key: str, cells: pd.DataFrame) -> None:
    changed = cells.copy()
    for row, edits in st.session_state[key]["edited_rows"].items():
        for column, value in edits.items():
            changed.loc[changed.index[int(row)], column] = value or 0.0
    Hand.matrix.set(write_matrix(changed.to_numpy()))


def _resize(typed: str) -> None:
    steps, size = int(st.session_state[ROWS]), int(st.session_state[COLUMNS])
    put(write_matrix(resized(read_matrix(typed), steps, size)))


def _from_translation(model: str, text: str) -> None:
    attention = translation.translation(model, text).attention
    steps, size = attention.shape
    if max(steps, size) <= SIDE:
        put(write_matrix(attention))
        return
    st.session_state[TOO_LARGE] = _(
        "This translation has {steps} steps and {size} source tokens; a table by hand has at most {most} of each.",
        steps=steps,
        size=size,
        most=SIDE,
    )


def snippet(data: Covered) -> str:
    """Penalty and overlap of the matrix."""
    beta, floor = data.penalties.beta, data.penalties.floor
    return f"""\
import numpy as np
from tlmviz.decoding.penalties import coverage_loss, coverage_penalty, coverage_vectors, token_coverage
from tlmviz.figures import LIGHT
from tlmviz.figures.translation import alignment

a = np.array({np.asarray(data.weights).tolist()!r})
cp = coverage_penalty(a, beta={beta!r}, floor={floor!r})
print(cp, a.sum(0))
print(coverage_vectors(a))
print(coverage_loss(a), coverage_loss(a, average=True))
source, target = ([f"{{letter}}{{i + 1}}" for i in range(n)] for letter, n in zip("xy", a.shape[::-1]))
costs, least = {beta!r} * token_coverage(a.sum(0), {floor!r}), {beta!r} * np.log({floor!r})
alignment.coverage_map(a, source, target, costs, least, LIGHT, title="Attention by hand").show()
"""
