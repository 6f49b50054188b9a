"""Beam search: the tree that a translation is found in, the ranking behind it, and what the search missed."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.translation.beam_search import (
    compute,
    controls,
    examples,
    guess,
    view,
    view_exact,
    view_tree,
    words,
)
from pages.translation.beam_search.controls import EXACT, RACE, STORY, TREE, Choice
from pages.translation.beam_search.race import view as race
from tlmviz.analysis.translation import beam_tree
from tlmviz.ui import frame


def tree(choice: Choice, place: DeltaGenerator) -> None:
    """The tree of a translation, and its ranking."""
    search, greedy = compute.search(choice), compute.greedy(choice)
    ranked = search.hypotheses(choice.penalties)
    with place:
        if not guess.seen(choice, ranked):
            return
        view_tree.tree(choice, search, ranked, compute.paths(choice))
    view.ranking(choice, search, ranked)
    view.curves(choice, ranked)
    frame.badges([compute.one_pass(choice, ranked[0].tokens, ranked[0].parts.logp)])
    rank, depth = beam_tree.hardest(search.nodes, ranked[0].node)
    frame.what_to_notice(words.greedy(ranked[0], greedy, rank, depth, choice.rules.width), *words.TREE_NOTICE)
    frame.equation(*words.EQUATION)
    view.data(choice, search)
    frame.copy_as_python(words.snippet(choice))


def story(choice: Choice, place: DeltaGenerator) -> None:
    """The tree of a continued story with sampled texts laid over it."""
    search, samples = compute.search(choice), compute.paths(choice)
    ranked = search.hypotheses(choice.penalties)
    with place:
        view_tree.tree(choice, search, ranked, samples)
    view.texts(choice, ranked, samples)
    view.ranking(choice, search, ranked)
    view.curves(choice, ranked)
    frame.what_to_notice(*words.STORY_NOTICE, maths=words.STORY_NOTICE_MATHS)
    frame.equation(*words.EQUATION)
    view.data(choice, search)
    frame.copy_as_python(words.story_snippet(choice))


@frame.fragment
def show(model: str) -> None:
    """The sentence or the prompt, the rules, and the chosen view."""
    place = frame.picture_first()
    with place:
        choice = controls.choose(model)
    if choice is None:
        return
    {TREE: tree, RACE: race.show, EXACT: view_exact.show, STORY: story}[choice.view](choice, place)
    controls.share_weights()


frame.heading("Beam search", words.CLAIM, examples.examples)
show(st.session_state["mt"])
