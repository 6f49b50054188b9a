"""Draws the page "Attention scores": maps side by side, one step from score to context, SDPA, and the table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from tlmviz.analysis.translation import score_steps
from tlmviz.figures.translation import score_steps as figures
from tlmviz.figures.translation.token_map import beside, token_map
from tlmviz.ui import frame, inputs, reading

from . import compute, words
from .controls import Choice

SCALES = np.geomspace(0.01, 10, 61)


def maps(choice: Choice) -> None:
    """Every model's map, with what it wrote; the last one has the colour bar of all."""
    count = len(choice.pairs)
    for number, (place, pair) in enumerate(zip(st.columns(beside(count)), choice.pairs), start=1):
        steps, score = compute.steps(pair), words.score_name(pair.mt.config)
        framed = (choice.common or pair is choice.pair) and choice.step < len(steps.a)
        figure = token_map(
            steps.a,
            pair.targets,
            pair.source,
            frame.theme(),
            title=f"{score.capitalize()} (probability)",
            chosen=choice.step if framed else None,
            bar=number == count,
            height=330,
        )
        alt = words.map_alt(pair.model)
        with place:
            frame.chart(figure, key=f"as-{pair.model}", alt=alt)
            text = "" if choice.common else inputs.plain(pair.mt.text(pair.translation)) or "(nothing)"
            st.caption(words.under_map(pair.mt.config, text, float(-steps.logp.mean())))


def step(choice: Choice) -> None:
    """From scores to weights to the context vector, for one written token of one model."""
    pair, steps, t, theme = choice.pair, choice.steps, choice.step, frame.theme()
    left, right = st.columns(2)
    with left:
        figure = figures.scores_and_weights(
            steps.scores[t],
            steps.a[t],
            pair.source,
            theme,
            title=words.scores_their_title(words.score_name(pair.mt.config), choice.token),
        )
        frame.chart(figure, key="asbars", alt=words.ASBARS_ALT)
    with right:
        figure = figures.mixture(
            steps.shares(t),
            steps.context[t],
            pair.source,
            theme,
            title=words.mixture_title(),
        )
        frame.chart(figure, key="asmix", alt=words.ASMIX_ALT)
    frame.caption(words.step(choice), maths=words.step_lengths(choice))


def table(choice: Choice) -> None:
    """Every model in numbers."""
    rows: list[dict] = []
    for pair, times in zip(choice.pairs, compute.timed(tuple(choice.pairs))):
        steps = compute.steps(pair)
        rows.append(
            {
                "Model": pair.model,
                "Score": words.in_table(pair.mt.config),
                "Loss (nats)": round(float(-steps.logp.mean()), 3),
                "Entropy (bits)": round(float(steps.entropy.mean()), 3),
                "Alignment error": compute.error_rate(pair.model),
                "Score (ms)": words.time_range(times.step),
                **({"Keys (ms)": words.time_range(times.prepare)} if reading.maths() else {}),
                "Parameters": compute.score_parameters(pair.model),
            }
        )
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        column_config={
            column: st.column_config.NumberColumn(format=form, help=help_)
            for column, (form, help_) in words.COLUMNS.items()
        }
        | {column: st.column_config.TextColumn(help=help_) for column, help_ in words.TIMES.items()},
    )


def entropies(choice: Choice) -> None:
    """The entropy of every model's weights, step by step."""
    names = [words.score_name(pair.mt.config) for pair in choice.pairs]
    bits = {name: compute.steps(pair).entropy for name, pair in zip(names, choice.pairs)}
    tokens = {name: pair.targets for name, pair in zip(names, choice.pairs)}
    figure = figures.entropy_lines(bits, tokens, len(choice.pair.source), frame.theme())
    frame.chart(figure, key="asbits", alt=words.ASBITS_ALT)


def special_case(choice: Choice) -> None:
    """Attention as SDPA's special case: both computed, and what the missing 1/√d would change."""
    st.markdown(words.SPECIAL_CASE_HEADING)
    pair = choice.product_pair
    if pair is None:
        st.caption(words.NO_PRODUCT)
        return
    steps = compute.steps(pair)
    size, t = steps.h.shape[1], min(choice.step, len(steps.a) - 1)
    attended, _ = score_steps.as_attention(steps)
    *bits, trained, scaled = score_steps.entropy_at(steps, np.array([*SCALES, 1.0, size**-0.5]))
    left, right = st.columns(2)
    with left:
        figure = figures.same_twice(steps.context[t], attended[t], frame.theme())
        frame.chart(figure, key="astwice", alt=words.ASTWICE_ALT)
    with right:
        marks = {
            "as trained, scale 1": (1.0, float(trained)),
            f"1/√{size}": (size**-0.5, float(scaled)),
        }
        figure = figures.scale_curve(SCALES, np.array(bits), marks, len(pair.source), frame.theme())
        frame.chart(figure, key="asscale", alt=words.ASSCALE_ALT)
    difference = float(np.abs(attended - steps.context).max())
    frame.caption(
        words.special_case(choice, pair, size, difference, trained, scaled),
        maths=words.operands(pair, difference),
    )
