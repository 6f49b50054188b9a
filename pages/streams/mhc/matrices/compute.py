"""Computes the view "Matrices" of the page mHC, cached: what is sent to the picture, extremes, distances, permutations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st
import torch

from pages.streams.mhc import compute as page
from pages.streams.mhc.controls import Reading
from tlmviz.analysis.streams.birkhoff import TOLERANCE, Decomposition, birkhoff
from tlmviz.errors import BadShape
from tlmviz.kernels import sinkhorn_errors
from tlmviz.ui import reading as reading_level

from .component import payload
from .controls import Choice, made_in_picture
from .words import DISTANCES

_SENT = "_sm_sent"  # session: the reading and the bytes that were sent last


@dataclass(frozen=True)
class Extremes:
    """What stands out among the matrices H_res of all sublayers and tokens."""

    mixing: float  # the largest entry off the diagonal, in absolute value
    mixing_sublayer: str
    mixing_token: int
    spread: float  # the largest standard deviation of an entry over tokens
    spread_sublayer: str
    row_error: float  # how far a row sum is from 1 at most
    column_error: float
    least_row: float  # row sums
    largest_row: float
    least_entry: float


@st.cache_resource(max_entries=16, show_spinner=False)
def extremes(reading: Reading) -> Extremes:
    """The extremes of a text's matrices."""
    res, names = page.mixing(reading).res, reading.sublayers  # [P, T, N, N]
    off = res.masked_fill(torch.eye(res.shape[-1], dtype=torch.bool), 0.0).abs()
    sublayer, token = divmod(int(off.amax((-2, -1)).argmax()), res.shape[1])
    spread = res.std(1, correction=0).amax((-2, -1))
    rows, columns = sinkhorn_errors(res)
    sums = res.sum(-1)
    return Extremes(
        float(off.max()),
        names[sublayer],
        token,
        float(spread.max()),
        names[int(spread.argmax())],
        float(rows.max()),
        float(columns.max()),
        float(sums.min()),
        float(sums.max()),
        float(res.min()),
    )


@st.cache_resource(max_entries=16, show_spinner=False)
def distances(reading: Reading) -> dict[str, np.ndarray]:
    """The Frobenius distances of every H_res, [P, T], by the names of DISTANCES."""
    res = page.mixing(reading).res
    identity = torch.eye(res.shape[-1])
    origins = (identity, torch.full_like(identity, 1 / len(identity)), res.mean(1, keepdim=True))
    return {name: torch.linalg.matrix_norm(res - origin).numpy() for name, origin in zip(DISTANCES, origins)}


def permutations(choice: Choice) -> Decomposition | None:
    """The matrix looked at as an average of permutations; None where it is not doubly stochastic."""
    matrix = page.mixing(choice.reading).res[choice.sublayer, choice.token].double()
    try:
        return birkhoff(matrix)
    except BadShape:
        return None


def sent(choice: Choice) -> bytes:
    """What the picture is sent: the same bytes again where the choice was made in it, as it needs no word of that."""
    last = st.session_state.get(_SENT)
    if last is not None and last[0] == (choice.reading, reading_level.maths()) and made_in_picture():
        return last[1]
    reading, maths = choice.reading, reading_level.maths()
    data = payload(
        page.mixing(reading),
        reading.tokens,
        reading.sublayers,
        choice.state(),
        kind=reading.connection.kind,
        model=reading.model,
        tolerance=TOLERANCE,
        maths=maths,
    )
    st.session_state[_SENT] = (reading, maths), data
    return data
