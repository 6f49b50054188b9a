"""The state of the part Reading a digit: how many latents, which digit, and what was drawn, kept and muted."""

from __future__ import annotations

from tlmviz import digits, list_models
from tlmviz.errors import BadShape
from tlmviz.ui import link, state
from tlmviz.ui.language import N_

NAMES = {4: "digits-perceiver-4", 8: "digits-perceiver", 16: "digits-perceiver-16"}
MODELS = {latents: name for latents, name in NAMES.items() if name in list_models("digits")}
FIRST = 3  # the held-out digit that the page opens on
MOST = 381  # the last of them


def _digit(text: str) -> int:
    if (number := link.whole(0, 99_999)(text)) > MOST:
        raise ValueError(text)
    return number


def _pixels(text: str) -> str:
    try:
        digits.read(text)
    except BadShape as error:
        raise ValueError(text[:80]) from error
    return text


def _latents(text: str) -> tuple[int, ...]:
    return tuple(sorted(set(map(link.whole(0, 99), text.split("."))))) if text else ()


def _pin(text: str) -> tuple[int, int]:
    layer, latent = map(link.whole(0, 99), text.split("."))
    return layer, latent


def _another_digit() -> None:
    """What was drawn over the last one is gone."""
    Reading.pixels.set("")


def _another_model() -> None:
    """Its latents are others."""
    Reading.muted.set(())
    Reading.pin.set(None)


class Reading(state.State):
    """The model, the held-out digit or what was drawn over it, latents that are muted, and which map is kept of which head."""

    latents = state.menu(
        N_("Latents (M)"), tuple(MODELS), key="latm", default=8, segments=True, changed=_another_model
    )
    digit = state.menu(
        N_("Held-out digit (those it reads wrong first)"),
        key="latd",
        default=FIRST,
        parse=_digit,
        changed=_another_digit,
    )
    pixels = state.live(
        "latpix", "", lambda text: _pixels(text) if text else "", ends=("0" * 64, "0" * 32 + "g" * 32)
    )
    muted = state.live(
        "latmute", (), _latents, lambda latents: ".".join(map(str, latents)), ends=((2,), (0, 1, 2, 3))
    )
    pin = state.live("latpin", None, _pin, lambda pin: "{}.{}".format(*pin), ends=((1, 2),))
    head = state.live("lathead", 0, link.whole(0, 8), ends=(1, 4))  # from 1; 0 is the mean of all
