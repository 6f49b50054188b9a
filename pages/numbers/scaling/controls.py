"""The controls of the page Scaling: a format, what shares a scale, and which products, as one Choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from tlmviz.analysis.numbers.formats import BY_KEY
from tlmviz.analysis.numbers.rounded_model import ACTIVATIONS, BOTH, WEIGHTS, Setting
from tlmviz.analysis.numbers.scaling import BLOCK, BLOCKS, CHANNEL, KEYS, SHARED, TENSOR, Scheme
from tlmviz.language_model import LanguageModel
from tlmviz.ui import compute, frame, inputs, link

from . import compute as measures

VIEWS = PRODUCT, MODEL = "One product", "Whole model"
FORMATS = {BY_KEY[key].name: key for key in KEYS}
PERS = {"per tensor": TENSOR, "per channel": CHANNEL, "per block": BLOCK, "per block, powers of 2": SHARED}
SAID = {per: label for label, per in PERS.items()}
ROUNDED = {"Weights and activations": BOTH, "Weights alone": WEIGHTS, "Activations alone": ACTIVATIONS}
KEY = "scalingview"
SEEN, COLORS = ("x", "w", "o"), ("size", "error", "relative")
MATRIX = link.Field("scm", "", str)  # the default: whose input has the loudest channel
SEE = link.Field("scsee", SEEN[0], link.choice(SEEN))
COLOR = link.Field("sccol", COLORS[0], link.choice(COLORS))
FACTOR = link.Field("scs", 0.0, link.real(-10, 4))  # the slider: doublings from the scale that cuts nothing
_SENT, _BEGUN = (
    f"{link.SLOT}scaling_sent",
    f"{link.SLOT}scaling_begun",
)  # session: what the picture sent, and began with
_MENU = "_scm"


@dataclass(frozen=True)
class Choice:
    """One of VIEWS, a model and its text, a scheme, the key of a matrix (One product), and a setting (Whole model)."""

    view: str
    model: str
    text: str
    scheme: Scheme
    matrix: str = ""
    setting: Setting = Setting()

    @property
    def lm(self) -> LanguageModel:
        """The model that reads."""
        return compute.model(self.model)


def choose(model: str) -> Choice | None:
    """Draw the controls and return what they say; None, with a sentence, where there is no text."""
    text = inputs.text_box(compute.model(model))
    left, right = st.columns([0.3, 0.7], vertical_alignment="center")
    view = left.segmented_control(
        "View",
        VIEWS,
        default=PRODUCT,
        key="scview",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    with right:
        format = st.segmented_control(
            "Format",
            tuple(FORMATS),
            default="INT8",
            key="scf",
            bind="query-params",
            required=True,
            label_visibility="collapsed",
        )
    if text is None:
        return None
    with frame.after_picture(pairs=False):
        places = st.columns([0.52, 0.16, 0.32], vertical_alignment="center")
        scheme = _scheme(FORMATS[format], places)
        if view == PRODUCT:
            return Choice(view, model, text, scheme, _matrix(places[2], model, text))
        return Choice(view, model, text, scheme, setting=_setting(scheme, model, places[2]))


def _scheme(format: str, places) -> Scheme:
    """What shares a scale, and how large a block is."""
    per = places[0].segmented_control(
        "A scale per",
        tuple(PERS),
        default=SAID[BLOCK],
        key="scper",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
        help="A channel is a token's row of X and an output's row of W.",
    )
    block = places[1].selectbox(
        "Numbers in a block",
        BLOCKS,
        index=BLOCKS.index(32),
        key="scblock",
        bind="query-params",
        disabled=PERS[per] in (TENSOR, CHANNEL),
        label_visibility="collapsed",
        help="Numbers in a block.",
    )
    return Scheme(format, PERS[per], block)


def _matrix(place, model: str, text: str) -> str:
    """Which matrix; where the link names none, or one that this model has not, the one with the loudest channel to read."""
    keys = measures.keys(model)
    if MATRIX.get() not in keys:
        MATRIX.keep("")
    chosen = MATRIX.get() or measures.loudest(model, text)
    st.session_state[_MENU] = chosen
    place.selectbox(
        "Matrix",
        keys,
        key=_MENU,
        on_change=lambda: MATRIX.keep(st.session_state[_MENU]),
        format_func=named,
        label_visibility="collapsed",
        help="The product of this matrix with what it reads on the text.",
    )
    MATRIX.share()
    return chosen


def named(key: str) -> str:
    """A matrix by its layer and what it is for."""
    layer, *rest = key.split(".")
    if not rest:
        return "the model's head"
    return f"layer {layer} · {rest[0]}" + (f" of expert {rest[1]}" if len(rest) > 1 else "")


def _setting(scheme: Scheme, model: str, place) -> Setting:
    """Which products of the whole model are rounded, and which of their two sides."""
    sides = place.selectbox(
        "Round",
        tuple(ROUNDED),
        key="scsides",
        bind="query-params",
        label_visibility="collapsed",
    )
    left, right = st.columns(2)
    parts, layers = measures.parts(model), range(compute.model(model).config.n_layers)
    options: dict[str, Any] = {"selection_mode": "multi", "bind": "query-params", "wrap": True}
    picked = left.pills("Matrices", parts, default=parts, key="scparts", **options)
    depth = right.pills("Layers", layers, default=layers, key="sclayers", **options)
    return Setting(scheme, ROUNDED[sides], tuple(picked or ()), tuple(depth or ()))


def state() -> dict[str, Any]:
    """What the picture begins with; another origin where the link, and not the picture, has changed it."""
    for field in (SEE, COLOR, FACTOR):
        field.share()
    chosen = SEE.get(), COLOR.get(), FACTOR.get()
    if st.session_state.get(_SENT) != chosen:
        st.session_state[_BEGUN] = repr(chosen)
        st.session_state[_SENT] = chosen
    return {**dict(zip(("see", "color", "factor"), chosen)), "origin": st.session_state[_BEGUN]}


def keep() -> None:
    """Callback of the picture: what is shown, or the slider, has come to rest."""
    message = (st.session_state.get(KEY) or {}).get("place")
    if not message or message.get("see") not in SEEN or message.get("color") not in COLORS:
        return
    SEE.keep(message["see"])
    COLOR.keep(message["color"])
    FACTOR.keep(min(4.0, max(-10.0, round(float(message["factor"]), 3))))
    st.session_state[_SENT] = SEE.get(), COLOR.get(), FACTOR.get()
