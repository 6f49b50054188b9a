"""The controls of the page Beam search: view, text, rules and weights of a search, as one Choice."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.penalties import Penalties
from tlmviz.decoding.sampling import Sampling
from tlmviz.language_model import LanguageModel
from tlmviz.tokens import Tokenizer
from tlmviz.translator import Translator
from tlmviz.ui import compute as shared
from tlmviz.ui import frame, inputs, link, translation

from .controls_rules import Rules
from .controls_rules import choose as choose_rules

TREE, RACE, EXACT, STORY = VIEWS = ("Translation", "Race", "Exact search", "Story")
LARGEST = 5.0  # of a penalty's weight
WEIGHTS = {
    name: link.Field(key, default, link.real(0.0, LARGEST), "{:g}".format)
    for name, key, default in (("alpha", "al", 0.6), ("beta", "be", 0.2), ("gamma", "ga", 0.0))
}
RANKING = "beamranking"  # the view in the browser that sends the weights
STRATEGIES = {
    "Greedy": Sampling(temperature=0.0),
    "Temperature 0.8": Sampling(temperature=0.8),
    "Top-k 40": Sampling(top_k=40),
    "Top-p 0.9": Sampling(top_p=0.9),
    "Min-p 0.1": Sampling(min_p=0.1),
    "Typical 0.9": Sampling(typical=0.9),
}
CONTRASTIVE = "Contrastive"
# Keys of widgets that not every view draws.
BY_VIEW = ("english", "text", "model", "bmax", "smax", "bst", "bseed", "bhz", "btab")


@dataclass(frozen=True)
class Choice:
    """A search for a translation, or in the story view for a text's continuation, and how it is ranked and drawn.

    `strategies` are sampled beside a story with `seed`.
    """

    view: str
    model: str
    text: str
    rules: Rules
    penalties: Penalties
    strategies: tuple[str, ...] = ()
    seed: int = 0

    @property
    def has_source(self) -> bool:
        """Whether a source sentence is translated."""
        return self.view != STORY

    @property
    def mt(self) -> Translator:
        """The model that translates."""
        return translation.model(self.model)

    @property
    def lm(self) -> LanguageModel:
        """The model that continues a story."""
        return shared.model(self.model)

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer of whichever writes."""
        return (self.mt if self.has_source else self.lm).tokenizer

    @property
    def lead(self) -> str:
        """What stands before a forced beginning: a space between a prompt and its continuation."""
        return "" if self.has_source else " "

    @property
    def options(self) -> BeamOptions:
        """The rules for `beam_search`. Raises BadSearch for what no search can do."""
        options = self.rules.options(self.tokenizer, self.lead)
        if options.stop == "bound":  # what can still win depends on the penalties
            align = self.mt.align if self.has_source else None
            options = replace(options, penalties=self.penalties, align=align)
        return options

    @property
    def origin(self) -> str:
        """Changes with whatever the browser's sliders should forget about."""
        return f"{self.model}|{self.text}|{self.options}"


def choose(model: str) -> Choice | None:
    """Draw the controls and return what they say; None without a text that can be read. Raises BadSearch."""
    left, right = st.columns([0.62, 0.38], vertical_alignment="center")
    view = right.segmented_control(
        "View",
        VIEWS,
        default=TREE,
        key="bview",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    is_story, strategies, seed = view == STORY, (), 0
    with frame.after_picture():
        widths = [0.16, 0.2, 0.1, 0.16, 0.28, 0.1] if is_story else [0.3, 0.55, 0.15]
        places = st.columns(widths, vertical_alignment="bottom")
        rules = choose_rules(places[:3], not is_story)
        if is_story:
            model, strategies, seed = _story(places[3:])
    with left:
        if is_story:
            text = inputs.text_box(shared.model(model))
        else:
            text = translation.sentence_box(translation.model(model))
    link.keep(*BY_VIEW)  # another view draws other widgets
    if text is None:
        return None
    weights = {name: field.get() for name, field in WEIGHTS.items()}
    penalties = Penalties(**weights, length=rules.length, floor=rules.floor)
    return Choice(view, model, text, rules, penalties, strategies, seed)


def _story(places) -> tuple[str, tuple[str, ...], int]:
    """The language model, the sampling strategies, and the seed."""
    names = list(shared.models())
    default = names.index(shared.DEFAULT_MODEL) if shared.DEFAULT_MODEL in names else 0
    model = places[0].selectbox("Story model", names, default, key="model", bind="query-params")
    strategies = places[1].multiselect(
        "Sampled texts on the tree",
        [*STRATEGIES, CONTRASTIVE],
        ["Greedy", "Top-p 0.9"],
        key="bst",
        bind="query-params",
        help="One text by each, with the same seed. Contrastive: k 5, α 0.6 (Su et al. 2022).",
    )
    seed = places[2].number_input("Seed", 0, 9999, 0, key="bseed", bind="query-params")
    return model, tuple(strategies), seed


def keep_weights() -> None:
    """Callback of the ranking: one of its sliders was let go."""
    weights = (st.session_state.get(RANKING) or {}).get("weights")
    if weights:
        for name, field in WEIGHTS.items():
            field.keep(min(max(float(weights[name]), 0.0), LARGEST))


def share_weights() -> None:
    """Show the weights in the URL."""
    for field in WEIGHTS.values():
        field.share()
