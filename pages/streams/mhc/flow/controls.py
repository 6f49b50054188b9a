"""The controls of the view "Flow": the picture itself, and how many Sinkhorn iterations the model makes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from pages.streams.mhc import compute as page
from pages.streams.mhc.controls import SUBLAYER, TOKEN, Reading, place
from tlmviz.config import CONNECTIONS
from tlmviz.figures.streams import graph
from tlmviz.ui import link

from .component import ALL, WIDTHS

KEY = "sfview"
MOST = 20  # Sinkhorn iterations
_SEQUENCE = f"{link.SLOT}sf_sequence"  # session: number of the picture's last message
SHOWN = link.Field("sfshow", ALL, link.choice((ALL, *CONNECTIONS)))
WIDTH = link.Field("sfwidth", WIDTHS[0], link.choice(WIDTHS))


@dataclass(frozen=True)
class Choice:
    """A text, the token and sublayer looked at, the models and widths drawn, and the iterations of the constrained one."""

    reading: Reading
    token: int
    sublayer: int
    shown: str
    width: str
    window: range  # tokens that the picture is sent
    iterations: int | None = None  # None: no model of the family is constrained

    def state(self) -> dict:
        """The same as the picture reads it, with the number of its own last message."""
        return {
            "token": self.token,
            "sublayer": self.sublayer,
            "show": self.shown,
            "widths": self.width,
            "seq": st.session_state.get(_SEQUENCE, 0),
        }


def choose(reading: Reading) -> Choice:
    """What was chosen in the picture, or at first what the link says."""
    token, sublayer = place(reading)
    window = graph.window(len(reading.tokens), token, _token_bytes(reading))
    if made_in_picture() and (last := st.session_state.get(_WINDOW)) and last[0] == reading:
        window = last[1]  # the picture walks within the tokens it has
    st.session_state[_WINDOW] = reading, window
    return Choice(reading, token, sublayer, SHOWN.get(), WIDTH.get(), window)


_WINDOW = "_sf_window"  # session: the reading and the tokens that the picture was sent


def choose_iterations(choice: Choice, trained: int) -> Choice:
    """The same with a number of Sinkhorn iterations, at first as many as the model was trained with."""
    count = st.slider(
        "Sinkhorn iterations that the model makes",
        0,
        MOST,
        min(trained, MOST),
        key="sfit",
        bind="query-params",
        help=f"It was trained with {trained}. With 0 every H_res is exp(logits), scaled by nothing.",
    )
    return replace(choice, iterations=count)


def keep_choice() -> None:
    """Callback of the picture: the user chose a token, a sublayer, a model or the widths."""
    message = _message()
    if not message:
        return
    st.session_state[_SEQUENCE] = int(message["seq"])
    TOKEN.set(int(message["token"]))
    SUBLAYER.set(int(message["sublayer"]))
    SHOWN.set(message["show"] if message["show"] in (ALL, *CONNECTIONS) else ALL)
    WIDTH.set(message["widths"] if message["widths"] in WIDTHS else WIDTHS[0])


def made_in_picture() -> bool:
    """Whether the browser has the picture, and the choice is the one last made in it."""
    message = _message()
    return bool(message) and message["seq"] == st.session_state.get(_SEQUENCE, 0)


def _message() -> dict | None:
    return (st.session_state.get(KEY) or {}).get("place")


def _token_bytes(reading: Reading) -> int:
    """Bytes of one token's matrices, of all models of the family."""
    n, sublayers = page.most_streams(reading.model), len(reading.sublayers)
    return 4 * sublayers * (n * n + 2 * n) * len(page.family(reading.model))
