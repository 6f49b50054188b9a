"""Draws the page "One step of training": the picture of each method, and what a step costs."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tlmviz.analysis.words import one_step
from tlmviz.figures.words import step_costs as figures
from tlmviz.ui import frame

from . import compute, controls, words
from .component import payload, step_view
from .controls import BAG, NEGATIVE, SOFTMAX, TREE, Choice
from .tree import view as tree


def softmax(choice: Choice) -> None:
    """u_o - E[u] in the plane that it spans with u_o, and every word's probability."""
    pair, wv = compute.pair_of(choice), choice.wv
    step = compute.softmax_step(pair)
    target = wv.index(choice.context)
    axes = one_step.plane(step.gradient, step.outputs[target], step.v)
    spots = step.outputs @ axes.T
    flat = axes @ step.v
    header = {
        "mode": "softmax",
        "words": wv.vocabulary,
        "target": target,
        "v": flat.tolist(),
        "g": (axes @ step.gradient).tolist(),
        "shown": float(np.linalg.norm(flat) / np.linalg.norm(step.v)),
        "vv": float(step.v @ step.v),
        "vg": float(step.v @ step.gradient),
    }
    arrays = {"scores": step.scores, "toward": step.toward, "x": spots[:, 0], "y": spots[:, 1]}
    _picture(choice, header, arrays)


def negative(choice: Choice) -> None:
    """The word that was there, those that were drawn, and the line of the die."""
    wv, target = choice.wv, choice.wv.index(choice.context)
    arrays = _drawn(choice, [target])
    _picture(
        choice,
        {"mode": "negative", "words": wv.vocabulary, "target": target},
        {**arrays, "v": wv.vector(choice.center).numpy()},
    )


def bag(choice: Choice) -> None:
    """The mean of a window, and the word in its middle."""
    wv = choice.wv
    rows = [wv.index(word) for word in choice.text]
    arrays = {
        **_drawn(choice, rows),
        "read": wv.vectors[rows].numpy(),
        "rows": np.array(rows, np.uint16),
    }
    header = {"mode": "cbow", "words": wv.vocabulary, "text": list(choice.text), "radius": choice.window}
    _picture(choice, header, arrays)


def _drawn(choice: Choice, targets: list[int]) -> dict[str, np.ndarray]:
    """The throws, the output vectors of all words in them and of the targets, and the line."""
    wv, name = choice.wv, controls.MODELS[choice.part]
    numbers, drawn = compute.throws(name, choice.negatives, compute.first_throw(choice.seed))
    ids = np.unique([*drawn.ravel(), *targets])
    shares, ends = compute.lines(name)
    return {
        "numbers": numbers,
        "drawn": drawn.astype(np.uint16),
        "ids": ids.astype(np.uint16),
        "vectors": wv.context_vectors[ids].numpy(),
        "shares": shares,
        "ends": ends,
    }


def _picture(choice: Choice, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    title = words.title(choice)
    common = {
        "title": title,
        "center": choice.center,
        "context": choice.context,
        "first": compute.first_throw(choice.seed),
        "throws": controls.THROWS,
    }
    key = f"{controls.KEY}-{header['mode']}"
    data = payload({**common, **header}, arrays, controls.state(choice))
    with st.container(key="stepview"):
        step_view(data, key=key, on_change=partial(controls.keep, key))


PICTURES = {SOFTMAX: softmax, NEGATIVE: negative, BAG: bag, TREE: tree.show}


def costs(choice: Choice) -> None:
    """Operations counted and time measured, for all methods."""
    found = compute.costs(choice.negatives, compute.path_length(choice))
    frame.chart(figures.step_costs(found, frame.theme()), key="stepcosts", alt=words.STEPCOSTS_ALT)
    table = [
        {
            "A step of": cost.name,
            "Output vectors": cost.outputs,
            "Multiplications": cost.multiplications,
            "Time (µs)": words.time_range(cost.microseconds),
        }
        for cost in found
    ]
    st.dataframe(
        pd.DataFrame(table),
        hide_index=True,
        column_config={
            **{
                name: st.column_config.NumberColumn(format="localized")
                for name in ("Output vectors", "Multiplications")
            },
            "Time (µs)": st.column_config.TextColumn(help=words.IN_TURN),
        },
    )
    st.caption(words.cost_sentence(found))
