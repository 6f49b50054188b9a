"""Beam search: the tree that a translation is found in, the ranking behind it, and what the search missed."""

from dataclasses import replace

import streamlit as st

from pages.translation.beam_search import (
    compute as beam_state,
)
from pages.translation.beam_search import (
    view as beam_parts,
)
from pages.translation.beam_search import (
    view_exact as beam_exact,
)
from pages.translation.beam_search import (
    words as beam_words,
)
from tlmviz.analysis.translation import beam_tree
from tlmviz.analysis.translation.beam_tree import Path
from tlmviz.decoding.beam import BeamOptions
from tlmviz.errors import Error
from tlmviz.ui import compute, frame, inputs, link
from tlmviz.ui import translation as translation_state

# The tree needs about 900 px: a phone scrolls it sideways.
_WIDE = """<style>
.st-key-wide-tree { overflow-x: auto; } .st-key-wide-tree > div { min-width: 900px; }
@media (max-width: 640px) { .st-key-beam-controls [data-testid="stColumn"] { min-width: calc(50% - 1rem); } }
</style>"""


def translation(name: str, asked: beam_state.Asked, text: str, exact: bool) -> None:
    """The tree of a translation, or the exact search beside it."""
    mt, penalties = translation_state.model(name), beam_state.penalties(asked)
    options = asked.options(mt.tokenizer)
    if options.stop == "bound":  # what can still win depends on the penalties
        options = replace(options, penalties=penalties, align=mt.align)
    if exact:
        beam_exact.show(mt, text, options, penalties)
        frame.what_to_notice(*beam_words.EXACT_POINTS)
        frame.equation(*beam_words.EXACT_EQUATION)
        frame.copy_as_python(beam_words.exact_snippet(name, text, options.width))
        return
    search = translation_state.search(name, text, options)
    greedy = translation_state.search(name, text, BeamOptions(width=1, shown=1)).hypotheses()[0]
    shown = beam_parts.Shown(search, mt.tokenizer, penalties, True, f"{name}|{text}|{options}", asked.whole)
    title = f"{name}, beam of {options.width}: {search.steps} steps, {search.stopped}"
    paths = (Path("greedy", greedy.tokens, greedy.logps),) if options.width > 1 else ()
    beam_parts.tree(shown, paths, title, "beamtree")
    beam_parts.ranking(shown)
    beam_parts.curves(shown)
    best = shown.ranked()[0]
    frame.badges([beam_exact.reading(mt, text, best.tokens, best.parts.logp)])
    danger = beam_tree.hardest(search.nodes, best.node)
    frame.what_to_notice(beam_words.greedy(best, greedy, *danger, options.width), *beam_words.TREE_POINTS)
    frame.equation(*beam_words.EQUATION)
    beam_parts.data(shown, f"{name}-beam{options.width}")
    frame.copy_as_python(beam_words.snippet(name, text, options, penalties))


def story(asked: beam_state.Asked, told: beam_state.Told, prompt: str) -> None:
    """The tree of a continued story with sampled texts laid over it."""
    name = told.model
    lm, penalties = compute.model(name), beam_state.penalties(asked)
    options = asked.options(lm.tokenizer)
    if options.stop == "bound":
        options = replace(options, penalties=penalties)
    search = beam_state.story_search(name, prompt, options)
    samples = beam_state.story_samples(name, prompt, told.strategies, options.max_length, told.seed)
    shown = beam_parts.Shown(
        search, lm.tokenizer, penalties, False, f"{name}|{prompt}|{options}", asked.whole
    )
    beam_parts.tree(shown, samples, f"{name}, beam of {options.width}: {search.stopped}", "storytree")
    beam_parts.texts(shown, samples)
    beam_parts.ranking(shown)
    beam_parts.curves(shown)
    frame.what_to_notice(*beam_words.STORY_POINTS)
    frame.equation(*beam_words.EQUATION)
    beam_parts.data(shown, f"{name}-beam{options.width}")
    frame.copy_as_python(beam_words.story_snippet(name, prompt, options, penalties))


@frame.fragment
def show(name: str) -> None:
    """The sentence or the prompt, the rules, and the chosen view."""
    left, right = st.columns([0.68, 0.32], vertical_alignment="center")
    view = right.segmented_control(
        "View",
        beam_state.VIEWS,
        default=beam_state.TREE,
        key="bview",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    is_story = view == beam_state.STORY
    with st.container(key="beam-controls"):
        places = st.columns(
            [0.16, 0.2, 0.1, 0.16, 0.28, 0.1] if is_story else [0.3, 0.55, 0.15], vertical_alignment="bottom"
        )
        asked = beam_state.controls(places, not is_story)
        told = beam_state.story_controls(places[3:]) if is_story else None
    with left:
        mt = translation_state.model(name)
        text = inputs.text_box(compute.model(told.model)) if told else translation_state.sentence_box(mt)
    link.keep("english", "text", "model", *beam_state.BY_VIEW)  # another view draws other widgets
    if text is None:
        return
    try:
        if told:
            story(asked, told, text)
        else:
            translation(name, asked, text, view == beam_state.EXACT)
    except Error as error:
        st.error(str(error))
    beam_state.share_weights()


st.html(_WIDE)
frame.heading("Beam search", "Keep the W best beginnings, drop the rest.", translation_state.examples)
try:
    show(st.session_state["mt"])
except Error as error:
    st.error(str(error))
