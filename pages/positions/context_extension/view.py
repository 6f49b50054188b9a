"""Draws the page Context extension: losses and frequencies of each scheme, and a change of scale with a full cache."""

from __future__ import annotations

import time

import numpy as np
import streamlit as st

from tlmviz.analysis.positions.context_extension import (
    RECOMPUTED,
    Switch,
    frequency_ratios,
    inside_and_beyond,
)
from tlmviz.figures.positions import context_extension as figures
from tlmviz.ui import frame, inputs

from . import compute, words
from .controls import DYNAMIC, GROWN, PLAIN, SCHEMES, Choice

DASHED = (DYNAMIC, GROWN)  # they follow the text: at its end they may lie on NTK-aware
PATIENCE = 0.8  # seconds without a new curve
LAST_TOKENS = 14  # before the change of scale that are quoted

Losses = dict[str, np.ndarray]


def picture(choice: Choice) -> Losses:
    """Loss along the text, and beside it what each scheme does to the frequencies; returns the losses."""
    (left, right), note = st.columns([0.62, 0.38], gap="small"), st.empty()
    with right:
        _frequencies(choice)
    with left:
        losses = _losses(choice)
    note.caption(words.about(choice))
    return losses


def _colors() -> dict[str, str]:
    """Each scheme's colour, the same in both charts."""
    return figures.palette(list(SCHEMES), frame.theme(), PLAIN)


def _frequencies(choice: Choice) -> None:
    ratios = frequency_ratios(choice.lm.config, choice.scale, len(choice.ids))
    wavelengths = 2 * np.pi / compute.positions(choice, PLAIN).unscaled().numpy()
    figure = figures.frequencies(
        {scheme: ratios[scheme] for scheme in choice.schemes if scheme in ratios},
        wavelengths,
        choice.context,
        frame.theme(),
        colors=_colors(),
        dashed=DASHED,
    )
    frame.chart(figure, key="xfreq", alt=words.XFREQ_ALT)


def _losses(choice: Choice) -> Losses:
    """Every scheme's losses, one after the other, so that others get their turn; those there are, are drawn meanwhile."""
    picture, spinner = st.empty(), st.empty()
    losses, drawn_at, schemes = {}, time.monotonic(), choice.schemes
    for count, scheme in enumerate(schemes, 1):
        sentence = f"Reading {len(choice.ids):,} tokens: {scheme} ({count} of {len(schemes)}) …"
        with spinner, st.spinner(sentence, show_time=True):
            losses[scheme] = compute.losses(choice, scheme)
        if time.monotonic() - drawn_at > PATIENCE and count < len(schemes):
            _draw(choice, losses, picture)
            drawn_at = time.monotonic()
    spinner.empty()
    _draw(choice, losses, picture)
    return losses


def _draw(choice: Choice, losses: Losses, place) -> None:
    title = words.CHANGE_TITLE if choice.difference else words.LOSS_TITLE
    figure = figures.loss_lines(
        losses,
        choice.context,
        frame.theme(),
        width=choice.smoothing,
        colors=_colors(),
        title=title,
        dotted=PLAIN,
        dashed=DASHED,
        change=choice.difference,
        fixed_by=None if choice.difference else PLAIN,
    )
    with place:  # a key names one chart of a run, and while curves are missing this is another chart
        key = "xloss" if len(losses) == len(choice.schemes) else f"xloss-{len(losses)}"
        frame.chart(figure, key=key, alt=words.draw_alt(title))


def table(choice: Choice, losses: Losses) -> None:
    """Losses and frequencies of every scheme in numbers."""
    plain = inside_and_beyond(losses[PLAIN], choice.context)
    rows = [_row(choice, scheme, loss, plain) for scheme, loss in losses.items()]
    within, beyond = words.columns(choice.context)
    formats = {name: ".3f" for name in rows[0] if name != "Scheme"}
    frame.table(
        rows,
        formats | {words.CHANGE_WITHIN: "+.3f", words.CHANGE_BEYOND: "+.3f"},
        words.helps(within, beyond),
    )


def _row(choice: Choice, scheme: str, loss: np.ndarray, plain: tuple[float, float]) -> dict[str, object]:
    """One scheme's line of the table, with the unscaled model's losses to compare with."""
    inside, beyond = inside_and_beyond(loss, choice.context)
    positions = compute.positions(choice, scheme)
    ratio = positions.frequencies(len(choice.ids)) / positions.unscaled()
    first, second = words.columns(choice.context)
    return {
        "Scheme": scheme,
        first: inside,
        words.CHANGE_WITHIN: inside - plain[0],
        second: beyond,
        words.CHANGE_BEYOND: beyond - plain[1],
        words.FASTEST: float(ratio[0]),
        words.SLOWEST: float(ratio[-1]),
        words.SCORES: positions.attention_factor**2,
    }


@frame.saying_errors
def switch(choice: Choice) -> None:
    """A scale that changes while the cache is full: three ways to go on, their loss, and what the model writes."""
    with st.spinner(words.READING, show_time=True):
        result = compute.switch(choice)
    left, right = st.columns([0.56, 0.44])
    with left:
        _loss_after(choice, result)
    with right:
        _texts_after(choice, result)
    frame.caption(words.WHY_ROTATED_KEYS_FAIL, maths=words.WHY_MATHS)


def _loss_after(choice: Choice, result: Switch) -> None:
    theme = frame.theme()
    figure = figures.loss_lines(
        result.losses,
        choice.at,
        theme,
        width=min(32, len(choice.around_switch) - choice.at),
        colors=figures.palette(list(result.losses), theme, RECOMPUTED),
        title=words.LOSS_AFTER_TITLE,
        start=choice.at - 1,
        mark="",
        dotted=RECOMPUTED,
        height=330,
    )
    frame.chart(figure, key="xswitch", alt=words.XSWITCH_ALT)


def _texts_after(choice: Choice, result: Switch) -> None:
    last = choice.lm.tokenizer.decode(list(choice.ids[: choice.at][-LAST_TOKENS:]))
    st.caption(f"What {choice.model} writes after … *{inputs.plain(last).strip()}*")
    for way, losses in result.losses.items():
        sentence = words.way(way, losses.mean(), result.divergence[way].mean())
        st.markdown(sentence, help=words.WAYS[way])
        st.code(result.texts[way].strip() or words.STORY_ENDS, language=None, wrap_lines=True)
