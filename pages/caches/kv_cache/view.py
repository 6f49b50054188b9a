"""The views of the page "KV cache" that run our own models."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from tlmviz.analysis.caches import cost, decode_steps
from tlmviz.analysis.caches.cost import Shape
from tlmviz.errors import Error
from tlmviz.figures.caches import kv_cache, kv_costs
from tlmviz.ui import compute, frame, inputs

from . import compute as cache_state
from . import words as cache_words
from .compute import SIDE_BY_SIDE, Asked

PARTS = ("keys", "values", "c_KV", "k^R")


def token_by_token(name: str, text: str, asked: Asked) -> None:
    """The map, the kept rows and the bytes, walked in the browser."""
    found = cache_state.generation(name, text, asked)
    if found is None:
        return
    done, checks = found
    config, lm = compute.model(name).config, compute.model(name)
    flops = [
        tuple(cost.step_flops(config, done.prompt + step, cached).total for cached in (True, False))
        for step in range(done.steps + 1)
    ]
    length = len(done.ids)
    part = "" if length <= kv_cache.LONGEST else f"; the last {kv_cache.LONGEST} of {length:,} positions"
    title = f"{name} ({Shape.of(config).kind}), layer {asked.layer}, head {asked.head}{part}"
    figure = kv_cache.steps(done, flops, frame.theme(), title=title)
    with st.container(key="wide"):
        alt = "The attention map filled row by row, the kept keys and values, and each layer's memory, walked by a slider"
        frame.chart(figure, key="decode", alt=alt)
    words = "".join(done.tokens[done.prompt :]).replace("<|endoftext|>", " ⟨end⟩")
    more = []
    if done.ids[-1] == lm.tokenizer.end_of_text and done.steps < asked.tokens:
        more.append(f"The model ended its text after {done.steps} of {asked.tokens} tokens.")
    if length > config.context:
        more.append(f"Positions from {config.context:,} on lie beyond the length it was trained on.")
    st.caption(f"Generated: {inputs.plain(words)}" + "  \n" * bool(more) + " ".join(more))
    frame.badges(checks)
    end(asked.view, cache_words.decode_snippet(name, text, asked, done))


def with_and_without(name: str, text: str, asked: Asked) -> None:
    """Time, measured, and operations, by formula, with the cache and without."""
    found = cache_state.generation(name, text, asked)
    if found is None:
        return
    done, config, theme = found[0], compute.model(name).config, frame.theme()
    length = len(done.ids)
    with st.spinner("Measuring each token with the cache and without …"):
        timing = cache_state.timed(name, tuple(done.ids), done.prompt)
    lengths = np.unique(np.geomspace(1, max(4 * config.context, length), 60).astype(int))
    ways = {
        decode_steps.WITH: (True, True),
        decode_steps.WITHOUT: (False, True),
        decode_steps.NAIVE: (True, False),
    }
    flops = {
        way: np.array([cost.step_flops(config, int(at), *how).total for at in lengths], np.float64)
        for way, how in ways.items()
        if way in timing.ways
    }
    left, right = st.columns(2)
    with left:
        figure = kv_costs.milliseconds(timing.ways, timing.rounds, theme)
        frame.chart(figure, key="kvtime", alt="Measured milliseconds per token with the cache and without")
    with right:
        figure = kv_costs.operations(lengths, flops, length, theme)
        frame.chart(figure, key="kvflops", alt="Operations per token by formula, with the cache and without")
    here = {way: cost.step_flops(config, length, *ways[way]).total for way in flops}
    rows = [
        {
            "Per token": way,
            "ms, measured": float(np.median(timing.ways[way][1])),
            "FLOP, formula": float(here[way]),
            "× with the cache": here[way] / here[decode_steps.WITH],
        }
        for way in flops
    ]
    number = st.column_config.NumberColumn
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        column_config={
            "ms, measured": number(format="%.2f", help="Median over the tokens"),
            "FLOP, formula": number(format="compact", help="Of the last token"),
            "× with the cache": number(format="%.1f"),
        },
    )
    rounds = "one round" if timing.rounds == 1 else f"the median of {timing.rounds} rounds"
    st.caption(
        f"{length:,} positions, {done.steps} of them generated. Milliseconds: {rounds}, measured when this was first shown; "
        "other work on the server shows in them. Operations: products of matrices, by formula."
    )
    end(asked.view, cache_words.cost_snippet(name, text, asked, done))


def side_by_side(text: str) -> None:
    """Real caches of several models at one length."""
    left, right = st.columns([0.74, 0.26], vertical_alignment="bottom")
    chosen = left.multiselect(
        "Models",
        list(cache_state.configs()),
        default=cache_state.family(),
        key="kmods",
        bind="query-params",
        label_visibility="collapsed",
        placeholder="Choose models to compare",
    )
    length = right.select_slider(
        "Tokens in the cache", cache_state.LENGTHS, 256, key="klen", bind="query-params"
    )
    sized = {}
    for name in chosen:
        try:
            sized[name] = cache_state.sized(name, text, length)
        except Error as error:
            st.warning(f"{name} is left out: {error}")
    if not sized:
        st.info("No model is chosen; choose at least one.")
        return
    theme, models = frame.theme(), {name: Shape.of(cache_state.configs()[name]) for name in sized}
    formula = np.array([cost.cache_bytes(shape, length) / length for shape in models.values()])
    real = {name: float(one.nbytes[-1]) for name, one in sized.items()}
    shares = {name: _shares(shape) for name, shape in models.items()}
    parts = {
        part: np.array([real[name] / length * shares[name].get(part, 0.0) for name in sized])
        for part in PARTS
    }
    lengths = np.arange(1, length + 1)
    lines = {
        name: np.array([cost.cache_bytes(shape, int(at)) for at in lengths]) for name, shape in models.items()
    }
    one, two = st.columns(2)
    with one:
        names = [f"{name}<br>{shape.kind}" for name, shape in models.items()]
        figure = kv_costs.token_bytes(names, parts, formula, length, theme)
        frame.chart(
            figure, key="kvbytes", alt="Bytes per token of each model's cache, measured and by formula"
        )
    with two:
        dots = {name: (one.lengths, one.nbytes) for name, one in sized.items()}
        frame.chart(
            kv_costs.growth(lengths, lines, dots, theme),
            key="kvgrowth",
            alt="Bytes of each cache against its length",
        )
    st.caption(
        "Dots and bars: `nbytes` of real caches, filled with your text. Diamonds and lines: the formula."
    )
    _size_table(
        models, real, formula * length, {name: one.milliseconds for name, one in sized.items()}, length
    )
    end(SIDE_BY_SIDE, cache_words.size_snippet(list(sized), text, length))


def _shares(shape: Shape) -> dict[str, float]:
    """What of a cached line is what."""
    if shape.latent is None:
        return {"keys": 0.5, "values": 0.5}
    return {
        "c_KV": shape.latent / shape.numbers_per_token_per_layer,
        "k^R": shape.rope / shape.numbers_per_token_per_layer,
    }


def _size_table(
    models: dict[str, Shape], real: dict, formula: np.ndarray, times: dict[str, float], length: int
) -> None:
    rows = [
        {
            "Model": name,
            "Attention": shape.kind,
            "Kept per token and layer": line(shape),
            "nbytes": real[name],
            "By formula": by_formula,
            "Equal": "✓" if real[name] == by_formula else "✗",
            "nbytes ÷ tokens": real[name] / length,
            "ms per token, measured": times[name],
        }
        for (name, shape), by_formula in zip(models.items(), formula)
    ]
    number = st.column_config.NumberColumn
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        column_config={
            "nbytes": number(format="localized"),
            "By formula": number(format="localized"),
            "nbytes ÷ tokens": number(format="localized"),
            "ms per token, measured": number(
                format="%.2f", help=f"Median of {cache_state.TIMED} steps, when first shown"
            ),
        },
    )


def line(shape: Shape) -> str:
    """What is kept per token and layer, as a sum."""
    if shape.latent is not None:
        return f"{shape.latent} + {shape.rope} = {shape.numbers_per_token_per_layer:,}"
    return f"2 · {shape.groups} · {shape.head_dim} = {shape.numbers_per_token_per_layer:,}"


def end(view: str, code: str) -> None:
    """What to notice, the formula with its source, and code that does the same."""
    frame.what_to_notice(*cache_words.POINTS[view])
    frame.equation(*cache_words.EQUATIONS[view])
    frame.copy_as_python(code)
