"""Beam search: the tree that a translation is found in, the ranking behind it, and what the search missed."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages import IN
from pages.translation.beam_search import claims, guess, view, view_code, view_tree
from pages.translation.beam_search.data import Data
from pages.translation.beam_search.exact import page as exact
from pages.translation.beam_search.exact.state import Horizon
from pages.translation.beam_search.examples import examples
from pages.translation.beam_search.race import page as race
from pages.translation.beam_search.race.state import Race
from pages.translation.beam_search.state import EXACT, RACE, STORY, TREE, Beam
from tlmviz.ui import below, frame


def tree(shown: Data, place: DeltaGenerator) -> None:
    """The tree of a translation, or of a continued story with sampled texts over it, and its ranking."""
    with place:
        if shown.chosen.has_source and not guess.seen(shown):
            return
        frame.claim(claims.CLAIMS, shown)
        view_tree.tree(shown)
    frame.next_step(claims.HINTS, shown)
    if not shown.chosen.has_source:
        view.texts(shown)
    view.ranking(shown)
    below.when_painted("beneath-beam", lambda: _beneath(shown), seen=False)


def _beneath(shown: Data) -> None:
    source = shown.chosen.has_source
    view.curves(shown)
    if source:
        frame.badges([shown.check])
    frame.claims(claims.CLAIMS, shown, more=claims.notice(source), maths=claims.maths(source))
    frame.equation(*view.EQUATION)
    view.table(shown)
    frame.copy_as_python(view_code.snippet(shown))


PARTS = {TREE: tree, STORY: tree, RACE: race.show, EXACT: exact.show}


@frame.fragment
def show(model: str) -> None:
    """The sentence or the prompt, the rules, and the chosen part."""
    place = frame.picture_first()
    with place:
        chosen = view.controls(model)
    if chosen is not None:
        PARTS[chosen.view](Data(chosen), place)


frame.heading(IN["translation/beam_search"], examples, Beam, Race, Horizon)
show(st.session_state["mt"])
