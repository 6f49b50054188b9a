"""What the page "Attention scores" keeps: the recurrent models, the translations that they read, and what is measured."""

from __future__ import annotations

import time
from dataclasses import dataclass

import streamlit as st

from tlmviz.analysis.translation import score_steps
from tlmviz.analysis.translation.score_steps import Steps, Times
from tlmviz.checks import Check, measure, translation_scores
from tlmviz.errors import BadText
from tlmviz.translator import Translator
from tlmviz.ui import compute, inputs
from tlmviz.ui import translation as translation_state
from tlmviz.ui.translation import Read

OWN, COMMON = "Each its own", "One for all"
FORMULAS = {"dot": "h·z", "general": "h W z", "additive": "v·tanh(W₁h + W₂z)"}
ORDER = tuple(FORMULAS)


@dataclass(frozen=True)
class Shown:
    """What every model reads, the model that is looked into, and the step of its translation."""

    reads: dict[str, Read]
    inside: str
    step: int
    common: bool

    @property
    def steps(self) -> Steps:
        """The pass of the model that is looked into."""
        return passed(self.reads[self.inside])

    @property
    def token(self) -> str:
        """The token that the step writes."""
        return self.reads[self.inside].wanted[self.step].strip()


def recurrent() -> list[str]:
    """The bundled recurrent translation models, in the order of the notes, the one with coverage last."""
    configs = {name: translation_state.model(name).config for name in translation_state.models()}
    return sorted(
        (name for name, config in configs.items() if config.kind == "seq2seq"),
        key=lambda name: (configs[name].coverage, ORDER.index(configs[name].score), name),
    )


def formula(name: str) -> str:
    """A model's score as a short formula."""
    config = translation_state.model(name).config
    return "v·tanh(W₁h + W₂z + w c)" if config.score.coverage else FORMULAS[config.score.kind]


def label(name: str) -> str:
    """A model in one or two words."""
    config = translation_state.model(name).config
    return "additive + coverage" if config.score.coverage else config.score.kind


def controls(names: list[str], chosen: str, text: str) -> Shown:
    """Whose translation is read, the model to look into and the step. Raises BadText for a translation that is too long."""
    kind, typed, inside, step = st.columns([0.24, 0.32, 0.24, 0.2], vertical_alignment="center")
    mode = kind.segmented_control(
        "Translation",
        (OWN, COMMON),
        default=OWN,
        key="asone",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    with st.spinner("Translating …", show_time=True):
        if mode == COMMON:
            first = common_read(names[0], text, chosen, typed)
            reads = {name: retold(name, first) for name in names}
        else:
            typed.caption("Each model reads what it wrote itself, with a beam of 5.")
            reads = {name: Read(name, text, translation_state.own_translation(name, text)) for name in names}
    if st.session_state.get("asin") not in names:
        st.session_state["asin"] = chosen if chosen in names else names[0]
    name = inside.selectbox(
        "Look into",
        names,
        key="asin",
        bind="query-params",
        label_visibility="collapsed",
        help="The model to look into.",
    )
    return Shown(
        reads,
        name,
        inputs.token_menu(step, "Target token", reads[name].wanted, "write", "astok", 1),
        mode == COMMON,
    )


def common_read(name: str, text: str, writer: str, place) -> Read:
    """The one translation that all models read: typed, or written by the model of the sidebar. Raises BadText."""
    mt, author = translation_state.model(name), translation_state.model(writer)
    own = author.text(translation_state.own_translation(writer, text))
    typed = place.text_input(
        "French translation",
        key="edfr",
        bind="query-params",
        live="150ms",
        label_visibility="collapsed",
        placeholder=f"{own}   (by {writer}; type another)",
    )
    ids = mt.encode_target(typed or "") or mt.encode_target(own)
    if len(ids) >= mt.config.context:
        raise BadText(
            f"This translation has {len(ids):,} tokens; the models read up to {mt.config.context - 1}: shorten it."
        )
    return Read(name, text, (*ids, mt.tokenizer.end_of_text))


def retold(name: str, read: Read) -> Read:
    """The same translation in the ids of another model."""
    mt = translation_state.model(name)
    return Read(
        name, read.text, (*mt.encode_target(read.mt.text(read.translation)), mt.tokenizer.end_of_text)
    )


def translator(name: str) -> Translator:
    """A loaded model."""
    return translation_state.model(name)


@st.cache_resource(max_entries=32, show_spinner=False)
def passed(read: Read) -> Steps:
    """All states, scores and weights of one pass."""
    return compute.run_in_worker(
        lambda: score_steps.read(read.mt, read.text, list(read.translation)), compute.about(read.text)
    )


@st.cache_data(max_entries=32, show_spinner=False)
def timed(read: Read) -> tuple[Times, float]:
    """Milliseconds of the score alone (medians), and of one whole translation with a beam of 5."""
    steps = passed(read)

    def work() -> tuple[Times, float]:
        score, start = score_steps.times(read.mt, steps), time.perf_counter()
        read.mt.search(read.text)
        return score, 1000 * (time.perf_counter() - start)

    return compute.run_in_worker(work, compute.about(read.text))


def error_rate(name: str) -> float | None:
    """Alignment error rate against the alignments made by hand; None where they are not installed."""
    found = translation_state.alignment_errors(name)
    return None if found is None else float(found[1][0])


@st.cache_resource(max_entries=64, show_spinner=False)
def checks(read: Read) -> list[Check]:
    """The identities behind this page, on this sentence and translation."""
    steps = passed(read)
    return compute.run_in_worker(
        lambda: measure(translation_scores, read.mt, steps), compute.about(read.text)
    )
