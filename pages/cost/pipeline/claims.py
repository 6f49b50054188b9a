"""What the page Pipeline says about its picture, each where it is true, and what its parts are in any state."""

from __future__ import annotations

from tlmviz.analysis.cost.pipeline import GPIPE, ONE, SCHEDULES
from tlmviz.figures import number
from tlmviz.ui.hints import Hint, to, where
from tlmviz.ui.language import N_, _, ngettext

from .data import Data


def cannot_run(data: Data) -> str | None:
    """The chosen schedule cannot run, and another can."""
    best = _best(data)
    if data.run or not best:
        return None
    return _(
        "{schedule} cannot run here; of those that can, none waits less than {best}: its devices stand idle {share} of "
        "the time.",
        schedule=data.chosen.schedule,
        best=best[0],
        share=_percent(data.runs[best[0]].bubble),
    )


def nobody_waits(data: Data) -> str | None:
    """One device alone."""
    if not data.run or data.run.bubble > 1e-9:
        return None
    return _("No device ever waits here: {schedule} keeps all of them at work.", schedule=data.chosen.schedule)


def waits_least(data: Data) -> str | None:
    """The chosen schedule waits least, alone or with others."""
    best = _best(data)
    if data.chosen.schedule not in best or nobody_waits(data):
        return None
    share = _percent(data.run.bubble)
    if len(best) > 1:
        return _("The devices stand idle {share} of the time, and no other schedule waits less here.", share=share)
    return _("The devices stand idle {share} of the time: every other that can run here waits longer.", share=share)


def another_waits_less(data: Data) -> str | None:
    """Another schedule waits less."""
    best = _best(data)
    if not data.run or data.chosen.schedule in best:
        return None
    return _(
        "The devices stand idle {share} of the time; with {best} the same work would leave them {least}.",
        share=_percent(data.run.bubble),
        best=best[0],
        least=_percent(data.runs[best[0]].bubble),
    )


def less_held(data: Data) -> str | None:
    """1F1B waits as long as GPipe and holds less."""
    gpipe, one = data.runs[GPIPE], data.runs[ONE]
    more, less = (number(run.peak(), ".3g") for run in (gpipe, one))
    if abs(gpipe.time - one.time) > 1e-9 or one.peak() >= gpipe.peak() or more == less:
        return None
    return _(
        "**GPipe and 1F1B** wait equally long; what a device must remember at most falls from {more} micro-batches to "
        "{less}.",
        more=more,
        less=less,
    )


def off_the_formula(data: Data) -> str | None:
    """The run is not what the paper's formula says."""
    if not data.run:
        return None
    formula, share = SCHEDULES[data.chosen.schedule].formula(data.setting), data.run.bubble
    if number(formula, ".1%") == number(share, ".1%"):
        return None
    return _(
        "The paper's formula, for equal stages and free messages, gives {formula} of bubble; this run has {share}.",
        formula=number(formula, ".1%"),
        share=number(share, ".1%"),
    )


CLAIMS = cannot_run, nobody_waits, waits_least, another_waits_less, less_held, off_the_formula
HINTS = (
    Hint(N_("Press ▶, or drag through time."), where(lambda data: data.run)),
    Hint(
        N_("Choose *1F1B*: its timeline is drawn."),
        where(lambda data: ONE in data.runs, to(schedule=ONE)),
        lambda before, after: after.run is not None,
    ),
)


def _percent(share: float) -> str:
    return number(max(share, 0.0), ".1%")


def _best(data: Data) -> list[str]:
    """The schedules that wait least, by what a reader sees; most known first."""
    shown = {name: float(_percent(run.bubble)[:-1]) for name, run in data.runs.items()}
    return [name for name, share in shown.items() if share == min(shown.values())]


def title(data: Data) -> str:
    """The schedule and what comes out."""
    return _(
        "{schedule}, simulated: {stages}, {micro}, {share} of the time is bubble",
        schedule=data.chosen.schedule,
        stages=ngettext("{n} stage", "{n} stages", data.setting.stages),
        micro=ngettext("{n} micro-batch", "{n} micro-batches", data.setting.micro),
        share=number(data.run.bubble, ".1%"),
    )


NOTICE = (
    N_(
        "**A bubble** is time in which a device waits: at the start for its first input, at the end for its last "
        "gradient. More micro-batches make it a smaller share."
    ),
    N_("**1F1B** does a backward as early as possible: that frees what its forward left."),
    N_(
        "**Interleaved**, a device has several thin slices of the model: the pipeline fills v times as fast, and "
        "sends v times as many messages."
    ),
    N_(
        "**Zero bubble** splits the backward. Only the gradient by the inputs is waited for; that by the weights "
        "fills gaps."
    ),
    N_(
        "**DualPipe** sends micro-batches in from both ends, and runs a forward beside a backward: messages of one "
        "are hidden behind the other's work. Every device holds two stages: twice the weights."
    ),
    N_(
        "**Held** is counted in what one micro-batch leaves on a device with an even share of the layers: a device "
        "with fewer layers, or one that recomputes, holds a part of that."
    ),
)


MATHS = (
    N_(
        "Interleaved, the first device holds $p\\,(1+\\tfrac{p-1}{pv})$ micro-batches; recomputed, a layer keeps 2 "
        "of its 34 bytes for each number of its input (Korthikanti et al. 2022, without attention maps)."
    ),
    N_(
        "With even stages, free messages and m ≥ p, ZB-H1 waits as its paper says while W ≤ F and W ≤ B; a longer "
        "W does not fit into its gap, and it waits longer. DualPipe's formula is exact for F = B and W ≤ F, and a "
        "few percent off elsewhere."
    ),
)


def rules() -> tuple[str, ...]:
    """The rules of the simulation."""
    return (
        _("**It is a simulation**: no device is measured. Times are those of the sliders."),
        _(
            "A device does one thing at a time, in the order of its schedule, which no delay changes. Two tasks that "
            "DualPipe joins count as one thing: they begin and end together and take as long as both in turn."
        ),
        _(
            "A forward starts when the stage before has sent its output; a backward when the stage after has sent its "
            "gradient and its own forward is done; a weights' gradient when the inputs' gradient of its micro-batch is "
            "done."
        ),
        _("A backward that is not split sends its gradient when both gradients are done."),
        _(
            "A message to another device takes the time per hop. Overlapped, its sender goes on; if not, it waits "
            "until the message has arrived, except in DualPipe's joined tasks, which are there to hide it. Messages "
            "never wait for one another."
        ),
        _(
            "A stage takes time and memory in proportion to its layers. Where they do not divide evenly, the first "
            "stages have one more."
        ),
        _(
            "Activations are held from the start of a forward to the end of that micro-batch's last gradient on the "
            "stage. The optimizer's step, gradients between stages and the loss take neither time nor memory."
        ),
    )
