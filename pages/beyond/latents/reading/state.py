"""The state of the part Reading digits: how many latents, which picture, and what was drawn, kept and muted."""

from __future__ import annotations

from tlmviz import digits, list_models
from tlmviz.errors import BadShape
from tlmviz.ui import link, state
from tlmviz.ui.language import N_

NAMES = {1: "digits-perceiver-1", 2: "digits-perceiver-2", 4: "digits-perceiver-4", 8: "digits-perceiver"}
MODELS = {latents: name for latents, name in NAMES.items() if name in list_models("digits")}
CELLS = digits.GRID**2
FIRST = 3  # the held-out picture that the page opens on
MOST = 381  # the last of them
EMPTY = "0" * digits.SIDE**2  # a cell without ink


def _picture(text: str) -> int:
    if (number := link.whole(0, 99_999)(text)) > MOST:
        raise ValueError(text)
    return number


def _drawn(text: str) -> tuple[str, ...]:
    """Nine cells: "" is the held-out digit, 64 letters are what was drawn in its place."""
    parts = tuple(text.split(".")) if text else ("",) * CELLS
    try:
        if len(parts) != CELLS:
            raise ValueError(text[:80])
        for part in filter(None, parts):
            digits.read(part)
    except BadShape as error:
        raise ValueError(text[:80]) from error
    return parts


def _written(drawn: tuple[str, ...]) -> str:
    return ".".join(drawn) if any(drawn) else ""


def _latents(text: str) -> tuple[int, ...]:
    return tuple(sorted(set(map(link.whole(0, 99), text.split("."))))) if text else ()


def _pin(text: str) -> tuple[int, int]:
    layer, latent = map(link.whole(0, 99), text.split("."))
    return layer, latent


def _another_picture() -> None:
    """What was drawn into the last one is gone."""
    Reading.drawn.set(("",) * CELLS)


def _another_model() -> None:
    """Its latents are others."""
    Reading.muted.set(())
    Reading.pin.set(None)


class Reading(state.State):
    """The model, the held-out picture, what was drawn into its cells, the cell that is looked at, latents that are
    muted, and which map is kept of which head."""

    latents = state.menu(N_("Latents (M)"), tuple(MODELS), key="latm", default=8, segments=True, changed=_another_model)
    picture = state.menu(
        N_("Held-out picture (those with most mistakes first)"),
        key="latd",
        default=FIRST,
        parse=_picture,
        changed=_another_picture,
    )
    drawn = state.live(
        "latpix",
        ("",) * CELLS,
        _drawn,
        _written,
        ends=((EMPTY, *[""] * 8), ("",) * 4 + ("0" * 32 + "g" * 32,) + ("",) * 4),
    )
    cell = state.live("latcell", 0, link.whole(0, CELLS - 1), ends=(0, CELLS - 1))
    muted = state.live("latmute", (), _latents, lambda latents: ".".join(map(str, latents)), ends=((2,), (0, 1, 2, 3)))
    pin = state.live("latpin", None, _pin, lambda pin: "{}.{}".format(*pin), ends=((1, 2),))
    head = state.live("lathead", 0, link.whole(0, 8), ends=(1, 4))  # from 1; 0 is the mean of all
