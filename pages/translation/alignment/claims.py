"""What the parts of the page Alignment say alike: names of tokens and maps, and what a map's coverage costs."""

from __future__ import annotations

from collections.abc import Sequence

from tlmviz.figures import number, readable
from tlmviz.ui import markdown
from tlmviz.ui.language import _

from .data import Covered, Hypothesis, joined


def token(names: Sequence[str], at: int) -> str:
    """A token as Markdown; the piece of a word that is not its first begins with a dot."""
    return f"“{'·' * joined(names, at)}{markdown.plain(readable(names[at]))}”"


def map_name(base: Hypothesis) -> str:
    """What the map is called in a sentence."""
    mt, align = base.mt, base.align
    if align is None:
        return _("mean of all {count} maps", count=len(mt.maps))
    if len(mt.maps) == 1:
        return _("the model's attention")
    layer, head = mt.maps[align].split(".")
    return _("L{layer}H{head}", layer=layer, head=head)


def skipped(data: Covered) -> str | None:
    """The token that costs most for having been looked at too little."""
    costs = [number(cost, ".3f") for cost in data.costs]
    worst = int(data.costs.argmin())
    if float(costs[worst].replace("−", "-")) == 0:
        return None
    return _(
        "{token} was looked at least: {sum} in sum over all steps, which costs the translation {cost} nats.",
        token=token(data.source, worst),
        sum=f"{data.sums[worst]:.2f}",
        cost=costs[worst].lstrip("−"),
    )


def all_covered(data: Covered) -> str | None:
    """No token costs anything."""
    if skipped(data):
        return None
    return _("Every source token was looked at enough: the penalty is {cost} nats.", cost="0.000")


def looks_again(data: Covered) -> str | None:
    """The step that looks most where others looked before it."""
    losses = [f"{loss:.2f}" for loss in data.overlap]
    step = data.first_step
    if len(losses) < 2 or float(losses[step]) == 0:
        return None
    return _(
        "Step {step}, {token}, looks most where steps before it looked: an overlap of {overlap} with their average.",
        step=step + 1,
        token=token(data.target, step),
        overlap=losses[step],
    )


def never_again(data: Covered) -> str | None:
    """No step looks where one before it looked."""
    if len(data.weights) < 2 or looks_again(data):
        return None
    return _("No step looks where a step before it looked: every overlap is {overlap}.", overlap="0.00")


COVERAGE = skipped, all_covered, looks_again, never_again
