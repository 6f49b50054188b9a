"""What the page "KV cache" keeps: recorded generations, times, sizes of real caches, and its controls."""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import median

import numpy as np
import streamlit as st
import torch

from tlmviz.analysis.caches import cost, decode_steps, shapes
from tlmviz.analysis.caches.cost import Shape
from tlmviz.analysis.caches.decode_steps import Decoding, Timing
from tlmviz.checkpoints.registry import language_config
from tlmviz.checks import Check, caches_decoding, measure
from tlmviz.checks.caches_sizes import formula_is_nbytes
from tlmviz.config import ModelConfig, with_plain_attention
from tlmviz.errors import BadText, UnknownName
from tlmviz.networks.transformer import n_parameters
from tlmviz.ui import compute, inputs

VIEWS = STEPS, COST, SIDE_BY_SIDE, CALCULATOR = ("Steps", "Cost", "Models", "Calculator")
MOST = 48  # generated tokens
# A buffer that is filled at once holds at least 64 positions, so that from there on it is exactly full.
LENGTHS = (64, 96, 128, 192, 256, 384, 512, 768, 1024)
TIMED = 7  # steps behind a median
CHECKED = 256  # positions at most of the cache that the calculator is held to

# --- computed once ----------------------------------------------------------------------------------


@st.cache_resource(max_entries=24, show_spinner=False)
def decoded(
    name: str, text: str, tokens: int, temperature: float, seed: int, layer: int, head: int
) -> tuple[Decoding, list[Check]]:
    """A generation with its rows, and the identities behind the page measured on it."""
    lm = compute.model(name)

    def work() -> tuple[Decoding, list[Check]]:
        done = decode_steps.decode(lm, lm.encode(text), tokens, layer, head, temperature, seed)
        return done, measure(caches_decoding, lm, done, layer, head)

    return compute.run_in_worker(work, compute.about(text))


@st.cache_resource(max_entries=24, show_spinner=False)
def timed(name: str, ids: tuple[int, ...], prompt: int) -> Timing:
    """Milliseconds per token, measured when first asked for."""
    lm = compute.model(name)
    return compute.run_in_worker(lambda: decode_steps.measure(lm, list(ids), prompt), len(ids))


@dataclass(frozen=True)
class Sized:
    """A model's own kind of cache: `nbytes` after reading `lengths` positions at once, and one further step's time."""

    lengths: np.ndarray
    nbytes: np.ndarray
    milliseconds: float


@st.cache_resource(max_entries=64, show_spinner=False)
def sized(name: str, text: str, length: int) -> Sized:
    """Real caches up to a length, filled with the text over and over. Raises BadText beyond learned positions."""
    lm = compute.model(name)
    ids = torch.tensor(lm.tokenizer.encode(text) * length)[:length][None]

    def work() -> Sized:
        lengths = [some for some in LENGTHS if some <= length]
        caches = [lm.new_cache() for _ in lengths]
        for cache, some in zip(caches, lengths):
            lm(ids[:, :some], cache)
        nbytes = [cache.nbytes for cache in caches]
        context = lm.new_cache()
        lm(ids[:, : length - TIMED], context)
        times = [
            decode_steps.milliseconds(lm, [int(ids[0, i])], context) for i in range(length - TIMED, length)
        ]
        return Sized(np.array(lengths), np.array(nbytes), median(times))

    return compute.run_in_worker(work, length)


@st.cache_data(max_entries=64, show_spinner=False)
def size_check(name: str, length: int) -> Check:
    """The calculator's formula against `nbytes` of a real cache that is exactly full."""
    lm = compute.model(name)
    length = max(LENGTHS[0], min(length, CHECKED, lm.config.context))
    check = compute.run_in_worker(lambda: formula_is_nbytes(lm, length), length)
    return replace(check, name=f"{check.name} at {length}")


@st.cache_data(show_spinner=False)
def configs() -> dict[str, ModelConfig]:
    """The bundled models' configurations."""
    return {name: language_config(name) for name in compute.models()}


