"""The controls that the views of the page Long context share: text, view, head and pinned token, as one Choice."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from tlmviz.analysis.kernels.long_context import LONGEST
from tlmviz.language_model import LanguageModel
from tlmviz.ui import compute as shared
from tlmviz.ui import inputs, link, long_text
from tlmviz.ui.long_text import Ids

from . import compute, words
from .compute import Passage

SOURCE = "src"  # key of the text's source, in the session and in the link
WRITTEN = "Stories by the model"
LENGTHS = (256, 1024, 2048, 4096, 8192, LONGEST)
MAPS, TEXT, MASKS, INDEXER = VIEWS = ("Maps", "Text", "Masks", "Lightning indexer")


@dataclass(frozen=True)
class Choice:
    """A text with its origin, the head that is opened, the pinned query, and the view."""

    model: str
    text: str
    source: str = long_text.OWN  # SAMPLE, WRITTEN or OWN
    n_tokens: int = 0  # of stories, at most; 0 for an own text
    seed: int = 0  # of stories written by the model
    view: str = VIEWS[0]
    layer: int = 0
    head: int = 0
    query: int | None = None  # None: not pinned

    @property
    def lm(self) -> LanguageModel:
        """The model that reads the text."""
        return shared.model(self.model)

    @property
    def ids(self) -> Ids:
        """All ids of the text, behind the end-of-text token."""
        return long_text.encoded(self.model, self.text)


def choose(model: str) -> Choice | None:
    """Text, view, layer and head; None when there is nothing to read yet."""
    choice = _choose_text(model)
    if choice is None:
        return None
    left, layer, head, note = st.columns([0.4, 0.12, 0.12, 0.36], vertical_alignment="center")
    view = left.segmented_control(
        "View",
        VIEWS,
        default=VIEWS[0],
        key="lview",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    config = choice.lm.config
    if view == TEXT and link.head_is_free():
        _open_on_a_far_reader(choice)
    elif view != TEXT:
        link.open_on(f"long:{model}", lambda: shared.previous_head(model, inputs.DEFAULT_TEXT))
    layer, head = inputs.head_menus(config.n_layers, config.n_heads, (layer, head))
    note.caption(ORIGINS[choice.source](choice))
    return replace(choice, view=view, layer=layer, head=head, query=link.view().query)


def _open_on_a_far_reader(choice: Choice) -> None:
    """Open the head that reads far tokens most, while nobody has chosen one."""
    far = compute.far_heads(Passage(choice.model, choice.ids).first(_limit(choice)))
    link.suggest_head(*divmod(int(far.argmax()), far.shape[1]))


def _choose_text(model: str) -> Choice | None:
    """The text that the page reads: bundled, written by the model, or the user's own; None when that is empty."""
    places = st.columns([0.46, 0.22, 0.12, 0.2], vertical_alignment="center")
    source = places[0].segmented_control(
        "Text",
        (long_text.SAMPLE, WRITTEN, long_text.OWN),
        default=long_text.SAMPLE,
        key=SOURCE,
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    return TEXTS[source](model, places[1:])


def _sample(model: str, places) -> Choice:
    tokens = _length_menu(places[0])
    return Choice(model, compute.sample(model, tokens), long_text.SAMPLE, tokens)


def _written(model: str, places) -> Choice:
    tokens = _length_menu(places[0])
    seed = places[1].number_input(
        "Seed", 0, 9999, 0, key="draw", bind="query-params", label_visibility="collapsed", help="Seed"
    )
    with places[2], st.spinner(f"{model} writes {tokens:,} tokens of stories …", show_time=True):
        return Choice(model, compute.stories(model, tokens, seed), WRITTEN, tokens, seed)


def _own(model: str, places) -> Choice | None:
    text = long_text.own_text(places[0])
    return None if text is None else Choice(model, text)


def _length_menu(place) -> int:
    return place.select_slider(
        "Tokens", LENGTHS, 2048, key="ltok", bind="query-params", label_visibility="collapsed"
    )


TEXTS = {long_text.SAMPLE: _sample, WRITTEN: _written, long_text.OWN: _own}
ORIGINS = {
    long_text.SAMPLE: lambda choice: words.sample_origin(choice.n_tokens > len(choice.ids)),
    WRITTEN: lambda choice: words.written_origin(choice.model, choice.n_tokens, choice.seed),
    long_text.OWN: lambda choice: words.own_origin(choice.text),
}


def passage(choice: Choice) -> Passage:
    """The part of the text that this page and this model can read; a sentence says what was cut."""
    length, limit = len(choice.ids), _limit(choice)
    if limit < min(length, LONGEST):
        st.warning(words.beyond_learned_positions(choice.lm.name, length, limit))
    elif length > LONGEST:
        st.warning(words.beyond_the_longest(length, LONGEST))
    return Passage(choice.model, choice.ids).first(limit)


def _limit(choice: Choice) -> int:
    """Tokens that this page and this model can read."""
    config = choice.lm.config
    return min(config.context, LONGEST) if config.positions.kind == "learned" else LONGEST
