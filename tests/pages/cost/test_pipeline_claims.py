"""What the page Pipeline claims, held against events that are counted plainly."""

import numpy as np
import pytest

from pages.cost.pipeline import claims, data
from pages.cost.pipeline.state import Choice
from tests.pages.helpers import open_page, words
from tests.pages.states import above_the_picture, agree, each_speaks_and_is_silent, states
from tlmviz.analysis.cost.pipeline import DUAL, GPIPE, INTERLEAVED, ONE, SCHEDULES, ZERO, simulate
from tlmviz.errors import BadSchedule
from tlmviz.ui.claims import holding

NAMES = tuple(SCHEDULES)


class Truth:
    """Every schedule that runs, by its events alone."""

    def __init__(self, state: Choice):
        self.chosen, self.p, self.waits, self.time, self.peaks = state.schedule, state.stages, {}, {}, {}
        self.formula = {name: SCHEDULES[name].formula(state.setting) for name in NAMES}
        for name in NAMES:
            try:
                run = simulate(name, state.setting)
            except BadSchedule:
                continue
            self.time[name] = max(event.end for event in run.events)
            idle = [self._idle([e for e in run.events if e.device == d], self.time[name]) for d in range(self.p)]
            self.waits[name] = sum(idle) / (self.p * self.time[name])
            self.peaks[name] = [max(held) for held in self._held(run)]

    @staticmethod
    def _idle(events, end: float) -> float:
        """What the union of the events' intervals leaves."""
        idle, now = 0.0, 0.0
        for event in sorted(events, key=lambda event: event.start):
            idle += max(0.0, event.start - now)
            now = max(now, event.end)
        return idle + end - now

    def _held(self, run):
        """What each device holds just behind each start, task by task."""
        kept = 2 / 34 if run.setting.recompute else 1
        for device in range(self.p):
            tasks: dict = {}
            for event in run.events:
                if event.device == device and event.kind != "sending":
                    tasks.setdefault((event.micro, event.stage), []).append(event)
            spans = []
            for (_, stage), events in tasks.items():
                first, last = min(e.start for e in events), max(e.end for e in events)
                full = min(e.start for e in events if e.kind not in ("forward", "weights"))
                spans.append((first, full, last, run.shares[stage]))
            at = np.array([time for span in spans for time in span[:2]]) + 1e-7
            yield [
                sum(share * (1 if t >= full else kept) for first, full, last, share in spans if first <= t < last)
                for t in at
            ]

    def shown(self, name: str) -> str:
        return f"{max(self.waits[name], 0):.1%}"

    @property
    def best(self) -> list[str]:
        least = min((float(self.shown(name)[:-1]) for name in self.waits), default=0)
        return [name for name in self.waits if float(self.shown(name)[:-1]) == least]

    @property
    def runs(self) -> bool:
        return self.chosen in self.waits


def _less_held(t: Truth):
    more, less = (f"{max(t.peaks[name]):.3g}" for name in (GPIPE, ONE))
    return (more, less) if abs(t.time[GPIPE] - t.time[ONE]) < 1e-9 and float(less) < float(more) else None


def _formula(t: Truth):
    if not t.runs or f"{t.formula[t.chosen]:.1%}" == f"{t.waits[t.chosen]:.1%}":
        return None
    return f"{t.formula[t.chosen]:.1%}", f"{t.waits[t.chosen]:.1%}"


PLAIN = {
    "nobody_waits": lambda t: (t.chosen,) if t.runs and t.waits[t.chosen] < 1e-9 else None,
    "waits_least": lambda t: (
        (t.shown(t.chosen),) if t.runs and t.chosen in t.best and t.waits[t.chosen] > 1e-9 else None
    ),
    "another_waits_less": lambda t: (
        (t.shown(t.chosen), t.best[0], t.shown(t.best[0])) if t.runs and t.chosen not in t.best else None
    ),
    "cannot_run": lambda t: (t.chosen, t.best[0], t.shown(t.best[0])) if not t.runs else None,
    "less_held": _less_held,
    "off_the_formula": _formula,
}


def test_every_claim_is_what_the_events_say_and_silent_elsewhere():
    found = []
    for state in states(Choice, {}):
        try:
            shown = data.Data(state)
        except BadSchedule:
            continue
        truth = Truth(state)
        found.append(agree(claims.CLAIMS, PLAIN, shown, truth))
        for name, run in shown.runs.items():  # drawn, and in the table
            np.testing.assert_allclose([run.peak(device) for device in range(truth.p)], truth.peaks[name])
    each_speaks_and_is_silent(found)
    assert len(found) > 20


@pytest.mark.parametrize("name", [GPIPE, ZERO, INTERLEAVED, DUAL])
def test_the_first_claim_stands_above_the_picture(name):
    app = open_page("cost/pipeline", {"plview": name, "plm": "6"})
    start = {name: control.default for name, control in Choice.controls.items()}
    first, *others = holding(claims.CLAIMS, data.Data(Choice(**start | {"schedule": name, "micro": 6}))).values()
    assert above_the_picture(app) == [first]
    assert all(said in words(app) for said in others)
