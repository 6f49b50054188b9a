"""What the part One product says about its picture, each where it is true, and what its parts are in any state."""

from __future__ import annotations

import math

from tlmviz.analysis.numbers.scaling import BLOCK, CHANNEL, SHARED, TENSOR
from tlmviz.figures import number
from tlmviz.ui.hints import Hint, to
from tlmviz.ui.language import N_, _, ngettext

from ..state import PERS
from .data import Data

STANDS_OUT = 4.0  # times the median channel
NEARLY_ALL = 0.99


def a_few_hold_all(data: Data) -> str | None:
    """A handful of numbers has nearly all of X's size, and under one scale nearly all others become 0."""
    if data.lost[0] < NEARLY_ALL or data.few > 10:
        return None
    return ngettext(
        "{n} number of {count} has 99% of the size of what {matrix} reads (its sum of squares). Under one scale for "
        "all, {format} makes {lost} of them 0, and the decibels, which weigh by size, hardly notice.",
        "{n} numbers of {count} have 99% of the size of what {matrix} reads (its sum of squares). Under one scale for "
        "all, {format} makes {lost} of them 0, and the decibels, which weigh by size, hardly notice.",
        data.few,
        count=f"{data.x.numel():,}",
        matrix=named(data.key),
        format=data.scheme.kept.name,
        lost=share(data.lost[0]),
    )


def one_is_loud(data: Data) -> str | None:
    """One channel is many times as loud as most, and one scale for all loses more numbers to 0."""
    one, other = map(share, data.lost)
    if round(data.ratio, 1) < STANDS_OUT or one == other or data.lost[0] < data.lost[1]:
        return None
    return _(
        "One channel of what {matrix} reads is {ratio} times as loud as the median one. Under one scale for all, "
        "{format} makes {one} of its numbers 0; under {per}, {other}.",
        matrix=named(data.key),
        ratio=_times(data),
        format=data.scheme.kept.name,
        one=one,
        per=scales(data),
        other=other,
    )


def all_alike(data: Data) -> str | None:
    """No channel stands out."""
    if round(data.ratio, 1) >= STANDS_OUT:
        return None
    return _(
        "No channel of what {matrix} reads stands out: the loudest is {ratio} times the median one.",
        matrix=named(data.key),
        ratio=_times(data),
    )


def loud_and_no_harm(data: Data) -> str | None:
    """A channel stands out, and no more numbers are lost for it."""
    if round(data.ratio, 1) < STANDS_OUT or one_is_loud(data):
        return None
    one, other = map(share, data.lost)
    return _(
        "One channel of what {matrix} reads is {ratio} times as loud as the median one, and that does no harm in "
        "{format}: it makes {one} of its numbers 0 under one scale for all, and {other} under {per}.",
        matrix=named(data.key),
        ratio=_times(data),
        format=data.scheme.kept.name,
        one=one,
        per=scales(data),
        other=other,
    )


def decibels(data: Data) -> str | None:
    """What the product keeps under the scheme, beside one scale for all."""
    one, other = (data.groupings[per][2] for per in (TENSOR, data.beside.per))
    if not (math.isfinite(one) and math.isfinite(other)) or f"{one:.1f}" == f"{other:.1f}":
        return None
    return _(
        "**The product O** stands {one} dB above its error under one scale for all, and {other} dB under {per}; 6 dB "
        "more is half the error.",
        one=number(one, ".1f"),
        other=number(other, ".1f"),
        per=scales(data),
    )


def price(data: Data) -> str | None:
    """What scales add to each number of X."""
    bits, own = data.groupings[data.scheme.per][3], data.scheme.kept.bits
    if f"{bits:.2f}" == f"{own:.2f}":
        return None
    return _(
        "**Scales take room**: with its share of them each number of X has {bits} bits instead of {own}.",
        bits=f"{bits:.2f}",
        own=own,
    )


CLAIMS = a_few_hold_all, one_is_loud, all_alike, loud_and_no_harm, decibels, price
HINTS = (Hint(N_("Choose *INT4* and *per tensor*."), to("rounding", format="int4", per=TENSOR)),)


def scales(data: Data) -> str:
    """How the scheme beside one scale for all shares its scales."""
    per, block = data.beside.per, data.beside.block
    return {
        CHANNEL: _("one for each token"),
        BLOCK: _("one for each {block} numbers", block=block),
        SHARED: _("a power of 2 for each {block} numbers", block=block),
    }[per]


def share(part: float) -> str:
    """A share in per cent, which is 0% and 100% only where it is: under 0.1%, over 99.9%."""
    written = f"{part:.1%}"
    if part not in (0, 1) and written in ("0.0%", "100.0%"):
        return str(_("under {least}", least="0.1%") if part < 0.5 else _("over {most}", most="99.9%"))
    return f"{part:.0%}" if part in (0, 1) else written


def _times(data: Data) -> str:
    return f"{data.ratio:,.0f}" if data.ratio >= 9.95 else f"{data.ratio:.1f}"


def named(key: str) -> str:
    """A matrix by its layer and what it is for."""
    layer, *rest = key.split(".")
    if not rest:
        return str(_("the model's head"))
    named = str(_("layer {layer} · {part}", layer=layer, part=rest[0]))
    return named + (" " + _("of expert {expert}", expert=rest[1]) if len(rest) > 1 else "")


def title(data: Data) -> str:
    """Which product, in which format."""
    per = _(PERS[data.scheme.per])
    return f"{data.chosen.model}, {named(data.key)}, {_('in {format} {per}', format=data.scheme.kept.name, per=per)}"


def worked_out(data: Data) -> str:
    """What the worked numbers are."""
    format = data.scheme.kept
    if not data.scheme.factors_out:
        return _(
            "With a scale for each block, each block's own sum is divided by its two scales before they are added: "
            "there is no one O_s to divide."
        )
    if format.exponent >= 8:
        return _("{format} has FP32's range: no scale is needed, S = 1.", format=format.name)
    said = _("From the largest number of O to its median; codes multiplied and added as integers.")
    simulated = _(
        "From the largest number of O to its median; codes multiplied and added as float32, on numbers of the format: "
        "simulated."
    )
    return said if format.integer else simulated


NOTICE = (
    N_(
        "**X** is what the matrix reads on this text, a row for each token. A **channel** is one of its columns. A "
        "scale brings numbers into the format's range; the largest number that shares it decides the step for all "
        "others."
    ),
    N_(
        "**Dots**: each channel by its loudest number, and how many decibels its numbers stand above their error "
        "(SQNR)."
    ),
)


MATHS = (
    N_(
        "$S$ multiplies before rounding, as in the notes; most code stores the step $1/S$ and divides. $S_X$ for "
        "each token and $S_W$ for each output leave the sum over $k$: $O_{tn} = O_{s,tn}/(S_{X,t}\\,S_{W,n})$. A "
        "scale for each channel $k$ of X would not; one for each block divides within the sum."
    ),
    N_("SQNR $= 10\\log_{10}\\,(\\sum x^2/\\sum (x-\\hat x)^2)$."),
    N_(
        "“Powers of 2” are the shared scales of the Microscaling formats (MX), 8 bits each: the step is "
        "$2^{\\lfloor\\log_2 \\max|x|\\rfloor-e}$ with $e$ the exponent of the format's largest number. What lies "
        "beyond that is cut: E4M3 ends at 448, not at 512."
    ),
)
