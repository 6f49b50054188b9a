"""What the part Calculator says about its picture, each where it is true."""

from __future__ import annotations

from tlmviz.analysis.caches.cost import Shape
from tlmviz.ui.guess import three_digits
from tlmviz.ui.hints import Hint, to
from tlmviz.ui.language import N_, _, ngettext

from .data import Data


def needs(data: Data) -> str | None:
    """What the requests' caches need."""
    return ngettext(
        "{model} needs a cache of {cache} for {n:,} request of {tokens}.",
        "{model} needs a cache of {cache} for {n:,} requests of {tokens}.",
        data.chosen.batch,
        model=data.shape.name,
        cache=size(data.whole),
        tokens=ngettext("{n:,} token", "{n:,} tokens", data.chosen.length),
    )


def more_than_weights(data: Data) -> str | None:
    """The caches are larger than the weights."""
    if data.weights is None or f"{data.whole / data.weights:.3g}" == "1" or data.whole < data.weights:
        return None
    return _(
        "That is {times} times as much as its weights, {weights}.",
        times=three_digits(data.whole / data.weights),
        weights=size(data.weights),
    )


def less_than_weights(data: Data) -> str | None:
    """The weights are larger."""
    if data.weights is None or f"{data.weights / data.whole:.3g}" == "1" or data.whole > data.weights:
        return None
    return _(
        "Its weights take {weights}, {times} times as much as that.",
        times=three_digits(data.weights / data.whole),
        weights=size(data.weights),
    )


def too_heavy(data: Data) -> str | None:
    """The weights alone do not fit."""
    if data.weights is None or data.weights <= data.chosen.memory * 1e9:
        return None
    return _(
        "The weights alone need {weights}, more than the {memory} GB that there are.",
        weights=size(data.weights),
        memory=f"{data.chosen.memory:,}",
    )


def too_many(data: Data) -> str | None:
    """So many requests do not fit at once."""
    if too_heavy(data) or data.fits >= data.chosen.batch:
        return None
    return ngettext(
        "{batch} at once do not fit: {n} does beside the weights.",
        "{batch} at once do not fit: {n:,} do beside the weights.",
        data.fits,
        batch=f"{data.chosen.batch:,}",
    )


def all_fit(data: Data) -> str | None:
    """The requests fit."""
    if too_heavy(data) or too_many(data):
        return None
    return ngettext(
        "{n} request of this length fits into {memory} GB beside the weights.",
        "{n:,} requests of this length fit into {memory} GB beside the weights.",
        data.fits,
        memory=f"{data.chosen.memory:,}",
    )


def too_long(data: Data) -> str | None:
    """Longer than the model was made for."""
    if data.chosen.length <= data.shape.context:
        return None
    return _("{model} was made to read {context} tokens.", model=data.shape.name, context=f"{data.shape.context:,}")


CLAIMS = too_heavy, needs, more_than_weights, less_than_weights, too_many, all_fit, too_long
HINTS = (Hint(N_("Make *Tokens each* 1,000,000."), to(length=1_000_000)),)


def size(count: float | None, unit: str = "B") -> str:
    """A count with its unit in three digits; a dash where it is not known."""
    if count is None:
        return "—"
    for prefix, factor in (("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if count >= factor:
            return f"{count / factor:.3g} {prefix}{unit}"
    return f"{count:.0f} {unit}"


def about(shape: Shape) -> str:
    """What is cached per token, and where the numbers come from."""
    return _(
        "{model}: {kind}, {kept} numbers per token and layer, {layers} layers. All by formula. FLOP: 2 × parameters "
        "that a token meets, and its attention.",
        model=shape.name,
        kind=shape.kind,
        kept=shape.written,
        layers=shape.n_layers,
    )


NOTICE = (
    N_("MHA pays for every head, GQA and MQA for groups of heads, MLA for one latent. A window stops the growth."),
    N_("Number formats below 16 bits also need scales, which are not counted."),
)
