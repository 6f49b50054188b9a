"""What the part Cost says about its picture, each where it is true, and what its parts are in any state."""

from __future__ import annotations

from tlmviz.figures import number
from tlmviz.ui.hints import Hint, to
from tlmviz.ui.language import N_, _, ngettext

from .data import AMONG, INPUTS, LATENTS, Data


def fewer(data: Data) -> str | None:
    """Latents need fewer scores."""
    if data.among <= data.by_latents:
        return None
    return ngettext(
        "To look at one another {inputs} inputs need {among} scores; read by {n:,} latent they need {by}, {ratio} "
        "times fewer.",
        "To look at one another {inputs} inputs need {among} scores; read by {n:,} latents they need {by}, {ratio} "
        "times fewer.",
        data.chosen.latents,
        ratio=_ratio(data.among / data.by_latents),
        **_values(data),
    )


def more(data: Data) -> str | None:
    """Latents need more scores, or as many."""
    if data.among > data.by_latents:
        return None
    return _(
        "For N = {inputs} and M = {latents} reading by latents takes {by} scores, and the inputs among themselves take "
        "{among}: latents pay off only where they are fewer.",
        **_values(data),
    )


def mixing(data: Data) -> str | None:
    """Latents spend more on one another than on reading."""
    if data.chosen.latents <= data.chosen.inputs:
        return None
    return _(
        "**The latents look at one another** more than at the inputs: {mix} scores of {by}.",
        mix=f"{data.chosen.latents**2:,}",
        **_values(data),
    )


def doubled(data: Data) -> str | None:
    """What twice as many inputs cost both ways."""
    inputs, latents = data.chosen.inputs, data.chosen.latents
    by = (2 * inputs * latents + latents**2) / data.by_latents
    if f"{by:.1f}" == "4.0":
        return None
    return _(
        "**Twice as many inputs** make four times as many scores among them, and {ratio} times as many by latents.",
        ratio=f"{by:.1f}",
    )


CLAIMS = fewer, more, mixing, doubled
HINTS = (Hint(N_("Drag N to its end."), to(inputs=65536)), Hint(N_("Drag M to its end."), to(latents=4096)))


def _values(data: Data) -> dict[str, str]:
    chosen = data.chosen
    values = {"inputs": chosen.inputs, "latents": chosen.latents, "among": data.among, "by": data.by_latents}
    return {name: f"{value:,}" for name, value in values.items()}


def _ratio(ratio: float) -> str:
    return number(ratio, ".1f" if ratio < 100 else ",.0f")


def measured(data: Data) -> str:
    """Where the measured times differ, and which way."""
    times, k = data.times, len(INPUTS) - 1
    faster = [m for m in LATENTS if data.apart(m, k) and max(times[m][k]) < min(times[AMONG][k])]
    if not faster:
        return _("On this machine the rounds overlap: which way is faster cannot be told.")
    ratio = min(times[AMONG][k]) / max(times[faster[0]][k])
    return _(
        "Of {inputs} inputs read by {latents} latents every round was at least {ratio} times as fast as "
        "self-attention.",
        inputs=f"{INPUTS[k]:,}",
        latents=faster[0],
        ratio=number(ratio, ".1f"),
    )


NOTICE = (
    N_("Each area is a number of scores, to one scale: a score is one query times one key."),
    N_("The latents are a bottleneck, at a price: what M rows cannot hold is lost."),
)
