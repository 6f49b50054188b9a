"""The controls of the view "Sinkhorn dial": whose matrix, the matrix that is typed, and the dial itself."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from pages.streams.mhc.controls import SUBLAYER, TOKEN, Reading, place
from tlmviz.analysis.streams import scaling_support
from tlmviz.errors import Error
from tlmviz.ui import link

from .component import ITERATIONS
from .controls_presets import FIRST, KINDS, LOGITS, PRESETS

KEY = "streamdial"
MODEL, OWN = SOURCES = ("Model’s logits", "Own matrix")
COLDEST, HOTTEST = 0.05, 20.0
LONGEST = 8000  # characters of a matrix in a link: 16 × 16 numbers of 30 each
_READABLE = "_sd_readable"  # session: the last Matrix that could be read
_OF_MODEL = "_sd_of_model"  # session: whether the dial shows a model's logits


def _temperature(text: str) -> float:
    return float(f"{link.real(COLDEST, HOTTEST)(text):.4g}")


# Half steps made; at first one iteration, which does nearly all of it.
STEP = link.Field("sdi", 2, link.whole(0, 2 * ITERATIONS))
TEMPERATURE = link.Field("sdt", 1.0, _temperature, "{:.4g}".format)
# Three widgets that links hold while they are drawn, and sessions always: bound ones would be forgotten in other views.
SOURCE = link.Field("sds", MODEL, link.choice(SOURCES))
KIND = link.Field("sdk", FIRST.kind, link.choice(list(KINDS)))
TEXT = link.Field("sdm", FIRST.text, link.up_to(LONGEST), lambda text: text if len(text) <= LONGEST else "")
WIDGETS = (SOURCE, KIND, TEXT)


@dataclass(frozen=True)
class Matrix:
    """A typed matrix that can be read: its text, and whether the numbers are "logits" or "entries"."""

    text: str
    kind: str


@dataclass(frozen=True)
class Choice:
    """What the dial shows: the logits of a model at a token and a sublayer, or a typed matrix; half steps and temperature."""

    reading: Reading
    step: int
    temperature: float
    token: int = 0
    sublayer: int = 0
    matrix: Matrix | None = None
    typed: str = ""  # what the field holds; where it cannot be read, `matrix` is the last that could

    def state(self) -> dict:
        """Where the dial stands, as its component reads it."""
        return {
            "token": self.token,
            "sublayer": self.sublayer,
            "step": self.step,
            "temperature": self.temperature,
        }


def choose(reading: Reading, has_logits: bool) -> Choice:
    """Draw the controls; a model that has no logits leaves a matrix to be typed as the only choice."""
    for field in WIDGETS:
        if link.navigated():
            st.session_state[field.key] = field.get()
        st.session_state.setdefault(field.key, field.get())
    room = st.container(horizontal=True, gap="small")
    of_model = has_logits and _source(room) == MODEL
    st.session_state[_OF_MODEL] = of_model
    if of_model:
        choice = Choice(reading, STEP.get(), TEMPERATURE.get(), *place(reading))
    else:
        matrix, typed = _matrix(room)
        choice = Choice(reading, STEP.get(), TEMPERATURE.get(), matrix=matrix, typed=typed)
    for field in WIDGETS:
        field.keep(st.session_state.get(field.key) or "")
    return choice


def share(choice: Choice) -> None:
    """Show in the URL where the dial stands, and the matrix where it is a typed one."""
    for field in (STEP, TEMPERATURE):
        field.share()
    for field in WIDGETS:
        field.share(hide=choice.matrix is None)


def _source(room) -> str:
    return room.segmented_control(
        "Matrix",
        SOURCES,
        key=SOURCE.key,
        persist_state="session",
        required=True,
        label_visibility="collapsed",
    )


def _matrix(room) -> tuple[Matrix, str]:
    """The typed matrix, or with a sentence the last that could be read, and what the field holds."""
    label = room.segmented_control(
        "Numbers are",
        list(KINDS),
        key=KIND.key,
        persist_state="session",
        required=True,
        label_visibility="collapsed",
        help="Logits: the matrix is exp(number / T). Entries: the numbers are the matrix, to the power 1/T; none is negative.",
    )
    with room.popover("Presets"):
        for name, preset in PRESETS.items():
            st.button(
                name,
                key=f"sd-{name}",
                help=preset.help,
                on_click=_write,
                args=(preset.kind, preset.text),
                width="stretch",
            )
    with room.popover("Type or paste"):
        typed = st.text_area(
            "Matrix: numbers with spaces, a line for each row",
            key=TEXT.key,
            persist_state="session",
            height=220,
            help="Commas, semicolons and brackets are read too: paste Python lists or spreadsheet cells.",
        )
    matrix = Matrix(typed or "", KINDS[label])
    try:
        scaling_support.parse(matrix.text, matrix.kind)
    except Error as error:
        sentence = f"{error} The last matrix that could be read is shown."
        st.warning(sentence.replace("_", "\\_").replace("*", "\\*"))
        matrix = st.session_state.get(_READABLE, Matrix(FIRST.text, KINDS[FIRST.kind]))
    st.session_state[_READABLE] = matrix
    return matrix, typed or ""


# --- callbacks --------------------------------------------------------------------------------------


def keep_place() -> None:
    """Callback of the dial: it was moved."""
    place = _message("place")
    if not place:
        return
    STEP.keep(min(max(int(place["step"]), 0), 2 * ITERATIONS))
    TEMPERATURE.keep(_temperature(str(place["temperature"])))
    if st.session_state.get(_OF_MODEL):
        TOKEN.set(int(place["token"]))
        SUBLAYER.set(int(place["sublayer"]))


def keep_edited() -> None:
    """Callback of the dial: a cell was changed, or a matrix pasted into one."""
    st.session_state[TEXT.key] = _sent_text("edited")


def keep_taken() -> None:
    """Callback of the dial: the model's logits are to be edited."""
    _write(LOGITS, _sent_text("taken"))


def _write(kind: str, text: str) -> None:
    """Put a matrix into the field."""
    for field, value in zip(WIDGETS, (OWN, kind, text)):
        st.session_state[field.key] = value


def _message(event: str) -> dict:
    return (st.session_state.get(KEY) or {}).get(event) or {}


def _sent_text(event: str) -> str:
    return str(_message(event).get("text", ""))
