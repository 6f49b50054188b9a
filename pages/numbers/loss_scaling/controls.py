"""The controls of the page Loss scaling: which of its three questions, and what each of them is asked about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from tlmviz.analysis.numbers.formats import find, read
from tlmviz.analysis.numbers.half_runs import RUNS
from tlmviz.analysis.numbers.loss_scaling import ACTIVATIONS, FORMATS, KINDS, SCALES
from tlmviz.errors import BadText
from tlmviz.language_model import LanguageModel
from tlmviz.ui import compute, frame, inputs, link

VIEWS = GRADIENTS, DYNAMIC, MASTER = "Gradients", "Dynamic scaling", "Master weights"
STORIES, TEXT = BATCHES = "A batch of stories", "My text"
KEY = "lossscaling"
LONGEST = 60  # characters of a tensor's name
STEPS = 200  # additions of one update
FORMAT = link.Field("lsfmt", "fp16", link.choice(tuple(each.key for each in FORMATS)))
SCALE = link.Field("lsk", 0, link.whole(SCALES[0], SCALES[-1]))
PART = link.Field("lspart", "", link.up_to(LONGEST))
SCALED = tuple(key for key, spec in RUNS.items() if not spec.trained)
_SENT = f"{link.SLOT}scale_sent"  # session: what the picture sent last
_BEGUN = "_scale_begun"  # session: how often a link, and not the picture, has set it; outlives links


@dataclass(frozen=True)
class Choice:
    """One of VIEWS; a model and the text that its step reads, None for stories; which gradients, how kept and how scaled."""

    view: str
    model: str
    text: str | None
    kind: str = ACTIVATIONS
    format: str = FORMAT.default
    k: int = SCALE.default
    part: str = PART.default
    origin: str = ""
    run: str = ""
    weight: float = 0.0
    update: float = 0.0

    @property
    def lm(self) -> LanguageModel:
        """The model."""
        return compute.model(self.model)


def choose(model: str) -> Choice | None:
    """Draw the controls and return what they say; None, with a sentence, where there is no text."""
    with frame.split_on_phones():
        view = _segments("View", VIEWS, "lsview")
        if view == DYNAMIC:
            run = link.menu(
                st,
                "Run",
                SCALED,
                "lsrun",
                default="parts-dynamic",
                show=lambda key: RUNS[key].name,
                label_visibility="collapsed",
            )
            return Choice(view, model, None, run=run)
        batch = _segments("Batch", BATCHES, "lsbatch")
        kind = _segments("Gradients by", KINDS[::-1], "lskind") if view == GRADIENTS else ACTIVATIONS
    text = None if batch == STORIES else inputs.text_box(compute.model(model))
    if batch == TEXT and text is None:
        return None
    if view == MASTER:
        weight, update = _numbers()
        return Choice(view, model, text, weight=weight, update=update)
    for field in (FORMAT, SCALE, PART):
        field.share()
    chosen = FORMAT.get(), SCALE.get(), PART.get()
    if st.session_state.get(_SENT) != chosen:
        # A number, as a link may lead back to what was there before.
        st.session_state[_BEGUN] = st.session_state.get(_BEGUN, 0) + 1
        st.session_state[_SENT] = chosen
    return Choice(view, model, text, kind, *chosen, str(st.session_state[_BEGUN]))


def _segments(label: str, options: tuple[str, ...], key: str) -> str:
    chosen = st.segmented_control(
        label,
        options,
        default=options[0],
        key=key,
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    return chosen if chosen in options else options[0]


def _numbers() -> tuple[float, float]:
    """The weight and the update; what is no finite number of FP32 is named in a sentence, and the default is shown."""
    left, right = st.columns(2)
    found = []
    for place, label, start, key in (
        (left, "Weight w", "0.1", "lsw"),
        (right, "Update −η·g of each step", "1e-4", "lsu"),
    ):
        text = place.text_input(label, start, key=key, bind="query-params", live="150ms", max_chars=LONGEST)
        try:
            value = read(text or "", find("fp32"))
            if not abs(value) <= find("fp32").largest:
                raise BadText(
                    f"{text!r} is no number that FP32 holds; write a finite one, such as 0.1 or 1e-4."
                )
        except BadText as error:
            place.warning(f"{error} Shown is {start}.")
            value = float(start)
        found.append(value)
    return found[0], found[1]


def keep() -> None:
    """Callback of the picture: the scale, the format or the tensor has come to rest."""
    message: dict[str, Any] | None = (st.session_state.get(KEY) or {}).get("scale")
    if not message or message.get("format") not in {each.key for each in FORMATS}:
        return
    FORMAT.keep(message["format"])
    SCALE.keep(max(SCALES[0], min(SCALES[-1], int(message["k"]))))
    PART.keep(str(message["part"])[:LONGEST])
    st.session_state[_SENT] = FORMAT.get(), SCALE.get(), PART.get()
