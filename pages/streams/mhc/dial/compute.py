"""What the Sinkhorn dial keeps: the logits of every sublayer, the matrix of one's own, and where the dial stands, in the URL."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st
import torch

from pages.streams.mhc import compute as stream_state
from tlmviz.analysis.streams import mixing as streams
from tlmviz.analysis.streams import scaling_support
from tlmviz.analysis.streams.scaling_support import Support
from tlmviz.checks import Check, streams_dial
from tlmviz.errors import Error
from tlmviz.ui import compute

from .component import ITERATIONS

KEY = "streamdial"
SOURCES = ("Model’s logits", "Own matrix")
KINDS = {"Logits": "logits", "Entries ≥ 0": "entries"}
COLDEST, HOTTEST = 0.05, 20.0
LONGEST = 8000  # characters of a matrix in a link: 16 × 16 numbers of 30 each
# Name -> what it shows, how its numbers are read, the numbers.
PRESETS = {
    "As mHC starts": ("0 on the diagonal, −6 off it", "Logits", "0 -6 -6 -6\n-6 0 -6 -6\n-6 -6 0 -6\n-6 -6 -6 0"),
    "Mixed": ("Any positive matrix has exactly one scaling", "Entries ≥ 0", "4 1 2\n1 3 1\n5 1 1"),
    "Slow": ("A nearly triangular matrix: the rate is close to 1", "Entries ≥ 0", "1 1 1\n0.02 1 1\n0.02 0.02 1"),
    "Two blocks": ("Two scalings side by side", "Entries ≥ 0", "1 5 0 0\n3 1 0 0\n0 0 1 4\n0 0 2 1"),
    "Triangle": ("Support, but not total: what is above the diagonal goes to 0", "Entries ≥ 0", "1 1 1\n0 1 1\n0 0 1"),
    "No support": ("Two rows share one column: no scaling exists", "Entries ≥ 0", "1 2 3\n0 4 0\n0 5 0"),
    "A row of zeros": ("Nothing brings its sum to 1", "Entries ≥ 0", "0 0 0\n1 2 3\n4 5 6"),
    "Logits of 1e4": ("exp overflows; logarithms do not", "Logits", "1e4 9999 9998\n9999 1e4 9997\n-1e4 -9999 -9999"),
    "16 × 16": ("The largest that is read: logits fall beside a diagonal", "Logits",
                "\n".join(" ".join(f"{0 - abs(1.2 * i - j) / 2:.3g}" for j in range(16)) for i in range(16))),
}  # fmt: skip
FIRST = "Mixed"
DEFAULTS = (SOURCES[0], *PRESETS[FIRST][1:])  # of the keys sds, sdk and sdm


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
    found = compute.run_in_worker(lambda: trace.tensors(places), compute.about(text))
    return torch.cat([found[place] for place in places])


def read(text: str, kind: str) -> Own:
    """A matrix as it was typed. Raises BadShape."""
    values = scaling_support.parse(text, kind)
    return Own(text, kind, scaling_support.words(text), values, scaling_support.support(values > -np.inf))


def open_link() -> None:
    """Take source and matrix from the URL, once. Widgets bound to it would forget both in the other source and view."""
    if "_sd_opened" in st.session_state:
        return
    st.session_state["_sd_opened"] = True
    allowed = {"sds": SOURCES, "sdk": list(KINDS), "sdm": None}
    for key, default in zip(allowed, DEFAULTS):
        asked = st.query_params.get(key, default)[:LONGEST]
        st.session_state.setdefault(key, asked if allowed[key] is None or asked in allowed[key] else default)


def of_model(controls) -> bool:
    """Whether the model's logits are shown, rather than a matrix of one's own."""
    return SOURCES[0] == controls.segmented_control(
        "Matrix", SOURCES, key="sds", persist_state="session", required=True, label_visibility="collapsed"
    )


def own_matrix(controls) -> Own:
    """The controls of a matrix of one's own, and the last one that could be read; what is wrong is said in a sentence."""
    label = controls.segmented_control(
        "Numbers are",
        list(KINDS),
        key="sdk",
        persist_state="session",
        required=True,
        label_visibility="collapsed",
        help="Logits: the matrix is exp(number / T). Entries: the numbers are the matrix, to the power 1/T; none is negative.",
    )
    with controls.popover("Presets"):
        for name, (help_, *_) in PRESETS.items():
            st.button(
                name, key=f"sd-{name}", help=help_, on_click=write, args=PRESETS[name][1:], width="stretch"
            )
    with controls.popover("Type or paste"):
        text = st.text_area(
            "Matrix: numbers with spaces, a line for each row",
            key="sdm",
            persist_state="session",
            height=220,
            help="Commas, semicolons and brackets are read too: paste Python lists or spreadsheet cells.",
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


def own_checks(own: Own) -> list[Check]:
    """What holds of a typed matrix after 40 iterations: nothing negative; columns exact, unless one is all zeros."""
    logits = torch.from_numpy(own.logits)
    checks = [streams_dial.entries_stay_positive(logits, ITERATIONS)]
    if (own.logits > -np.inf).any(0).all():
        checks.append(streams_dial.columns_end_exact(logits, ITERATIONS))
    return checks


def typed() -> str:
    """What the field holds."""
    return st.session_state.get("sdm") or ""


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


def share(own: bool) -> None:
    """Show the dial's position in the URL, and the matrix where it is one's `own`; defaults stay out of it."""
    step, temperature = position()
    wanted = {"sdi": f"{step}" if step else "", "sdt": f"{temperature:.4g}" if temperature != 1 else ""}
    for key, default in zip(("sds", "sdk", "sdm"), DEFAULTS):
        value = (typed() if key == "sdm" else st.session_state.get(key)) or ""
        wanted[key] = value if own and value != default and len(value) <= LONGEST else ""
    for key, value in wanted.items():
        if not value:
            st.query_params.pop(key, None)
        elif st.query_params.get(key) != value:
            st.query_params[key] = value


def _sent_text(event: str) -> str:
    return str(((st.session_state.get(KEY) or {}).get(event) or {}).get("text", ""))


def _temperature(value: object) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return 1.0
    return float(f"{min(max(number, COLDEST), HOTTEST):.4g}") if number == number else 1.0
