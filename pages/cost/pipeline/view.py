"""Draws the page Pipeline: controls, the chosen schedule as a timeline, and all schedules in a table and against m."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from tlmviz.analysis.cost.pipeline import AGAIN, MOST_MICRO, ONE, SCHEDULES, SENDING, Run
from tlmviz.analysis.cost.pipeline_orders import BOTH, FORWARD, INPUTS, WEIGHTS
from tlmviz.errors import BadSchedule
from tlmviz.figures.cost import pipeline
from tlmviz.ui import frame, live, state
from tlmviz.ui.language import N_, _

from . import claims
from .data import Data
from .state import FIRST, MORE, Choice

KINDS = (FORWARD, AGAIN, INPUTS, WEIGHTS, BOTH, SENDING)
PICTURE = live.Picture(__file__, "pipeline", at=Choice.at)
# Columns of the table: format, help.
COLUMNS = {
    N_("Time"): (".4g", N_("From the first forward to the last gradient, in the sliders' unit.")),
    N_("Bubble"): (".1%", N_("The share of the time in which devices wait, in the mean.")),
    N_("Formula"): (".1%", N_("What the paper gives for equal stages and messages that take no time.")),
    N_("Only sending"): (
        ".1%",
        N_("The share of the time in which devices wait until a message of theirs has arrived."),
    ),
    N_("Most held"): (
        ".3g",
        N_("The fullest device's activations: 1 is what a micro-batch leaves on an even share of the layers."),
    ),
    N_("Least held"): (".3g", N_("The peak of the device that holds least.")),
    N_("Weights"): (".0f", N_("How many stages' weights a device holds.")),
}


EQUATION = (
    r"\text{bubble's share}=\frac{p-1}{m+p-1}\ \text{(GPipe, 1F1B)},\qquad "
    r"\text{wait: interleaved }\frac{(p-1)(F+B+W)}{v},\quad \text{ZB-H1 }(p-1)(F+B-W),\quad \text{DualPipe }\Big(\frac "
    r"p2-1\Big)(F+2B-W)",
    "Decoder-Only Transformers in Einstein Notation, section 7 (names the bubble, gives no formula). GPipe: Huang et "
    "al. 2019, section 2.3; 1F1B (PipeDream-Flush) and interleaved: Narayanan et al. 2021, section 2.2; ZB-H1: Qi et "
    "al. 2023, Table 2; DualPipe: DeepSeek-V3 2024, Table 2, whose B is B + W here and whose F&B is F + B + W.",
)


def controls() -> Choice:
    """Draw the controls; what they say."""
    left, *places, last = st.columns([0.58, 0.15, 0.15, 0.12], vertical_alignment="bottom")
    Choice.schedule.draw(left)
    for place, name in zip(places, FIRST):
        Choice.controls[name].draw(place)
    with frame.more(last):
        for place, name in zip(st.columns(4) * 2, MORE):
            Choice.controls[name].draw(place)
        state.reset_button(Choice)
    return Choice.of_session()


def picture(data: Data) -> bool:
    """The chosen schedule, scrubbed and replayed in the browser, with what every device holds; or what the schedule
    needs."""
    if not data.run:
        _refusal(data.refused[data.chosen.schedule])
        return False
    run, title = data.run, claims.title(data)
    events, memory = run.events, run.memories
    st.caption(title)
    header = {
        "title": title,
        "stages": data.setting.stages,
        "time": run.time,
        "slot": min(event.end - event.start for event in events),
        "peaks": [float(held.max()) for _, held in memory],
        "bound": data.setting.stages if run.schedule == ONE else None,
    }
    arrays = {
        **{
            name: np.array([getattr(event, name) for event in events], np.uint8)
            for name in ("device", "micro", "stage", "half")
        },
        **{name: np.array([getattr(event, name) for event in events], np.float32) for name in ("start", "end")},
        "kind": np.array([KINDS.index(event.kind) for event in events], np.uint8),
        "changes": np.array([len(times) for times, _ in memory], np.uint16),
        "times": np.concatenate([times for times, _ in memory]).astype(np.float32),
        "held": np.concatenate([held for _, held in memory]).astype(np.float32),
    }
    PICTURE.show(header, arrays)
    return True


def all_schedules(data: Data) -> None:
    """Every schedule for the same pipeline, in numbers and against the number of micro-batches."""
    st.markdown(_("**All schedules on this pipeline**"))
    formats = {_(name): form for name, (form, _help) in COLUMNS.items()}
    frame.table(_rows(data), formats, {_(name): _(help_) for name, (_form, help_) in COLUMNS.items()})
    frame.caption("  \n".join(map(frame.worded, data.refused.values())))
    setting = data.setting
    figure = pipeline.bubbles(data.bubbles, setting.stages, setting.micro, frame.theme(), chosen=data.chosen.schedule)
    alt = _("Share of the time in which devices wait, against the number of micro-batches")
    frame.chart(figure, key="bubbles", alt=alt)


def _rows(data: Data) -> list[dict[str, Any]]:
    """A row for each schedule; one that cannot run has dashes."""
    rows = []
    for name, run in data.found.items():
        values: tuple = (None,) * len(COLUMNS)
        if isinstance(run, Run):
            peaks = [run.peak(device) for device in range(data.setting.stages)]
            formula, copies = SCHEDULES[name].formula(data.setting), SCHEDULES[name].copies
            values = run.time, run.bubble, formula, run.sending, max(peaks), min(peaks), copies
        named = dict(zip(map(_, COLUMNS), values))
        rows.append({_("Schedule"): name, **named, _("Source"): SCHEDULES[name].source})
    return rows


def _refusal(error: BadSchedule) -> None:
    """What the schedule needs, and a button that gives it, where a number of micro-batches would."""
    st.warning(frame.worded(error))
    micro = error.values.get("micro")
    if isinstance(micro, int) and micro <= MOST_MICRO:
        st.button(_("Take {n} micro-batches", n=micro), on_click=Choice.micro.set, args=(micro,))


def rules(_data: Data) -> None:
    """The rules of the simulation, in words."""
    with st.expander(_("The rules of this simulation")):
        st.markdown("\n".join(f"- {rule}" for rule in claims.rules()))


def snippet(data: Data) -> str:
    """The schedules with the public API."""
    chosen = data.chosen
    return f"""\
from tlmviz.analysis.cost import pipeline
from tlmviz.errors import BadSchedule

setting = pipeline.Setting({chosen.arguments(*FIRST, *MORE)})
for name, schedule in pipeline.SCHEDULES.items():
    try:
        run = pipeline.simulate(name, setting)
    except BadSchedule as error:
        print(error)
        continue
    print(f"{{name}}: time {{run.time:.4g}}, holds {{run.peak():.3g}}")
    print(f"  bubble {{run.bubble:.1%}}, by the formula {{schedule.formula(setting):.1%}}")
    if name == {chosen.schedule!r}:
        for event in run.of(0):  # of the first device
            print(" ", event.kind, event.micro, event.start, event.end)
"""
