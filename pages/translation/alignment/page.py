"""Alignment & coverage: where each translated word looked, what was looked at twice or never, and what that costs."""

import streamlit as st

from pages.translation.alignment import compute as alignment_state
from pages.translation.alignment import view as parts
from pages.translation.alignment import words
from pages.translation.alignment.words import BY_HAND, FORCE, MODELS, TRANSLATION, VIEWS
from tlmviz.errors import BadShape
from tlmviz.ui import frame, link
from tlmviz.ui import translation as translation_state


def translated(name: str, text: str) -> None:
    """The chosen hypothesis: its map, coverage and penalty, and the steps; then why this map."""
    mt = translation_state.model(name)
    shown = alignment_state.controls(mt, name, text)
    source, target = (alignment_state.names(mt, ids) for ids in (mt.encode(text), shown.one.tokens))
    title = f"Attention (probability): {alignment_state.map_name(mt, shown.align)}"
    parts.pictures(shown.attention, shown.penalties, source, target, title, st.columns(2))
    parts.score_line(mt, shown)
    parts.head_errors(mt, name)
    frame.badges(alignment_state.checks(name, text))
    snippet = words.hypothesis_snippet(name, text, shown.width, shown.penalties, shown.align, shown.rank)
    close(TRANSLATION, snippet)


def by_hand(name: str, text: str | None) -> None:
    """The two extreme matrices of the notes, and any other."""
    try:
        parts.too_large()
        matrix, rules, places = parts.matrix(name, translation_state.model(name), text)
    except BadShape as error:
        st.warning(str(error))
        return
    source, target = (
        [f"{letter}{i + 1}" for i in range(count)] for letter, count in zip("xy", matrix.shape[::-1])
    )
    parts.pictures(matrix, rules, source, target, "Attention by hand", places)
    close(BY_HAND, words.matrix_snippet(matrix.tolist(), rules))


def two_models(text: str | None) -> None:
    """The model with a coverage vector beside one without."""
    with_it, without = alignment_state.coverage_models()
    if not (with_it and without):
        st.info(
            "This needs two recurrent models, one with a coverage vector and one without, and this installation lacks "
            f"{'the one with' if without else 'them'}. `python -m tlmviz.training eng-fra-coverage --data DIR` trains one."
        )
        close(MODELS, "")
        return
    first, second, asked, beam = st.columns([0.22, 0.22, 0.42, 0.14], vertical_alignment="bottom")
    pair = (
        first.selectbox("Without", without, key="awo", bind="query-params"),
        second.selectbox("With coverage", with_it, key="awi", bind="query-params"),
    )
    options = [*([text] if text else []), *alignment_state.REPEATERS]
    chosen = asked.selectbox(
        "Sentence",
        options,
        key="arep",
        bind="query-params",
        help="Your own sentence, or one that invites repetition.",
    )
    width = int(
        beam.number_input("Beam", value=1, step=1, key="acw", bind="query-params", help="1 is greedy.")
    )
    parts.two_models(pair, chosen, width)
    parts.repeaters(pair, width)
    close(MODELS, words.models_snippet(pair, chosen, width, alignment_state.GRAM))


def forced(name: str, text: str) -> None:
    """A step pinned to a source word, and what is written from there."""
    mt = translation_state.model(name)
    shown = alignment_state.controls(mt, name, text)
    pinned, suggested = parts.pins(mt, text, shown)
    if suggested:
        ((step, token),) = pinned.items()
        source, target = (alignment_state.names(mt, ids) for ids in (mt.encode(text), shown.one.tokens))
        st.caption(
            f"No pin is set. Shown is what happens when step {step + 1}, “{target[step].strip()}”, must look at "
            f"“{source[token].strip()}”."
        )
    parts.before_and_after(mt, name, text, shown, pinned)
    parts.next_tokens(mt, name, text, shown, pinned)
    snippet = words.force_snippet(name, text, shown.width, shown.penalties, shown.align, shown.rank, pinned)
    close(FORCE, snippet)


def close(view: str, snippet: str) -> None:
    """What to notice, the formulas with their source, and the code, where there is some."""
    frame.what_to_notice(*words.POINTS[view])
    for equation in words.EQUATIONS[view]:
        frame.equation(*equation)
    if snippet:
        frame.copy_as_python(snippet)


@frame.fragment
def show(name: str) -> None:
    """The sentence, what to look at, and the chosen part of the page."""
    text = translation_state.sentence_box(translation_state.model(name))
    view = st.segmented_control(
        "View",
        VIEWS,
        default=TRANSLATION,
        key="aview",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    if view == BY_HAND:
        by_hand(name, text)
    elif view == MODELS:
        two_models(text)
    elif text is not None:
        {TRANSLATION: translated, FORCE: forced}[view](name, text)
    link.share()


frame.heading(
    "Alignment & coverage",
    "Where each translated word looked, and what it missed.",
    translation_state.examples,
)
show(st.session_state["mt"])
