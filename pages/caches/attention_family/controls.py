"""The controls of the page Attention family: a part of the page, sizes for the morph, and how heads are pruned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from tlmviz.analysis.caches.family import DEEPSEEK, Sizes, largest_family
from tlmviz.analysis.caches.similarity import SIMILARITIES
from tlmviz.language_model import LanguageModel
from tlmviz.trace import Trace
from tlmviz.ui import compute, inputs, link

VIEWS = MORPH, MAPS, LATENT, REDUNDANCY = (
    "Morph",
    "Trained maps",
    "Latent attention",
    "Redundancy",
)
TRAIN = "`python -m tlmviz.training zoo --data DIR`"
LOADED, PUBLISHED, FREE = "Loaded model", "DeepSeek", "Free sizes"
LENGTHS = (64, 256, 1024, 4096, 16_384, 65_536, 131_072)
FREE_SIZES = {  # session key: label, default, largest
    "fdm": ("d_model", 128, 32_768),
    "fqh": ("Query heads", 8, 128),
    "fhd": ("Head dimension", 16, 1024),
    "flat": ("Latent c_KV", 64, 8192),
    "frot": ("Rotary k_R", 8, 1024),
}
ORDERS = {"By single effect": "single", "Greedy": "greedy"}


@dataclass(frozen=True)
class Reading:
    """A model and the text it reads: what most measures of the page depend on, whatever part of it is open."""

    model: str
    text: str

    @property
    def lm(self) -> LanguageModel:
        """The model that reads."""
        return compute.model(self.model)

    @property
    def trace(self) -> Trace:
        """Its pass over the text."""
        return compute.trace(self.model, self.text)


@dataclass(frozen=True)
class Choice:
    """A part of the page, a model with its text, and the layer and head that some parts show."""

    view: str
    reading: Reading
    layer: int = 0
    head: int = 0


def choose(model: str) -> Choice | None:
    """Draw the controls and return their values; None, with a sentence, when there is nothing to show.

    Latent attention is shown of a model that has it, which a caption names.
    """
    text = inputs.text_box(compute.model(model))
    if text is None:
        return None
    warn_unknown("fview", "part of this page", VIEWS)
    view = st.segmented_control(
        "View",
        VIEWS,
        default=MORPH,
        key="fview",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    if view != LATENT:
        return Choice(view, Reading(model, text))
    latent = _latent_model(model)
    return Choice(view, Reading(latent, shortened(latent, text))) if latent else None


def choose_head(choice: Choice, layers: int, heads: int, shown: Reading | None = None) -> Choice:
    """The choice with the layer and head of its menus, which offer so many; at first one of the model that is `shown`."""
    reading = shown or choice.reading
    link.open_on(
        f"family:{choice.view}:{reading.model}", lambda: compute.previous_head(reading.model, reading.text)
    )
    layer, head = inputs.head_menus(layers, heads, st.columns([0.14, 0.14, 0.72])[:2])
    return replace(choice, layer=layer, head=head)


def family(model: str) -> list[str]:
    """Models that differ in their attention alone: this one's, or the largest such family there is."""
    names = largest_family(compute.configs(), model)
    return names if len(names) > 1 else []


def _latent_model(model: str) -> str | None:
    """The latent model that is shown: the loaded one, or with a caption another; with a sentence None if there is none."""
    names = [name for name, config in compute.configs().items() if config.attention.latent_dim is not None]
    if model in names:
        return model
    if not names:
        st.info(
            f"No bundled model has latent attention, so there is nothing to take apart; {TRAIN} trains one."
        )
        return None
    st.caption(
        f"{model} has no latent attention; the models that have it: {', '.join(names)}. **Shown is {names[0]}.**"
    )
    return names[0]


def shortened(model: str, text: str) -> str:
    """The part of a text that a model other than the loaded one reads; a sentence says what was cut."""
    part, tokens = compute.model(model).fit(text)
    if part != text:
        limit = compute.model(model).config.context
        st.warning(
            f"This text has {tokens:,} tokens and {model} reads {limit:,}: the first {limit:,} are shown."
        )
    return part


def warn_unknown(key: str, what: str, options: Sequence[str]) -> None:
    """A sentence where the link names something that does not exist: the default is shown instead."""
    linked = st.query_params.get(key)
    if linked is not None and linked not in options:
        st.warning(f"There is no {what} “{linked[:60]}”; there are {', '.join(options)}.")


# --- the morph ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Morph:
    """The sizes of one layer, the text length of its costs, and the index of the variant that is shown first."""

    sizes: Sizes
    length: int
    opening: int


def choose_morph(choice: Choice) -> Morph:
    """The morph's controls. Raises BadConfig for sizes that make no layer."""
    above = st.container()
    wide, narrow = st.columns([0.84, 0.16], vertical_alignment="center")
    with wide:
        sizes, length = _sizes(choice)
    names = [variant.name for variant in sizes.variants()]
    with above:
        warn_unknown("fat", "variant", names)
    # Other sizes have other groups: a variant that they do not have gives way to the first.
    name = link.menu(narrow, "Open at", names, "fat", label_visibility="collapsed")
    return Morph(sizes, length, names.index(name))


def _sizes(choice: Choice) -> tuple[Sizes, int]:
    """The sizes that the morph shows, and the text length of its costs."""
    warn_unknown("fset", "choice of sizes", (LOADED, PUBLISHED, FREE))
    left, middle, right = st.columns([0.46, 0.36, 0.18], vertical_alignment="center")
    source = left.segmented_control(
        "Sizes",
        (LOADED, PUBLISHED, FREE),
        default=LOADED,
        key="fset",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
        help="DeepSeek: d 7,168, 128 heads of 128, 576 = 512 + 64 cached numbers",
    )
    length = middle.select_slider(
        "Token",
        LENGTHS,
        4096,
        key="flen",
        bind="query-params",
        label_visibility="collapsed",
        format_func="decoding token {:,}".format,
    )
    with right.popover("Free sizes", width="stretch", disabled=source != FREE):
        numbers = [
            st.number_input(label, 0, most, value, key=key, bind="query-params")
            for key, (label, value, most) in FREE_SIZES.items()
        ]
    if source == PUBLISHED:
        return DEEPSEEK, length
    return (Sizes(*numbers) if source == FREE else Sizes.of(choice.reading.lm.config)), length


# --- redundancy -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ablation:
    """How heads are compared, in which order they are ablated, and what replaces their outputs ("zero" or "mean")."""

    similarity: str
    order: str
    how: str


def choose_ablation() -> Ablation:
    """The controls of the part Redundancy."""
    left, middle, right = st.columns([0.3, 0.32, 0.38], vertical_alignment="center")
    similarity = left.selectbox(
        "Similarity", list(SIMILARITIES), key="sim", bind="query-params", label_visibility="collapsed"
    )
    order = middle.segmented_control(
        "Order of pruning",
        list(ORDERS),
        default="By single effect",
        key="prn",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
        help="Greedy tries all remaining heads at every step: better, and much slower",
    )
    how = inputs.replacement_menu(right, label_visibility="collapsed", format_func="mute to {}".format)
    return Ablation(similarity, ORDERS[order], how)
