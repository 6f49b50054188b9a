"""Draws the page Projector: the map or the film in the browser, and analogies with how often they fail."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from tlmviz.analysis.words.analogies import RELATIONS, Tally
from tlmviz.errors import UnknownName
from tlmviz.figures.words import analogies as figures
from tlmviz.ui import frame, inputs
from tlmviz.ui import words as word_models

from . import compute, words
from .component import mark, projector
from .controls import FILM, KEY, MAP, TSNE, WORDS, Choice, keep_place

WAYS = {"right": "first", "among 5": "five", "b + c alone": "without"}


def picture(choice: Choice) -> None:
    """The points, and what is chosen among them; a word without a place is a sentence, and the points stay."""
    if choice.view == FILM and not has_film(choice):
        return
    with st.spinner(_waiting(choice), show_time=True):
        shown = compute.picture(choice)
    st.markdown(f"**{inputs.plain(compute.title(choice))}**")
    place = st.empty()
    try:
        marks = compute.marks(choice)
    except UnknownName as error:
        place.warning(inputs.plain(str(error)))
        marks = compute.marks(Choice(choice.model, choice.side, choice.view, choice.method, word=""))
    projector(shown.data, key=KEY, on_change=keep_place)
    mark(marks, key="projector-marks")


def has_film(choice: Choice) -> bool:
    """Whether there is a film of these vectors; if not, a sentence says so."""
    if not choice.of_words or word_models.model(choice.model).snapshots is None:
        st.info(words.NO_FILM.format(model=choice.model))
        return False
    if choice.side != WORDS:
        st.info(words.NO_FILM_SIDE)
        return False
    return True


def _waiting(choice: Choice) -> str:
    if choice.view == MAP and choice.method == TSNE:
        return words.WORKING_TSNE.format(count=len(compute.shown(choice).names))
    return words.LAYING_OUT_VECTORS


def analogy(choice: Choice) -> None:
    """The typed analogy: its parallelogram and the nearest words."""
    result, theme = compute.answer(choice), frame.theme()
    st.markdown(
        words.answer(
            choice,
            [inputs.plain(name) for name in result.names],
            result.cosines,
            inputs.plain(result.all_names[0]),
        )
    )
    if len(set(choice.analogy)) < 3:
        st.caption(inputs.plain(words.twice(choice)))
    left, right = st.columns([0.58, 0.42])
    with left:
        figure = figures.parallelogram(
            [*choice.analogy, "b − a + c"],
            result.corners,
            result.names[:6],
            result.places[:6],
            result.off[:6],
            theme,
            title=words.PLANE_THROUGH_TITLE,
        )
        frame.chart(figure, key="wpplane", alt=words.WPPLANE_ALT)
    with right:
        figure = figures.answers(
            result.all_names,
            result.all_cosines,
            theme,
            title=words.NEAREST_B_TITLE,
            given=result.given,
        )
        frame.chart(figure, key="wpanswers", alt=words.WPANSWERS_ALT)


def counted(choice: Choice) -> None:
    """How often analogies come out right: all word models side by side, and every relation of the chosen one."""
    st.markdown(words.HOW_OFTEN_HEADING)
    with st.spinner(words.COUNTING, show_time=True):
        own = compute.tallies(choice.model, choice.side)
        models = {name: compute.tallies(name, WORDS) for name in word_models.models()}
    if choice.model not in models:
        models = {choice.model: own, **models}
    shares = {
        name: {way: total(tallies, field) for way, field in WAYS.items()}
        for name, tallies in models.items()
        if tallies
    }
    if shares:
        figure = figures.solved(shares, frame.theme(), title=words.ANALOGIES_COME_TITLE)
        frame.chart(figure, key="wpsolved", alt=words.WPSOLVED_ALT)
    table = pd.DataFrame(
        {
            "Relation": [tally.relation for tally in own],
            "Analogies": [tally.count for tally in own],
            "Right": [100 * tally.first for tally in own],
            "Among 5": [100 * tally.five for tally in own],
            "Median rank": [tally.median for tally in own],
            "b + c alone": [100 * tally.without for tally in own],
            "Given word first": [100 * tally.given for tally in own],
        }
    )
    form = {name: "%.1f %%" for name in ("Right", "Among 5", "b + c alone", "Given word first")} | {
        "Median rank": "%.0f"
    }
    columns = {
        name: st.column_config.NumberColumn(format=form[name], help=help_)
        for name, help_ in words.COLUMNS.items()
    }
    st.dataframe(table, hide_index=True, column_config=columns)
    (a, b), (c, _) = RELATIONS["he : she"][:2]
    count = sum(tally.count for tally in own)
    frame.caption(
        f"{inputs.plain(words.what(choice))}: {words.RELATION_NOTE.format(count=count, example=f'{a} is to {b} as {c} is to …')}"
    )


def total(tallies: list[Tally], field: str) -> float:
    """A share over all analogies of all relations."""
    return sum(getattr(tally, field) * tally.count for tally in tallies) / sum(
        tally.count for tally in tallies
    )


def checks(choice: Choice) -> None:
    """The badges of the identities behind what is shown."""
    frame.badges(compute.checks(choice))
