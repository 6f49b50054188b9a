"""Identities of the chapter Cost: a pipeline's simulation obeys its rules, and its bubble is the formula's."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from tlmviz.analysis.cost import pipeline
from tlmviz.analysis.cost.pipeline import GPIPE, ONE, SENDING, Run, Setting
from tlmviz.analysis.cost.pipeline_orders import BOTH, FORWARD, INPUTS, WEIGHTS

from .cases import is_language_model
from .registry import identity

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel


def by_layers(lm: LanguageModel, text: str) -> tuple[Run]:
    """1F1B with a stage for each layer of the model, at most four."""
    stages = min(lm.config.n_layers, 4)
    return (pipeline.simulate(ONE, Setting(stages=stages, layers=lm.config.n_layers)),)


def its_setting(lm: LanguageModel, text: str) -> tuple[Setting]:
    """The setting of the same run."""
    return (by_layers(lm, text)[0].setting,)


@identity(
    "One thing at a time",
    "no device begins a task before it has ended the one before",
    1e-6,
    "time units",
    when=is_language_model,
    inputs=by_layers,
    quick=True,
)
def one_thing_at_a_time(run: Run) -> float:
    """The longest that two tasks of one device lie over each other; joined ones count as one."""
    worst = 0.0
    for device in range(run.setting.stages):
        events = sorted(
            (event for event in run.of(device) if event.half != 2), key=lambda event: (event.start, event.end)
        )
        worst = max([worst, *(first.end - second.start for first, second in zip(events, events[1:]))])
    return worst


@identity(
    "Nothing before its input",
    "no task begins before what it needs has been sent",
    1e-6,
    "time units",
    when=is_language_model,
    inputs=by_layers,
    quick=True,
)
def nothing_before_its_input(run: Run) -> float:
    """The longest that a task begins too early, by the ends of those that it waits for and the hops between."""
    tasks = [event for event in run.events if event.kind != SENDING]
    ends = {(event.kind, event.micro, event.stage): (event.end, event.device) for event in tasks}
    gradients = {(e.micro, e.stage): (e.end, e.device) for e in tasks if e.kind in (INPUTS, BOTH)}
    last, worst = max(event.stage for event in tasks), 0.0
    for event in tasks:
        needed = []
        if event.kind == FORWARD and event.stage:
            needed.append(ends[FORWARD, event.micro, event.stage - 1])
        elif event.kind in (INPUTS, BOTH):
            needed.append(ends[FORWARD, event.micro, event.stage])
            if event.stage < last:
                needed.append(gradients[event.micro, event.stage + 1])
        elif event.kind == WEIGHTS:
            needed.append(ends[INPUTS, event.micro, event.stage])
        for end, device in needed:
            worst = max(worst, end + run.setting.hop * (device != event.device) - event.start)
    return worst


@identity(
    "Everything once",
    "every micro-batch passes every stage once forward and once back",
    0,
    "tasks",
    when=is_language_model,
    inputs=by_layers,
    quick=True,
)
def everything_once(run: Run) -> float:
    """How many passes are missing or done twice: forward, gradient by inputs, gradient by weights."""
    counts: Counter[tuple[str, int, int]] = Counter()
    for event in run.events:
        kinds = (INPUTS, WEIGHTS) if event.kind == BOTH else (event.kind,)
        counts.update((kind, event.micro, event.stage) for kind in kinds)
    return float(
        sum(
            abs(counts[kind, micro, stage] - 1)
            for kind in (FORWARD, INPUTS, WEIGHTS)
            for micro in range(run.setting.micro)
            for stage in range(len(run.shares))
        )
    )


@identity(
    "GPipe's bubble",
    "with equal stages and free messages it is (p − 1)/(m + p − 1)",
    1e-9,
    "share of the time",
    when=is_language_model,
    inputs=its_setting,
    quick=True,
)
def gpipe_bubble(setting: Setting) -> float:
    """GPipe's simulated bubble against the formula, for this p and m with layers that divide."""
    p, m = setting.stages, setting.micro
    run = pipeline.simulate(GPIPE, replace(setting, layers=p, hop=0.0))
    return abs(run.bubble - (p - 1) / (m + p - 1))
