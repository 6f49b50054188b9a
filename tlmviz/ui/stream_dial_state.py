"""What the Sinkhorn dial keeps: the logits of every sublayer, the matrix of one's own, and where the dial stands, in the URL."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st
import torch

from tlmviz.analysis import scaling_support, streams
from tlmviz.analysis.scaling_support import Support
from tlmviz.errors import Error

from . import compute, stream_state
from .stream_dial_view import ITERATIONS

KEY = "streamdial"
SOURCES = ("Model’s logits", "Own matrix")
KINDS = {"Logits": "logits", "Entries ≥ 0": "entries"}
COLDEST, HOTTEST = 0.05, 20.0
LONGEST = 8000  # characters of a typed matrix: 16 × 16 numbers of 30 each
# Name -> what it shows, how its numbers are read, the numbers.
PRESETS = {
    "As mHC starts": ("0 on the diagonal, −4 off it", "Logits", "0 -4 -4 -4\n-4 0 -4 -4\n-4 -4 0 -4\n-4 -4 -4 0"),
    "Mixed": ("Any positive matrix has exactly one scaling", "Entries ≥ 0", "4 1 2\n1 3 1\n5 1 1"),
    "Slow": ("A nearly triangular matrix: the rate is close to 1", "Entries ≥ 0", "1 1 1\n0.02 1 1\n0.02 0.02 1"),
    "Two blocks": ("Two scalings side by side", "Entries ≥ 0", "1 5 0 0\n3 1 0 0\n0 0 1 4\n0 0 2 1"),
    "Triangle": ("Support, but not total: what is above the diagonal goes to 0", "Entries ≥ 0", "1 1 1\n0 1 1\n0 0 1"),
    "No support": ("Two rows share one column: no scaling exists", "Entries ≥ 0", "1 2 3\n0 4 0\n0 5 0"),
    "A row of zeros": ("Nothing brings its sum to 1", "Entries ≥ 0", "0 0 0\n1 2 3\n4 5 6"),
    "Logits of 1e4": ("exp overflows; logarithms do not", "Logits", "1e4 9999 0\n-1e4 -9999 3\n5 1 1e4"),
    "16 × 16": ("The largest: logits fall with the distance from the diagonal", "Logits",
                "\n".join(" ".join(f"{-abs(i - j) / 2:g}" for j in range(16)) for i in range(16))),
}  # fmt: skip
FIRST = "Mixed"


@dataclass(frozen=True)
class Own:
    """A typed matrix that could be read: its text and words, its logits [N, N], and what can be done with it."""

    text: str
    kind: str
    words: list[list[str]]
    logits: np.ndarray
    support: Support


@st.cache_resource(max_entries=16, show_spinner=False)
def logits(name: str, text: str) -> torch.Tensor | None:
    """What Sinkhorn makes H_res of, at every sublayer and token, [P, T, N, N]; None for models without."""
    trace = compute.trace(name, text)
    places = [f"{place}.logits" for place in streams.places(trace.n_layers)]
    if places[0] not in trace.tap_names:
        return None
    found = compute.alone(text, lambda: trace.tensors(places))
    return torch.cat([found[place] for place in places])


def read(text: str, kind: str) -> Own:
    """A matrix as it was typed. Raises BadShape."""
    values = scaling_support.parse(text, kind)
    return Own(text, kind, scaling_support.words(text), values, scaling_support.support(values > -np.inf))


def own_matrix(places) -> Own:
    """The controls of a matrix of one's own, and the last one that could be read; what is wrong is said in a sentence."""
    how, menu, box = places
    label = how.segmented_control(
        "Numbers are", list(KINDS), default="Entries ≥ 0", key="sdk", bind="query-params", required=True,
        label_visibility="collapsed",
        help="Logits: the matrix is exp of the numbers. Entries: the numbers are the matrix; none may be negative.",
    )
    with menu.popover("Presets", width="stretch"):
        for name, (help_, *_) in PRESETS.items():
            st.button(name, key=f"sd-{name}", help=help_, on_click=write, args=PRESETS[name][1:], width="stretch")
    with box.popover("Type or paste", width="stretch"):
        text = st.text_area(
            "Matrix: numbers with spaces, a line for each row", PRESETS[FIRST][2], key="sdm", bind="query-params", height=220,
            max_chars=LONGEST, help="Commas, semicolons and brackets are read too: paste Python lists or spreadsheet cells.",
        )
    try:
        st.session_state["_sd_read"] = read(text or "", KINDS[label])
    except Error as error:
        known = "The last matrix that could be read is shown."
        st.warning(f"{error} {known}".replace("_", "\\_").replace("*", "\\*"))
        if "_sd_read" not in st.session_state:
            _, first, numbers = PRESETS[FIRST]
            st.session_state["_sd_read"] = read(numbers, KINDS[first])
    return st.session_state["_sd_read"]


def write(kind: str, text: str) -> None:
    """Put a matrix into the field."""
    st.session_state["sdk"], st.session_state["sdm"], st.session_state["sds"] = kind, text, SOURCES[1]


# --- where the dial stands --------------------------------------------------------------------------


def position() -> tuple[int, float]:
    """Half steps made, 0 to 80, and the temperature: as left last, or as the URL says."""
    if "_sd_position" not in st.session_state:
        step = st.query_params.get("sdi", "")
        st.session_state["_sd_position"] = (
            min(int(step), 2 * ITERATIONS) if step.isascii() and step.isdigit() and len(step) < 4 else 0,
            _temperature(st.query_params.get("sdt", "")),
        )
    return st.session_state["_sd_position"]


def keep_place() -> None:
    """Callback of the dial: the hands rest."""
    sent = (st.session_state.get(KEY) or {}).get("place")
    if not sent:
        return
    step, temperature = int(sent["step"]), _temperature(sent["temperature"])
    st.session_state["_sd_position"] = min(max(step, 0), 2 * ITERATIONS), temperature
    if st.session_state.get("_sd_model"):
        stream_state.remember(int(sent["token"]), int(sent["sublayer"]))


def keep_edited() -> None:
    """Callback of the dial: a cell was changed, or a matrix pasted into one."""
    st.session_state["sdm"] = _sent_text("edited")


def keep_taken() -> None:
    """Callback of the dial: the model's logits are to be edited."""
    write("Logits", _sent_text("taken"))


def share() -> None:
    """Show the dial's position in the URL; defaults stay out of it."""
    step, temperature = position()
    for key, value, default in (("sdi", step, 0), ("sdt", temperature, 1)):
        if value == default:
            st.query_params.pop(key, None)
        elif st.query_params.get(key) != f"{value:.4g}":
            st.query_params[key] = f"{value:.4g}"


def _sent_text(event: str) -> str:
    return str(((st.session_state.get(KEY) or {}).get(event) or {}).get("text", ""))[:LONGEST]


def _temperature(value: object) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return 1.0
    return float(f"{min(max(number, COLDEST), HOTTEST):.4g}") if number == number else 1.0