def family() -> list[str]:
    """The largest group of bundled models that differ in what they cache and in nothing else."""
    groups: dict[ModelConfig, list[str]] = {}
    for name, config in configs().items():
        groups.setdefault(with_plain_attention(config), []).append(name)
    return (
        sorted(
            max(groups.values(), key=len),
            key=lambda name: -Shape.of(configs()[name]).numbers_per_token_per_layer,
        )
        if groups
        else []
    )


@st.cache_data(show_spinner=False)
def own_shapes() -> tuple[Shape, ...]:
    """The bundled models as shapes of the calculator."""
    return tuple(Shape.of(config, n_parameters(config)) for config in configs().values())


# --- controls ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """What is to be generated and looked at."""

    view: str
    tokens: int
    temperature: float
    seed: int
    layer: int
    head: int


def controls(config: ModelConfig) -> Asked:
    """The view, and how to generate; layer and head are those of all pages."""
    choice, *places, more = st.columns([0.36, 0.14, 0.14, 0.36], vertical_alignment="center")
    view = choice.segmented_control(
        "View",
        VIEWS,
        default=STEPS,
        key="kview",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    layer = head = 0
    if view == STEPS:
        layer, head = inputs.head_menus(config.n_layers, config.n_heads, places)
    tokens, temperature, seed = 40, 0.8, 0
    if view in (STEPS, COST):
        with more.popover("Tokens, temperature, seed", width="stretch"):
            tokens = st.number_input("Tokens to generate", 0, MOST, tokens, key="ktok", bind="query-params")
            temperature = st.number_input(
                "Temperature", 0.0, 2.0, temperature, 0.1, key="ktemp", bind="query-params"
            )
            seed = st.number_input("Seed", 0, 9999, seed, key="kseed", bind="query-params")
    return Asked(view, tokens, temperature, seed, layer, head)


def generation(name: str, text: str, asked: Asked) -> tuple[Decoding, list[Check]] | None:
    """The asked-for generation; a sentence says what does not fit, and what fits is generated."""
    lm = compute.model(name)
    prompt = len(lm.encode(text))
    try:
        decode_steps.check_room(lm.config, prompt, asked.tokens)
    except BadText as error:
        limit = decode_steps.room(lm.config, prompt)
        st.warning(f"{error} Shown: {limit}." if limit else str(error))
        if not limit:
            return None
        asked = replace(asked, tokens=limit)
    return decoded(name, text, asked.tokens, asked.temperature, asked.seed, asked.layer, asked.head)


@dataclass(frozen=True)
class Setting:
    """What the calculator is asked; bytes of `memory`."""

    shape: Shape
    batch: int
    length: int
    bits: int
    weight_bits: int
    memory: float
    page: int | None


def setting(own: tuple[Shape, ...]) -> Setting:
    """The calculator's controls. A shape in the link that does not exist is named in a sentence."""
    names = [shape.name for shape in (*shapes.SHAPES, *own)]
    wanted = st.query_params.get("kshape")
    if wanted is not None and wanted not in names:
        try:
            shapes.find(wanted, own)
        except UnknownName as error:
            st.warning(str(error))
    places = st.columns([0.2, 0.13, 0.16, 0.14, 0.14, 0.13, 0.1])
    named = places[0].selectbox(
        "Model", names, index=names.index("LLaMA 2 70B"), key="kshape", bind="query-params"
    )
    batch = places[1].number_input("Requests", 0, 10**6, 1, key="kbatch", bind="query-params")
    length = places[2].number_input("Tokens each", 0, 10**8, 4096, 1024, key="kctx", bind="query-params")
    formats = list(cost.BITS)
    stored = places[3].selectbox("Cache in", formats, index=1, key="kfmt", bind="query-params")
    weights = places[4].selectbox("Weights in", formats, index=1, key="kwfmt", bind="query-params")
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
    return Setting(
        shapes.find(named, own),
        batch,
        length,
        cost.BITS[stored],
        cost.BITS[weights],
        memory * 1e9,
        page or None,
    )
