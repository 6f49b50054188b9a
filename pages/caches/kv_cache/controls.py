"""The controls of the page KV cache: a generation and a view of it, models to compare, and a deployment to calculate."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from tlmviz.analysis.caches import cost, decode_steps, shapes
from tlmviz.analysis.caches.cost import Shape
from tlmviz.errors import BadText, UnknownName
from tlmviz.language_model import LanguageModel
from tlmviz.ui import compute, inputs, link

VIEWS = STEPS, COST, SIDE_BY_SIDE, CALCULATOR = ("Steps", "Cost", "Models", "Calculator")
# What the sidebar's menu of models does in views that have menus of their own.
OWN_MODELS = {
    SIDE_BY_SIDE: "*Model* at the left is for Steps and Cost; here it is the models below that read the text.",
    CALCULATOR: "*Model* at the left and the text are for Steps and Cost; here it is the model below.",
}
MOST = 48  # generated tokens
# A buffer that is filled at once holds at least 64 positions, so that from there on it is exactly full.
LENGTHS = (64, 96, 128, 192, 256, 384, 512, 768, 1024)


@dataclass(frozen=True)
class Choice:
    """A view, and the generation it is about: `tokens` after the text, looked at in one layer and head."""

    model: str
    text: str
    view: str = STEPS
    tokens: int = 40
    temperature: float = 0.8
    seed: int = 0
    layer: int = 0
    head: int = 0

    @property
    def lm(self) -> LanguageModel:
        """The model that generates."""
        return compute.model(self.model)


def choose(model: str) -> Choice | None:
    """Draw the controls and return their values; None, with a sentence, when the text leaves nothing to show."""
    lm = compute.model(model)
    text = inputs.text_box(lm)
    left, *places, right = st.columns([0.36, 0.14, 0.14, 0.36], vertical_alignment="center")
    view = left.segmented_control(
        "View",
        VIEWS,
        default=STEPS,
        key="kview",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    choice = Choice(model, text or "", view)
    if view == STEPS:
        if text is not None:
            link.open_on(f"kv:{model}", lambda: compute.previous_head(model, text))
        layer, head = inputs.head_menus(lm.config.n_layers, lm.config.n_heads, places)
        choice = replace(choice, layer=layer, head=head)
    if view in (STEPS, COST):
        choice = _sampling(choice, right)
    else:
        right.caption(OWN_MODELS[view])
    link.share()
    if view == CALCULATOR:  # needs no text
        return choice
    if text is None:
        return None
    return choice if view == SIDE_BY_SIDE else _fitting(choice)


def _sampling(choice: Choice, place) -> Choice:
    """How many tokens are generated, and how they are sampled: a popover at `place`."""
    with place.popover("Tokens, temperature, seed", width="stretch"):
        tokens = st.number_input(
            "Tokens to generate", 0, MOST, choice.tokens, key="ktok", bind="query-params"
        )
        temperature = st.number_input(
            "Temperature", 0.0, 2.0, choice.temperature, 0.1, key="ktemp", bind="query-params"
        )
        seed = st.number_input("Seed", 0, 9999, choice.seed, key="kseed", bind="query-params")
    return replace(choice, tokens=tokens, temperature=temperature, seed=seed)


def _fitting(choice: Choice) -> Choice | None:
    """The choice with as many tokens as fit behind its text; a sentence says what does not fit. None if none does."""
    config, prompt = choice.lm.config, len(choice.lm.encode(choice.text))
    try:
        decode_steps.check_room(config, prompt, choice.tokens)
    except BadText as error:
        limit = decode_steps.room(config, prompt)
        st.warning(f"{error} Shown: {limit}." if limit else str(error))
        return replace(choice, tokens=limit) if limit else None
    return choice


# --- models side by side ------------------------------------------------------------------------------


def choose_models(names: list[str], default: list[str]) -> tuple[list[str], int]:
    """The models to compare, and the length of their caches."""
    left, right = st.columns([0.74, 0.26], vertical_alignment="bottom")
    models = left.multiselect(
        "Models",
        names,
        default=default,
        key="kmods",
        bind="query-params",
        label_visibility="collapsed",
        placeholder="Choose models to compare",
    )
    return models, right.select_slider("Tokens in the cache", LENGTHS, 256, key="klen", bind="query-params")


# --- the calculator -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Deployment:
    """A model's shape and what is to be served: `batch` requests of `length` tokens, number formats, bytes of `memory`."""

    shape: Shape
    batch: int
    length: int
    bits: int
    weight_bits: int
    memory: float
    page: int | None


def choose_deployment(own: tuple[Shape, ...]) -> Deployment:
    """The calculator's controls; `own` are the bundled models' shapes."""
    places = st.columns([0.2, 0.13, 0.16, 0.14, 0.14, 0.13, 0.1])
    shape = _shape(places[0], own)
    batch = places[1].number_input("Requests", 0, 10**6, 1, key="kbatch", bind="query-params")
    length = places[2].number_input("Tokens each", 0, 10**8, 4096, 1024, key="kctx", bind="query-params")
    formats = list(cost.BITS)
    cache_format = places[3].selectbox("Cache in", formats, index=1, key="kfmt", bind="query-params")
    weight_format = places[4].selectbox("Weights in", formats, index=1, key="kwfmt", bind="query-params")
    memory = places[5].number_input(
        "Memory, GB",
        0,
        10**6,
        640,
        80,
        key="kmem",
        bind="query-params",
        help="Of all devices; 10⁹ bytes each",
    )
    page = places[6].number_input(
        "Page",
        0,
        4096,
        0,
        16,
        key="kpage",
        bind="query-params",
        help="Positions in a page, 0 for none. Requests take whole pages, which also keep what lies behind a window.",
    )
    bits, weight_bits = cost.BITS[cache_format], cost.BITS[weight_format]
    return Deployment(shape, batch, length, bits, weight_bits, memory * 1e9, page or None)


def _shape(place, own: tuple[Shape, ...]) -> Shape:
    """The menu of shapes at `place`. One in the link that does not exist is named in a sentence."""
    names = [shape.name for shape in (*shapes.SHAPES, *own)]
    linked = st.query_params.get("kshape")
    if linked is not None and linked not in names:
        try:
            shapes.find(linked, own)
        except UnknownName as error:
            st.warning(str(error))
    default = names.index("LLaMA 2 70B")
    name = place.selectbox("Model", names, index=default, key="kshape", bind="query-params")
    return shapes.find(name, own)
