"""The controls of the part "Reading a digit": how many latents, which digit, and what was drawn, kept and muted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st
from jaxtyping import Float

from tlmviz import digits, list_models
from tlmviz.errors import BadShape
from tlmviz.ui import frame, link

KEY = "latentsview"
NAMES = {4: "digits-perceiver-4", 8: "digits-perceiver", 16: "digits-perceiver-16"}
MODELS = {latents: name for latents, name in NAMES.items() if name in list_models("digits")}
FIRST = 3  # the held-out digit that the page opens on
_SEQUENCE = f"{link.SLOT}latents_sequence"  # session: number of the picture's last message
_DIGIT = f"{link.SLOT}latents_digit"  # session: the digit that was drawn over
_ORIGIN = f"{link.SLOT}latents_origin"  # session: model and digit that the picture shows
_MODEL = f"{link.SLOT}latents_model"  # session: the model whose latents were muted

Pin = tuple[int, int]


def _pixels(text: str) -> str:
    """A picture's letters; raises ValueError."""
    try:
        digits.read(text)
    except BadShape as error:
        raise ValueError(text[:80]) from error
    return text


def _latents(text: str) -> tuple[int, ...]:
    """Latents such as 0.3.5; raises ValueError."""
    return tuple(sorted({int(part) for part in text.split(".")}))


def _pin(text: str) -> Pin | None:
    [pair] = link.pairs(text)
    return pair


PIXELS: link.Field[str] = link.Field("latpix", "", _pixels)
MUTED: link.Field[tuple[int, ...]] = link.Field(
    "latmute", (), _latents, lambda latents: ".".join(map(str, latents))
)
PIN: link.Field[Pin | None] = link.Field("latpin", None, _pin, lambda pin: link.write_pairs([pin]))
HEAD = link.Field("lathead", 0, link.whole(0, 8))


@dataclass(frozen=True)
class Choice:
    """The model, the held-out digit, its 64 letters or those of what was drawn over it, the latents that are muted, and what
    the picture shows: a head (from 1; 0 is their mean) and a map that is kept."""

    model: str
    digit: int
    pixels: str
    drawn: bool
    muted: tuple[int, ...] = ()
    head: int = 0
    pin: Pin | None = None

    @property
    def image(self) -> Float[np.ndarray, "8 8"]:
        """The picture."""
        return digits.read(self.pixels)

    @property
    def truth(self) -> int | None:
        """What the digit is; None for a drawing."""
        return None if self.drawn else int(digits.held_out().labels[self.digit])

    @property
    def origin(self) -> str:
        """Names what the picture starts from."""
        return f"{self.model} {self.digit}"

    @property
    def sequence(self) -> int:
        """Number of the last message of the picture."""
        return st.session_state.get(_SEQUENCE, 0)


def choose() -> Choice:
    """Draw the controls and return what they say."""
    from . import compute  # it takes a Choice, and the menu says what each digit is read as

    with frame.picture_first():
        some, which = st.columns([0.3, 0.7], vertical_alignment="bottom")
    number = some.segmented_control(
        "Latents (M)", list(MODELS), default=8, key="latm", bind="query-params", required=True
    )
    model = MODELS[int(number)]
    order = compute.wrong_first(model)
    digit = link.menu(
        which, "Held-out digit (those it reads wrong first)", order, "latd", default=FIRST,
        show=lambda index: compute.named(model, index),
    )  # fmt: skip
    if st.session_state.setdefault(_DIGIT, digit) != digit:  # what was drawn over it is gone
        st.session_state[_DIGIT] = digit
        PIXELS.keep("")
    if st.session_state.setdefault(_MODEL, model) != model:  # its latents are others
        st.session_state[_MODEL] = model
        MUTED.keep(())
        PIN.keep(None)
    config = compute.reader(model).config
    pin = PIN.get()
    if pin and not (0 <= pin[0] < config.n_layers and 0 <= pin[1] < config.n_latents):
        PIN.keep(None)
    MUTED.keep(tuple(latent for latent in MUTED.get() if 0 <= latent < config.n_latents))
    HEAD.keep(min(HEAD.get(), config.n_heads))
    for field in (PIXELS, MUTED, PIN, HEAD):
        field.share()
    drawn = PIXELS.get()
    choice = Choice(
        model, digit, drawn or digits.written(digits.held_out().images[digit]), bool(drawn), MUTED.get(), HEAD.get(), PIN.get()
    )  # fmt: skip
    st.session_state[_ORIGIN] = choice.origin
    return choice


def keep() -> None:
    """Callback of the picture: something was drawn, or another head, map or muted latent is chosen."""
    message: dict[str, Any] | None = (st.session_state.get(KEY) or {}).get("latents")
    if not message or message["origin"] != st.session_state.get(_ORIGIN):
        return
    st.session_state[_SEQUENCE] = int(message["seq"])
    if message["pixels"] is not None:
        PIXELS.keep(_pixels(str(message["pixels"])))
    MUTED.keep(tuple(int(latent) for latent in message["muted"]))
    HEAD.keep(int(message["head"]))
    PIN.keep((int(message["pin"][0]), int(message["pin"][1])) if message["pin"] else None)
