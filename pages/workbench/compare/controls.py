"""The controls of the page Compare: which two runs, and, from the picture, the head in detail and the pinned token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from tlmviz.language_model import LanguageModel
from tlmviz.ui import compute, frame, inputs, link

VIEWS = PROMPTS, MODELS, PRECISIONS = "Two prompts", "Two models", "Two precisions"
# Beside FP32: which part is rounded, and the format's key.
BITS = {
    "Weights BF16": ("weights", "bf16"),
    "Weights FP16": ("weights", "fp16"),
    "Weights INT8": ("weights", "int8"),
    "Weights INT4": ("weights", "int4"),
    "Keys and values FP8": ("cache", "e4m3"),
    "Keys and values INT8": ("cache", "int8"),
    "Keys and values INT4": ("cache", "int4"),
}
TEXTS = {
    "cmpa": "Lily had a red ball. One day, Lily lost the red",
    "cmpb": "Lily had a red hat. One day, Lily lost the red",
}
HIDDEN = {"label_visibility": "collapsed"}
KEY = "compareview"
OTHER = "stories-gpt"  # beside the default model: as many layers and heads


def _head(text: str) -> tuple[int, int]:
    layer, _, head = text.partition(".")
    place = link.whole(0, 9999)
    return place(layer), place(head)


HEAD: link.Field[tuple[int, int] | None] = link.Field(
    "cmphead", None, _head, lambda head: f"{head[0]}.{head[1]}" if head else ""
)
PIN: link.Field[int | None] = link.Field(
    "cmppin", None, link.whole(0, 9999), lambda pin: "" if pin is None else str(pin)
)
_OF, _SENT, _BEGUN = (
    f"{link.SLOT}compare_{name}" for name in ("of", "sent", "begun")
)  # session: what head and pin belong to, what the picture sent last, and began with


@dataclass(frozen=True)
class Choice:
    """Two runs: of one model over two texts, or of two models over one text (`a` and `b` alike).

    `bits`, one of BITS, says what is rounded in the second run; empty where nothing is.
    """

    view: str
    model: str
    a: str
    b: str
    other: str
    bits: str = ""

    @property
    def lms(self) -> tuple[LanguageModel, LanguageModel]:
        """The models of both runs."""
        return compute.model(self.model), compute.model(self.other)


def choose(model: str) -> Choice | None:
    """Draw the controls and return what they say; None, with a sentence, where there is no text."""
    with frame.after_picture(pairs=False):
        left, right = st.columns([0.6, 0.4], vertical_alignment="center")
        view = left.segmented_control(
            "What is compared",
            VIEWS,
            default=PROMPTS,
            key="cmpview",
            bind="query-params",
            required=True,
            label_visibility="collapsed",
        )
    if view == PROMPTS:
        texts = [
            place.text_input(
                f"Text {name}", start, key=key, live="300ms", bind="query-params", max_chars=10_000
            )
            for place, name, (key, start) in zip(st.columns(2), "AB", TEXTS.items())
        ]
        a, b = (text or "" for text in texts)
        return Choice(PROMPTS, model, a, b, model)
    if view == PRECISIONS:
        bits = link.menu(
            right, "B", list(BITS), "cmpbits", default="Weights INT4", show="B: {}".format, **HIDDEN
        )
        text = inputs.text_box(compute.model(model))
        return None if text is None else Choice(PRECISIONS, model, text, text, model, bits)
    names = list(compute.models())
    start = OTHER if model == compute.DEFAULT_MODEL and OTHER in names else names[0]
    other = link.menu(
        right,
        "Model B",
        names,
        "cmpwith",
        default=start,
        show="B: {}".format,
        **HIDDEN,
    )
    text = inputs.text_box(compute.model(model))
    return None if text is None else Choice(str(view), model, text, text, other)


def seen(choice: Choice) -> tuple[tuple[int, int] | None, int | None, str]:
    """Head and pin of the link, None where nobody chose them, and an `origin` that is new when the picture is to begin anew."""
    if st.session_state.setdefault(_OF, choice) != choice:  # they belong to other runs
        st.session_state[_OF] = choice
        HEAD.keep(None)
        PIN.keep(None)
    for field in (HEAD, PIN):
        field.share()
    if st.session_state.get(_SENT) != (HEAD.get(), PIN.get()):
        st.session_state[_BEGUN] = f"{HEAD.get()} {PIN.get()}"
        st.session_state[_SENT] = HEAD.get(), PIN.get()
    return HEAD.get(), PIN.get(), f"{choice} {st.session_state.get(_BEGUN)}"


def keep() -> None:
    """Callback of the picture: a token was pinned or a head clicked."""
    message: dict[str, Any] | None = (st.session_state.get(KEY) or {}).get("seen")
    if not message:
        return
    if message.get("head"):
        layer, head = (max(0, int(part)) for part in message["head"])
        HEAD.keep((layer, head))
    PIN.keep(max(0, int(message["pin"])))
    st.session_state[_SENT] = HEAD.get(), PIN.get()
