"""The controls of the page One layer's bill: which view, and the sizes, which are set in the picture and kept in the link."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import streamlit as st

from tlmviz.analysis.cost.layer import BYTES, COUNTED, MOST, Sizes, fitted
from tlmviz.errors import BadShape
from tlmviz.language_model import LanguageModel
from tlmviz.ui import compute, frame, inputs, link

VIEWS = BILL, HAND, GROWTH, PARAMETERS, FFN = (
    "One layer",
    "By hand",
    "Word by word",
    "Parameters",
    "Feed-forward",
)
DRAWN = {BILL: "bill", HAND: "hand", GROWTH: "growth"}  # as the picture calls them
GROUPINGS = BY_PART, BY_LAYER = "By part", "By layer"
KEY = "layerbill"
LONGEST_TEXT = 2000  # tokens of a text that is written word by word
START = Sizes()
TOY = (4, 8, 2)
_SENT = f"{link.SLOT}bill_sent"  # session: what the picture sent last


def _toy(text: str) -> tuple[int, int, int]:
    """Reads n.d.h; raises ValueError for what is no layer."""
    n, d, h = (link.whole(1, 100_000)(part) for part in text.split("."))
    try:
        toy_sizes((n, d, h))
    except BadShape as error:
        raise ValueError(text) from error
    return n, d, h


def toy_sizes(toy: tuple[int, int, int]) -> Sizes:
    """The layer that is filled in by hand: FP32, every head with keys and values of its own. Raises BadShape."""
    n, d, h = toy
    return Sizes(n, d, h, h, 4 * d, bytes=4)


FIELDS: dict[str, link.Field[Any]] = {
    **{name: link.Field(f"lb{name}", getattr(START, name), link.whole(1, most)) for name, most in MOST.items()},
    "gated": link.Field("lbgate", 0, link.whole(0, 1)),
    "bytes": link.Field("lbbytes", START.bytes, lambda text: int(link.choice(tuple(map(str, BYTES)))(text))),
    "head": link.Field("lbhead", 0, link.whole(0, MOST["d"])),
    "counted": link.Field("lbcount", COUNTED[1], link.choice(COUNTED)),
    "prompt": link.Field("lbprompt", 16, link.whole(1, LONGEST_TEXT)),
    "steps": link.Field("lbsteps", 100, link.whole(1, LONGEST_TEXT)),
    "toy": link.Field("lbtoy", TOY, _toy, lambda toy: ".".join(map(str, toy))),
    "answers": link.Field("lbcells", "", link.up_to(800)),
}  # fmt: skip


@dataclass(frozen=True)
class Choice:
    """One of VIEWS and a model; the layer's sizes, what a link asked for that cannot be, and the settings of all views.

    `origin` names what the picture begins with; `text` and `layer` are those of the view on the feed-forward part, and
    `grouping` is one of GROUPINGS.
    """

    view: str
    model: str
    sizes: Sizes
    said: str
    counted: str
    prompt: int
    steps: int
    toy: tuple[int, int, int]
    answers: str
    origin: str
    grouping: str = BY_PART
    text: str = ""
    layer: int = 0

    @property
    def lm(self) -> LanguageModel:
        """The model whose parameters and layers are looked at."""
        return compute.model(self.model)


def choose(model: str) -> Choice | None:
    """Draw the controls and return what they say; None, with a sentence, where a view needs a text and there is none."""
    view = st.segmented_control(
        "View", VIEWS, default=BILL, key="lbview", bind="query-params", required=True, label_visibility="collapsed"
    )  # fmt: skip
    values = _values()
    names = [field.name for field in fields(Sizes)]
    sizes, said = fitted({name: values.pop(name) for name in names})
    common: dict[str, Any] = {"sizes": sizes, "said": said, "origin": _origin(), **values}
    if view == PARAMETERS:
        with frame.after_picture(pairs=False):
            grouping = st.segmented_control(
                "Grouped",
                GROUPINGS,
                default=BY_PART,
                key="lbby",
                bind="query-params",
                required=True,
                label_visibility="collapsed",
            )
        return Choice(view, model, **common, grouping=grouping)
    if view != FFN:
        return Choice(view, model, **common)
    lm = compute.model(model)
    text = inputs.text_box(lm)
    if text is None:
        return None
    with frame.after_picture(pairs=False):
        layer = link.menu(
            st.columns([0.25, 0.75])[0], "Layer", range(lm.config.n_layers), "lblayer",
            default=lm.config.n_layers // 2, show=lambda each: f"layer {each}", label_visibility="collapsed",
        )  # fmt: skip
    return Choice(view, model, **common, text=text, layer=layer)


def _values() -> dict[str, Any]:
    """Every field, in the link and out of it."""
    for field in FIELDS.values():
        field.share()
    found = {name: field.get() for name, field in FIELDS.items()}
    return found | {"gated": bool(found["gated"])}


def _origin() -> str:
    """A name for what the picture begins with: another where the link, and not the picture, has changed it."""
    now = repr([field.get() for field in FIELDS.values()])
    begun = f"{_SENT}_begun"
    if st.session_state.get(_SENT) != now:
        st.session_state[begun] = now
        st.session_state[_SENT] = now
    return str(st.session_state[begun])


def keep() -> None:
    """Callback of the picture: sizes, settings or cells have come to rest."""
    message: dict[str, Any] | None = (st.session_state.get(KEY) or {}).get("bill")
    if not message:
        return
    sent = message["sizes"] | {name: message[name] for name in ("counted", "prompt", "steps", "answers")}
    sent |= {"gated": int(sent["gated"]), "toy": tuple(map(int, message["toy"]))}
    for name, field in FIELDS.items():
        value = sent[name]
        field.keep(field.parse(field.write(value)))
    st.session_state[_SENT] = repr([field.get() for field in FIELDS.values()])
