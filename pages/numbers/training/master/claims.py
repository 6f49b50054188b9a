"""What the part Master weights says about its pictures, each where it is true."""

from __future__ import annotations

import numpy as np

from tlmviz.analysis.numbers.master_weights import DIE as BY_DIE
from tlmviz.analysis.numbers.master_weights import RATE, STORED, unchanged
from tlmviz.analysis.numbers.master_weights import STEPS as STEPS_OF_ADAM
from tlmviz.figures import number
from tlmviz.ui import markdown
from tlmviz.ui.hints import Hint, to
from tlmviz.ui.language import N_, _, listed

from .data import BF16, DIE, FP16, FP32, Data
from .state import STEPS

NAMES = {"bf16": "BF16", "fp16": "FP16"}
LAST = 10  # steps whose mean loss is a run's end


def stands_still(data: Data) -> str | None:
    """A format keeps the weight where it is, though it should move."""
    names = _still(data)
    if not names or data.update == 0:
        return None
    return _(
        "{steps} updates of {update} leave a weight of {weight} exactly where it is in {names}: each is less than half "
        "the way to the format's next number. It should come to {exact}.",
        steps=STEPS,
        update=written(data.update, 2),
        weight=written(data.weight),
        names=listed(names),
        exact=written(data.paths["exact"][-1]),
    )


def all_move(data: Data) -> str | None:
    """Every format takes up something."""
    if _still(data) or data.update == 0:
        return None
    ends = {name: path[-1] for name, path in data.paths.items() if name not in ("exact", BY_DIE)}
    exact = data.paths["exact"][-1]
    worst = max(ends, key=lambda name: abs(ends[name] - exact))
    return _(
        "{steps} updates of {update} take a weight of {weight} to {exact}; furthest off comes {name}, to {end}.",
        steps=STEPS,
        update=written(data.update, 2),
        weight=written(data.weight),
        exact=written(exact),
        name=worst,
        end=written(ends[worst]),
    )


def no_update(data: Data) -> str | None:
    """Nothing is added."""
    if data.update != 0:
        return None
    return _("An update of 0 moves nothing: type another one, such as 1e-4.")


def die_comes_near(data: Data) -> str | None:
    """Rounded by a die, the weight ends nearer to where it should than in BF16."""
    die, plain, exact = (data.paths[name][-1] for name in (BY_DIE, "BF16", "exact"))
    if not abs(die - exact) < abs(plain - exact):
        return None
    return _(
        "**A die** that rounds up as often as the update is worth brings it to {die}: right in the mean, without a "
        "master copy.",
        die=written(die),
    )


def bf16_hardly_learns(data: Data) -> str | None:
    """Of the logged runs: what weights in BF16 alone cost."""
    ends = {key: f"{path[-LAST:].mean():.2f}" for key, path in data.learned.items()}
    if float(ends[BF16]) <= float(ends[FP32]):
        return None
    return _(
        "**Logged**: learning French, weights kept in BF16 alone end at {bf16} nats per token, with a master copy in "
        "FP32 at {fp32}, in BF16 by a die at {die}. A step left {still} of the weights as they were in BF16, {less} in "
        "FP16.",
        bf16=ends[BF16],
        fp32=ends[FP32],
        die=ends[DIE],
        still=f"{data.still(BF16):.0%}",
        less=f"{data.still(FP16):.0%}",
    )


CLAIMS = stands_still, all_move, no_update, die_comes_near, bf16_hardly_learns
HINTS = (Hint(N_("Make *Update −η·g of each step* 0.01."), to(update="0.01")),)


def real_step(data: Data) -> str | None:
    """What a real step leaves as it was, at a rate to hold on to."""
    said = {key: f"{unchanged(data.updates, dtype, RATE):.0%}" for key, dtype in STORED.items()}
    if said["bf16"] == said["fp16"]:
        return None
    return _(
        "At a rate of 3·10⁻⁵ a step of AdamW leaves {bf16} of {model}'s weights as they are in BF16, {fp16} in FP16.",
        bf16=said["bf16"],
        model=data.chosen.model,
        fp16=said["fp16"],
    )


def _still(data: Data) -> list[str]:
    return [
        name for name, path in data.paths.items() if name not in ("exact", BY_DIE) and bool(np.all(path == path[0]))
    ]


def written(value: float, digits: int = 4) -> str:
    """A number of the page."""
    plain = value == 0 or 1e-3 <= abs(value) < 1e4 or not np.isfinite(value)
    return number(value, ".4g") if plain else number(value, f".{digits - 1}e")


def refused(text: str, value: float) -> str:
    """What was typed and is no number."""
    return _(
        "“{text}” is no number that FP32 holds; write a finite one, such as 0.1 or 1e-4. Shown is {value}.",
        text=markdown.plain(text),
        value=f"{value:g}",
    )


def how_measured(data: Data) -> str:
    """How the real step was measured."""
    return _(
        "Step {step} of AdamW, each on another row of the batch where it has several, from weights as the format keeps "
        "them; {some} of {all} weights, spread evenly.",
        step=STEPS_OF_ADAM,
        some=f"{len(data.updates.weights):,}",
        all=f"{data.updates.total:,}",
    )


NOTICE = (
    N_(
        "**An update is lost** where it is less than half the distance to the next number of the format: w + "
        "update is rounded back to w, this step and every step after it. A **master copy** in FP32 takes up all of "
        "them; what the matrix products see is its rounded version."
    ),
    N_(
        "FP16 has 8 times as many numbers per doubling as BF16, so it loses fewer updates; but what it does not "
        "lose it may round up, to more than was asked for. The smaller the rate, the more is lost."
    ),
)


MATHS = (
    N_(
        "BF16 keeps w unless $|\\eta u|>\\tfrac12\\,\\mathrm{ulp}(w)$, between $2^{-9}|w|$ and $2^{-8}|w|$; Adam's "
        "$|u|$ is at most about 1."
    ),
    N_("Stochastic rounding: up with probability (x − below)/(above − below), so $\\mathbb{E}[\\mathrm{SR}(x)]=x$."),
)
