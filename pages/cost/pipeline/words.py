"""The words of the page Pipeline: claim, rules, what to notice, equation, table, snippet."""

from __future__ import annotations

from typing import Any

from tlmviz.analysis.cost.pipeline import SCHEDULES, Run
from tlmviz.figures import number

from .controls import Choice

CLAIM = "Devices that share a model's layers wait for one another: how long, the order of the work decides."
NOTICE = (
    "**A bubble** is time in which a device waits: at the start for its first input, at the end for its last gradient. More "
    "micro-batches make it a smaller share, never a shorter time.",
    "**GPipe and 1F1B** wait equally long. What 1F1B saves is memory: a backward as early as possible frees what its forward "
    "left, so that at most p micro-batches are held, however many there are.",
    "**Interleaved**, a device has several thin slices of the model: the pipeline fills v times as fast, and sends v times as "
    "many messages.",
    "**Zero bubble** splits the backward. Only the gradient by the inputs is waited for; that by the weights fills gaps.",
    "**DualPipe** sends micro-batches in from both ends, and runs a forward beside a backward: messages of one are hidden behind "
    "the other's work. Every device holds two stages: twice the weights.",
)
NOTICE_MATHS = (
    "Memory is counted in what one micro-batch leaves on one device with L/p layers. Interleaved, the first device holds "
    "$p\\,(1+\\tfrac{p-1}{pv})$ of these; recomputed, a layer keeps 2 of its 34 bytes for each number of its input "
    "(Korthikanti et al. 2022, without attention maps).",
    "With even stages, free messages and m ≥ p, ZB-H1 waits as its paper says while W ≤ F and W ≤ B; a longer W does not fit "
    "into its gap, and it waits longer. DualPipe's formula is exact for F = B and W ≤ F, and a few percent off elsewhere.",
)
RULES = (
    "**It is a simulation**: no device is measured. Times are those of the sliders.",
    "A device does one thing at a time, in the order of its schedule, which no delay changes. Two tasks that DualPipe joins "
    "count as one thing: they begin and end together and take as long as both in turn.",
    "A forward starts when the stage before has sent its output; a backward when the stage behind has sent its gradient and its "
    "own forward is done; a weights' gradient when the inputs' gradient of its micro-batch is done.",
    "A backward that is not split sends its gradient when both gradients are done.",
    "A message to another device takes the time per hop. Overlapped, its sender goes on; if not, it waits until the message has "
    "arrived, except in DualPipe's joined tasks, which are there to hide it. Messages never wait for one another.",
    "A stage takes time and memory in proportion to its layers. Where they do not divide evenly, the first stages have one more.",
    "Activations are held from the start of a forward to the end of that micro-batch's last gradient on the stage. The "
    "optimizer's step, gradients between stages and the loss take neither time nor memory.",
)
EQUATION = (
    r"\text{bubble's share}=\frac{p-1}{m+p-1}\ \text{(GPipe, 1F1B)},\qquad \text{wait: interleaved }\frac{(p-1)(F+B+W)}{v},\quad "
    r"\text{ZB-H1 }(p-1)(F+B-W),\quad \text{DualPipe }\Big(\frac p2-1\Big)(F+2B-W)",
    "Decoder-Only Transformers in Einstein Notation, section 7 (names the bubble, gives no formula). GPipe: Huang et al. 2019, "
    "section 2.3; 1F1B (PipeDream-Flush) and interleaved: Narayanan et al. 2021, section 2.2; ZB-H1: Qi et al. 2023, Table 2; "
    "DualPipe: DeepSeek-V3 2024, Table 2, whose B is B + W here and whose F&B is F + B + W.",
)
COLUMNS = {
    "Time": ".4g",
    "Bubble": ".1%",
    "Formula": ".1%",
    "Only sending": ".1%",
    "Most held": ".3g",
    "Least held": ".3g",
    "Weights": ".0f",
}
HELPS = {
    "Time": "From the first forward to the last gradient, in the sliders' unit.",
    "Bubble": "The share of the time in which devices wait, in the mean.",
    "Formula": "What the paper gives for equal stages and messages that take no time.",
    "Only sending": "The share of the time in which devices wait until a message of theirs has arrived.",
    "Most held": "The fullest device's activations: 1 is what a micro-batch leaves on an even share of the layers.",
    "Least held": "The peak of the device that holds least.",
    "Weights": "How many stages' weights a device holds.",
}
ALL_SCHEDULES_HEADING = "**All schedules on this pipeline**"
BUBBLES_ALT = "Share of the time in which devices wait, against the number of micro-batches"
RULES_HEADING = "The rules of this simulation"


def title(run: Run) -> str:
    """The schedule and what comes out."""
    setting = run.setting
    return (
        f"{run.schedule}, simulated: {setting.stages} stage{'s' * (setting.stages > 1)}, {setting.micro} "
        f"micro-batch{'es' * (setting.micro > 1)}, {number(run.bubble, '.1%')} of the time is bubble"
    )


def rows(found: dict[str, Run | str]) -> list[dict[str, Any]]:
    """The table of all schedules; one that cannot run has dashes."""
    table = []
    for name, run in found.items():
        row: dict[str, Any] = {"Schedule": name, **dict.fromkeys(COLUMNS), "Source": SCHEDULES[name].source}
        if isinstance(run, Run):
            peaks = [run.peak(device) for device in range(run.setting.stages)]
            row |= {
                "Time": run.time,
                "Bubble": run.bubble,
                "Formula": SCHEDULES[name].formula(run.setting),
                "Only sending": run.sending,
                "Most held": max(peaks),
                "Least held": min(peaks),
                "Weights": SCHEDULES[name].copies,
            }
        table.append(row)
    return table


def snippet(choice: Choice) -> str:
    """The schedules with the public API."""
    return f"""\
from tlmviz.analysis.cost import pipeline
from tlmviz.errors import BadSchedule

setting = pipeline.{choice.setting!r}
for name, schedule in pipeline.SCHEDULES.items():
    try:
        run = pipeline.simulate(name, setting)
    except BadSchedule as error:
        print(error)
        continue
    print(f"{{name}}: time {{run.time:.4g}}, holds {{run.peak():.3g}}")
    print(f"  bubble {{run.bubble:.1%}}, by the formula {{schedule.formula(setting):.1%}}")
    if name == {choice.schedule!r}:
        for event in run.of(0):  # of the first device
            print(" ", event.kind, event.micro, event.start, event.end)
"""
