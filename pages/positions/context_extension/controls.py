"""The controls of the page Context extension: text, scale, schemes, and the change of scale, as one Choice."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tlmviz.errors import BadConfig
from tlmviz.language_model import LanguageModel
from tlmviz.layers.scaling import SCALINGS, ScaledRoPE
from tlmviz.ui import compute, long_text, patience
from tlmviz.ui.long_text import Ids

TIMES = (1.5, 2, 3, 4)  # how often the training length is read
PLAIN, DYNAMIC = "Unscaled", "Dynamic NTK"
GROWN = "Dynamic NTK (rotated keys)"
SCHEMES = (*SCALINGS, GROWN)
DEFAULT_SCHEMES = ["Position interpolation", "NTK-aware", DYNAMIC, "YaRN"]
STATIC = tuple(name for name in SCALINGS if name not in (PLAIN, DYNAMIC))
SHARES = (0.25, 0.5, 0.75, 1.0)  # of the training length, after which the scale changes
AFTER = 256  # tokens read after a change of scale
SHORTEST_SWITCH = 4  # tokens of a text in whose middle the scale can change
DEFAULT_SCALE, LARGEST_SCALE = 3.0, 32.0


@dataclass(frozen=True)
class Choice:
    """A text that may be longer than the training length, the schemes that read it, and a change of scale within it."""

    model: str
    source: str  # of the text: long_text.SAMPLE or OWN
    text: str
    tokens: int  # of the whole text
    ids: Ids  # those that are read
    scale: float  # s = L' / L
    schemes: tuple[str, ...]  # the unscaled model first
    difference: bool  # losses are drawn as differences from the unscaled model's
    switch_to: str = STATIC[1]
    share: float = SHARES[-1]

    @property
    def lm(self) -> LanguageModel:
        """The model that reads."""
        return compute.model(self.model)

    @property
    def context(self) -> int:
        """The training length in tokens."""
        return self.lm.config.context

    @property
    def inside(self) -> Ids:
        """The ids within the training length."""
        return self.ids[: self.context]

    @property
    def smoothing(self) -> int:
        """Tokens of the running mean of a loss: a fifth of the training length, or of a text that is shorter."""
        return max(1, len(self.inside) // 5)

    @property
    def at(self) -> int:
        """Tokens read before the scale changes: of a text that ends before, the same share of its first half."""
        read = int(self.share * self.context)
        return read if read < len(self.ids) else max(1, int(self.share * len(self.ids) / 2))

    @property
    def around_switch(self) -> Ids:
        """The ids before the change of scale, and those read after it."""
        return self.ids[: self.at + AFTER]


def choose(model: str) -> Choice | None:
    """Text, length, scale and schemes; None when there is nothing to read yet, which a sentence says."""
    menu, box, times, scale, toggle = st.columns([0.28, 0.14, 0.21, 0.2, 0.17], vertical_alignment="center")
    source, text = long_text.source_menu(menu, box, "xsrc")
    length, factor = _length(model, times), _scale(scale)
    if text is None:
        return None
    schemes = _schemes()
    difference = toggle.toggle(
        "Change only",
        key="xdiff",
        bind="query-params",
        help="Subtract the unscaled model's loss, token by token",
    )
    ids = long_text.encoded(model, text)
    if len(ids) < 2:
        st.info("One token has no next one to predict; give a longer text.")
        return None
    choice = Choice(model, source, text, len(ids), ids[:length], factor, schemes, difference)
    return choice if _accepted(choice) else None


def _accepted(choice: Choice) -> bool:
    """Whether a reading is quick, or was asked for although it takes minutes: a sentence says how many, with a button."""
    read, schemes = len(choice.ids), len(choice.schemes)
    beyond = (
        ""
        if read > choice.context
        else f", and the text is not longer than its {choice.context:,} tokens, so nothing would lie beyond: paste a longer one"
    )
    return patience.accepted(
        ("context extension", choice.model, read, choice.schemes),
        patience.reading_time(choice.lm, read * schemes),
        f"{choice.model} would read {read:,} tokens under {schemes} schemes, which takes {{time}} on a CPU{beyond}. "
        "stories-rope shows the same in seconds.",
        "Read anyway",
    )


def choose_switch(choice: Choice) -> tuple[Choice, DeltaGenerator]:
    """The scheme that is switched to and after how many tokens, and a place for a sentence beside the menus."""
    scheme, after, note = st.columns([0.24, 0.24, 0.52], vertical_alignment="center")
    switch_to = scheme.selectbox(
        "Switch to", STATIC, index=1, key="xsw", bind="query-params", label_visibility="collapsed"
    )
    share = after.select_slider(
        "After",
        SHARES,
        1.0,
        key="xat",
        bind="query-params",
        label_visibility="collapsed",
        format_func=lambda share: f"after {share:.0%} of training length",
    )
    return replace(choice, switch_to=switch_to, share=share), note


def _length(model: str, place) -> int:
    """Tokens that are read: a multiple of the training length."""
    # What a menu shows is what the link holds, so it must not depend on the model.
    times = place.select_slider(
        "Tokens read",
        TIMES,
        3,
        key="xtimes",
        bind="query-params",
        format_func=lambda n: f"read {n:g} × training length",
        label_visibility="collapsed",
    )
    return int(times * compute.model(model).config.context)


def _scale(place) -> float:
    """The factor s = L' / L. For one that scales nothing a sentence says what is used instead."""
    with place, st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("*s*", width="content")
        scale = st.number_input(
            "Scale s",
            None,
            LARGEST_SCALE,
            DEFAULT_SCALE,
            0.5,
            key="xscale",
            bind="query-params",
            format="%g",
            label_visibility="collapsed",
            help="s = L′ / L: how many times the training length is to be read. The dynamic scheme chooses its own.",
        )
    try:
        return ScaledRoPE(2, scale=DEFAULT_SCALE if scale is None else scale).scale
    except BadConfig as error:
        st.warning(f"{error} {DEFAULT_SCALE:g} is used instead.")
        return DEFAULT_SCALE


def _schemes() -> tuple[str, ...]:
    """The unscaled model and what it is compared with, in the order of the menu."""
    picked = st.pills(
        "Schemes",
        SCHEMES[1:],
        selection_mode="multi",
        default=DEFAULT_SCHEMES,
        key="xs",
        bind="query-params",
        label_visibility="collapsed",
        wrap=True,
    )
    return PLAIN, *(name for name in SCHEMES if name in (picked or []))
