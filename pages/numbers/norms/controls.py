"""The controls that the views of the page Norms and dropout share: which view, the text and the place in the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tlmviz.errors import UnknownName
from tlmviz.language_model import LanguageModel
from tlmviz.ui import compute, inputs, link

VIEWS = NORMS, PICTURES, DEPTH, DROPOUT = "Norms", "Convolution", "Depth", "Dropout"


@dataclass(frozen=True)
class Choice:
    """One of VIEWS, the loaded model, and the text it reads; "" where the view reads none."""

    view: str
    model: str
    text: str = ""

    @property
    def lm(self) -> LanguageModel:
        """The model. Raises UnknownName for a file of one pass, which has no norms to look into."""
        lm = compute.model(self.model)
        if lm.task != "language":
            raise UnknownName(
                f"{lm.name} holds one pass and no network; choose a model, whose norms can be looked into."
            )
        return lm


def choose(model: str) -> tuple[Choice | None, DeltaGenerator]:
    """Draw the view's buttons and the text: what they say, None (with a sentence) where there is nothing to read yet, and room
    beside the buttons.
    """
    left, room = st.columns([0.46, 0.54], vertical_alignment="center")
    view = left.segmented_control(
        "View",
        VIEWS,
        default=NORMS,
        key="noview",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    if view == PICTURES:
        link.keep("text")
        return Choice(view, model), room
    if view == DEPTH:  # its text is further down
        return Choice(view, model), room
    text = inputs.text_box(compute.model(model))
    return None if text is None else Choice(view, model, text), room


class Picture:
    """What a live picture is set to, as fields of the link: the browser sends all of them by name when it comes to rest."""

    def __init__(self, key: str, fields: dict[str, link.Field]):
        self.key, self.fields = key, fields
        self._sent, self._begun = f"{link.SLOT}{key}_sent", f"{link.SLOT}{key}_begun"

    def state(self, **defaults: Any) -> dict[str, Any]:
        """The values by name; `defaults` stand for those that nobody has set."""
        for field in self.fields.values():
            field.share()
        values = {name: field.get() for name, field in self.fields.items()}
        return {name: defaults.get(name) if value is None else value for name, value in values.items()}

    def origin(self, *inputs: object) -> str:
        """A text that changes where the link, and not the picture, has changed the values, or the inputs are others."""
        chosen = tuple(field.get() for field in self.fields.values())
        if st.session_state.get(self._sent) != chosen:
            st.session_state[self._sent] = chosen
            st.session_state[self._begun] = repr(chosen)
        return repr((inputs, st.session_state[self._begun]))

    def keep(self) -> None:
        """Callback of the picture: its values have come to rest."""
        message = (st.session_state.get(self.key) or {}).get("state") or {}
        for name, field in self.fields.items():
            if name in message:
                try:
                    value = message[name]
                    field.keep(field.parse(str(int(value)) if isinstance(value, bool) else str(value)))
                except ValueError:
                    continue
        st.session_state[self._sent] = tuple(field.get() for field in self.fields.values())


def flag(text: str) -> bool:
    """Reads 1 as on, all else as off."""
    return text == "1"


def written(value: bool) -> str:
    """On as 1; off is the default, which links leave out."""
    return str(int(value))
