"""What the part Dynamic scaling says about its pictures, each where it is true."""

from __future__ import annotations

from tlmviz.analysis.numbers.half_runs import PARTS
from tlmviz.analysis.numbers.loss_scaling import LENGTH, ROWS
from tlmviz.figures import number
from tlmviz.figures.numbers.loss_scaling import power_of_two
from tlmviz.ui.hints import Hint, to
from tlmviz.ui.language import N_, _, ngettext

from .data import EXACT, LAST, Data
from .state import STEPS

RUINED = 1.0  # nats above the run in FP32


def learns(data: Data) -> str | None:
    """The run ends near the one in FP32."""
    mine, exact = _ends(data)
    if data.chosen.run == EXACT or float(mine) - float(exact) > RUINED:
        return None
    return ngettext(
        "{name} ends at a loss of {mine} nats per token, FP32 at {exact}; {n} of its {steps} logged steps was skipped.",
        "{name} ends at a loss of {mine} nats per token, FP32 at {exact}; {n} of its {steps} logged steps were "
        "skipped.",
        data.skipped(data.chosen.run),
        name=data.spec.name,
        mine=mine,
        exact=exact,
        steps=STEPS,
    )


def ruined(data: Data) -> str | None:
    """The run does not learn."""
    mine, exact = _ends(data)
    if float(mine) - float(exact) <= RUINED:
        return None
    return _(
        "{name} learns nothing: it ends at a loss of {mine} nats per token, FP32 at {exact}. {zero} of its gradients "
        "are 0 and {skipped} of its {steps} logged steps were skipped.",
        name=data.spec.name,
        mine=mine,
        exact=exact,
        zero=f"{data.zero(data.chosen.run):.1%}",
        skipped=data.skipped(data.chosen.run),
        steps=STEPS,
    )


def no_bits_lost(data: Data) -> str | None:
    """The run that the others are held against."""
    if data.chosen.run != EXACT:
        return None
    return _(
        "FP32 needs no scale: in {steps} logged steps it comes to a loss of {end} nats per token.",
        steps=STEPS,
        end=_ends(data)[1],
    )


def climbs(data: Data) -> str | None:
    """A dynamic scale moves: from where to where."""
    scale = data.of(data.chosen.run)["scale"]
    first, last, most = power_of_two(scale.iloc[0]), power_of_two(scale.iloc[-1]), power_of_two(scale.max())
    if data.spec.interval is None or first == last == most:
        return None
    return _(
        "S is doubled after {interval} good steps and halved where a gradient overflows: it starts at {first}, reaches "
        "{most} and ends at {last}.",
        interval=data.spec.interval,
        first=first,
        most=most,
        last=last,
    )


CLAIMS = ruined, learns, no_bits_lost, climbs
HINTS = (
    Hint(N_("Choose *FP16, S = 1, large batch*."), to(run="parts")),
    Hint(N_("Choose *FP16, dynamic, large batch*."), to(run="parts-dynamic")),
)


def _ends(data: Data) -> tuple[str, str]:
    return f"{data.end(data.chosen.run):.3f}", f"{data.end(EXACT):.3f}"


def rule(data: Data) -> str:
    """A run's name and its rule."""
    how = _("doubled after {n} good steps", n=data.spec.interval) if data.spec.interval else _("fixed")
    return _("{name}: S starts at {scale}, {how}.", name=data.spec.name, scale=power_of_two(data.spec.start), how=how)


def logged() -> str:
    """What all runs have in common."""
    return _(
        "**Logged**, one seed each: the same 200 batches of {tokens} tokens of stories, a model of zoo-rope's sizes "
        "from random weights, matrix products rounded to FP16 forwards and backwards and added up in FP32; by python "
        "-m tlmviz.training half. A run's end is the mean of its last {last} steps. “Large batch”: the loss is divided "
        "by {parts}, as if this were one of so many parts, and the sum of the parts' gradients is taken to be {parts} "
        "times this one.",
        tokens=ROWS * LENGTH,
        last=LAST,
        parts=number(PARTS, ",d"),
    )


NOTICE = (
    N_(
        "Nobody knows the best S beforehand. **Grow** it after so many good steps; where a gradient overflows, "
        "**skip** the step and **halve** S. So it climbs until it hits the ceiling, and then stays just below."
    ),
)


MATHS = (
    N_(
        "torch.amp.GradScaler: $S\\leftarrow 2S$ after N steps without overflow, $S\\leftarrow S/2$ on overflow. "
        "Its own N is 2000; here it is 5 to 40, so that 200 steps show it."
    ),
    N_(
        "Adam divides by the gradients' size, so a scale alone would change nothing in FP32; what counts is what "
        "FP16 loses."
    ),
)
