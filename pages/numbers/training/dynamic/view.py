"""Draws the part Dynamic scaling: the scale through the logged steps of one run, and the losses of all."""

from __future__ import annotations

from tlmviz.analysis.numbers.half_runs import RUNS
from tlmviz.figures.numbers import loss_scaling as figures
from tlmviz.figures.numbers.loss_scaling import power_of_two
from tlmviz.ui import frame, menu
from tlmviz.ui.language import N_, _

from . import claims
from .data import Data
from .state import SCALED, Dynamic

EQUATION = (
    r"S_{t+1}=\begin{cases}S_t/2&\text{a gradient overflowed: no step}\\2\,S_t&\text{N good steps in a row}"
    r"\\S_t&\text{else}\end{cases}",
    "LLM notes, section 6 (“adjusting S automatically to prevent overflow”); torch.amp.GradScaler; Micikevicius et al. "
    "2018.",
)
# Columns: format, help.
COLUMNS = {
    N_("Scale"): ("", N_("S at the first and at the last step.")),
    N_("Skipped"): ("d", N_("Steps of 200 in which a gradient overflowed.")),
    N_("Zero"): (".2%", N_("Share of the gradients that are 0 in FP16, in the mean of the last 50 steps.")),
    N_("Loss"): (".3f", N_("Mean of the last 10 steps, nats per token.")),
}


def controls() -> Dynamic:
    """The run; no text is read."""
    menu.unread("text")
    Dynamic.run.draw()
    return Dynamic.of_session()


def picture(data: Data) -> None:
    """The scale step by step, the losses of all runs, and all of them in numbers."""
    mine = data.of(data.chosen.run)
    skipped = mine["kept"].to_numpy() == 1
    title = _("Logged: scale S; {skipped} of 200 steps skipped", skipped=int(skipped.sum()))
    figure = figures.scale_of_run(
        mine["scale"].to_numpy(), skipped, mine["lost"].to_numpy(), frame.theme(), title=title
    )
    frame.chart(figure, key="scale", alt=_("The scale of the loss step by step, and which steps were skipped"))
    frame.caption(claims.rule(data))
    losses = {name: data.of(key)["loss"].to_numpy() for key, name in SCALED.items()}
    title = _("Logged: loss of all runs, in the mean of 5 steps")
    figure = figures.losses(losses, frame.theme(), title=title, chosen=data.spec.name)
    frame.chart(figure, key="losses", alt=_("Losses of all runs"))
    columns = {_(name): (form, _(said)) for name, (form, said) in COLUMNS.items()}
    rows = []
    for key in SCALED:
        ends = (power_of_two(data.of(key)["scale"].iloc[at]) for at in (0, -1))
        values = " → ".join(dict.fromkeys(ends)), data.skipped(key), data.zero(key), data.end(key)
        rows.append({_("Run"): RUNS[key].name, **dict(zip(columns, values))})
    frame.table(
        rows,
        {name: form for name, (form, _said) in columns.items() if form},
        {name: said for name, (_form, said) in columns.items()},
    )
    frame.caption(claims.logged())


def snippet(data: Data) -> str:
    """The run with the public API."""
    return f"""\
from tlmviz.analysis.numbers import half_runs

log = half_runs.read()
run = log[log["run"] == {data.chosen.run!r}]
skipped = int((run["kept"] == 1).sum())
print(skipped, "steps skipped; loss at the end", run["loss"].tail(10).mean())
"""
