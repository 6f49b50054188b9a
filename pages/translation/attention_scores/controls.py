"""The controls of the page "Attention scores": a sentence, whose translation is read, a model and a step, as one Choice."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from tlmviz.analysis.translation.score_steps import Steps
from tlmviz.errors import BadText
from tlmviz.ui import frame, inputs, translation
from tlmviz.ui.translation import SentencePair

from . import compute

OWN, COMMON = "Each its own", "One for all"


@dataclass(frozen=True)
class Choice:
    """What every model reads, the index of the model that is looked into, the step of its translation (from 0).

    `common` says that all models read one translation.
    """

    pairs: tuple[SentencePair, ...]
    inside: int
    step: int
    common: bool

    @property
    def pair(self) -> SentencePair:
        """What the model that is looked into reads."""
        return self.pairs[self.inside]

    @property
    def steps(self) -> Steps:
        """Its pass."""
        return compute.steps(self.pair)

    @property
    def token(self) -> str:
        """The token that the step writes."""
        return self.pair.targets[self.step].strip()

    @property
    def product_pair(self) -> SentencePair | None:
        """This model's pair if its score is a product of h with a key, else the first such model's; None without any."""
        return next((pair for pair in (self.pair, *self.pairs) if compute.steps(pair).product), None)


def choose(models: list[str], sidebar_model: str) -> Choice | None:
    """Draw the controls and return what they say; None without texts that can be read, which a sentence says."""
    text = translation.sentence_box(translation.model(sidebar_model))
    if text is None:
        return None
    with frame.after_picture():
        kind, typed, model, step = st.columns([0.24, 0.32, 0.24, 0.2], vertical_alignment="center")
    mode = kind.segmented_control(
        "Translation",
        (COMMON, OWN),
        default=COMMON,
        key="asone",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    try:
        with st.spinner("Translating …", show_time=True):
            if mode == COMMON:
                pairs = common_pairs(models, text, sidebar_model, typed)
            else:
                typed.caption("Each model reads what it wrote itself, with a beam of 5.")
                pairs = [SentencePair(name, text, translation.own_translation(name, text)) for name in models]
    except BadText as error:  # the translation is still being written
        st.warning(str(error))
        return None
    inside = models.index(model_menu(models, sidebar_model, model))
    token = inputs.token_menu(
        step, "Target token", pairs[inside].targets, "write", "astok", compute.telling_step(pairs)
    )
    return Choice(tuple(pairs), inside, token, mode == COMMON)


def model_menu(models: list[str], sidebar_model: str, place) -> str:
    """The model to look into; at first that of the sidebar, if it is among them."""
    if st.session_state.get("asin") not in models:
        st.session_state["asin"] = sidebar_model if sidebar_model in models else models[0]
    return place.selectbox(
        "Look into",
        models,
        key="asin",
        bind="query-params",
        label_visibility="collapsed",
        help="The model to look into.",
    )


def common_pairs(models: list[str], text: str, author: str, place) -> list[SentencePair]:
    """One translation for all models, in the ids of each: typed, or written by `author`. Raises BadText."""
    mt = translation.model(models[0])
    own = translation.model(author).text(translation.own_translation(author, text))
    typed = place.text_input(
        "French translation",
        key="edfr",
        bind="query-params",
        live="150ms",
        label_visibility="collapsed",
        placeholder=f"{own}   (by {author}; type another)",
    )
    ids = mt.encode_target(typed or "") or mt.encode_target(own)
    if len(ids) >= mt.config.context:
        raise BadText(
            f"This translation has {len(ids):,} tokens; the models read up to {mt.config.context - 1}: shorten it."
        )
    french = mt.text((*ids, mt.tokenizer.end_of_text))
    return [_encoded(name, text, french) for name in models]


def _encoded(model: str, text: str, french: str) -> SentencePair:
    mt = translation.model(model)
    return SentencePair(model, text, (*mt.encode_target(french), mt.tokenizer.end_of_text))
