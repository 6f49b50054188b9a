"""What the part Cost says about its picture, each where it is true."""

from __future__ import annotations

from tlmviz.analysis.caches.decode_steps import NAIVE, WITH, WITHOUT
from tlmviz.figures.written import large, number
from tlmviz.ui.hints import OWN_TEXT
from tlmviz.ui.language import N_, _

from .data import FEWEST, Data

NAMES = {WITH: N_("with the cache"), WITHOUT: N_("without it"), NAIVE: N_("with the cache, naive")}


def fewer_operations(data: Data) -> str | None:
    """How many times the operations the last token takes without the cache."""
    kept, again = data.flops[WITH], data.flops[WITHOUT]
    times = f"{again / kept:.1f}"
    if times == "1.0":
        return None
    return _(
        "With the cache token {length} costs {kept} operations, without it {again}: {times} times as many, by formula.",
        length=f"{data.length:,}",
        kept=large(kept),
        again=large(again),
        times=times,
    )


def faster(data: Data) -> str | None:
    """The cache saves time, and all rounds say so."""
    if not data.told_apart or data.medians[WITH][1] >= data.medians[WITHOUT][0]:
        return None
    return _(
        "Measured: a token takes {kept} ms with the cache and {again} ms without it, medians of {rounds} rounds in "
        "which the ways took turns.",
        kept=span(data, WITH),
        again=span(data, WITHOUT),
        rounds=data.timing.rounds,
    )


def slower(data: Data) -> str | None:
    """The cache costs time: so short a text is read again as fast."""
    if not data.told_apart or faster(data):
        return None
    return _(
        "Measured: a token takes {kept} ms with the cache and {again} ms without it. So short a text is read again as "
        "fast: what a step costs besides its operations decides.",
        kept=span(data, WITH),
        again=span(data, WITHOUT),
    )


def not_told_apart(data: Data) -> str | None:
    """No times are shown."""
    if data.told_apart:
        return None
    if data.timing.rounds < FEWEST:
        return _("No times are shown: there was time for too few rounds to know how far they spread.")
    return _(
        "No times are shown: the rounds with the cache ({kept} ms) and without it ({again} ms) overlap, so they say "
        "nothing of their order.",
        kept=span(data, WITH),
        again=span(data, WITHOUT),
    )


def naive_costs_more(data: Data) -> str | None:
    """Latent attention without absorbed matrices."""
    if NAIVE not in data.flops:
        return None
    return _(
        "Latent attention that makes keys and values anew from the latent takes {times} times the operations of "
        "absorbed matrices.",
        times=f"{data.flops[NAIVE] / data.flops[WITH]:.1f}",
    )


CLAIMS = fewer_operations, faster, slower, not_told_apart, naive_costs_more
HINTS = (OWN_TEXT,)


def span(data: Data, way: str) -> str:
    """The least and the largest median of a round."""
    return " – ".join(number(value, ".2f") for value in data.medians[way])


def measured(data: Data) -> str:
    """Where the numbers that are shown come from."""
    said = _(
        "{length} positions, {steps} of them generated. Operations: products of matrices, by formula.",
        length=f"{data.length:,}",
        steps=data.base.done.steps,
    )
    return f"{said} {_('Other work on the server shows in the milliseconds.')}" if data.told_apart else said


NOTICE = (
    N_("Without the cache every token costs a pass over the whole text: the gap grows with the length."),
    N_("Of small models Python's overhead per layer hides much of what is saved."),
)
