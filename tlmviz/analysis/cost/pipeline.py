"""Pipeline parallelism as a simulation: in what order stages work on micro-batches, what they wait for, what they hold.

The rules, and nothing else is modelled: a device does one thing at a time, in the order that its schedule fixes. A
forward starts when the stage before has sent its output, a backward when the stage after has sent its gradient, a
weights' gradient when the inputs' gradient of the same micro-batch is there. Stages take time in proportion to their
layers. Orders by GPipe (Huang et al. 2019), PipeDream-Flush (Narayanan et al. 2021a) as in Megatron, interleaved 1F1B
(Narayanan et al. 2021b), ZB-H1 (Qi et al. 2023) and DualPipe (DeepSeek-V3, 2024).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tlmviz.errors import BadSchedule

from .pipeline_orders import BOTH, FORWARD, INPUTS, ORDERS, WEIGHTS, Block, Order, Task

# Kinds of events beside those of tasks: recomputing, and a send that is waited for.
AGAIN, SENDING = ("again", "sending")
# Of the 34 bytes that a layer keeps for each number of its input, 2 are that input (Korthikanti et al. 2022, without
# maps).
KEPT = 2 / 34
MOST_STAGES, MOST_MICRO, MOST_CHUNKS, MOST_LAYERS = 16, 64, 4, 128


@dataclass(frozen=True)
class Setting:
    """A pipeline of `stages` devices and `micro` micro-batches a step, over a model of `layers` layers.

    Durations are of one micro-batch on one device's share of the layers, in any unit: `forward`, `backward` (the
    gradient by the inputs), `weights` (by the weights). A message to another device takes `hop`; `overlapped`, its
    sender goes on meanwhile. `recompute` keeps a layer's input alone and runs the forward again before the backward.
    `chunks` are the parts that a device has of the model where the schedule is interleaved. Raises BadSchedule for a
    pipeline that cannot be.
    """

    stages: int = 4
    micro: int = 8
    chunks: int = 2
    layers: int = 32
    forward: float = 1.0
    backward: float = 1.0
    weights: float = 1.0
    hop: float = 0.0
    overlapped: bool = True
    recompute: bool = False

    def __post_init__(self) -> None:
        for name, value, most in (
            ("stages", self.stages, MOST_STAGES),
            ("micro-batches", self.micro, MOST_MICRO),
            ("chunks", self.chunks, MOST_CHUNKS),
            ("layers", self.layers, MOST_LAYERS),
        ):
            if not 1 <= value <= most:
                raise BadSchedule(
                    "{given} {name} were asked for; give a whole number from 1 to {most}.",
                    given=value,
                    name=name,
                    most=most,
                )
        if self.stages > self.layers:
            raise BadSchedule(
                "{stages} stages cannot share {layers} layers, as a stage has at least one: choose at most {layers} "
                "stages, or more layers.",
                stages=self.stages,
                layers=self.layers,
            )
        times = self.forward, self.backward, self.weights
        if not all(np.isfinite((*times, self.hop))) or min(times) <= 0 or self.hop < 0:
            raise BadSchedule("Durations are finite numbers above 0, and that of a message at least 0.")

    @property
    def work(self) -> float:
        """What a micro-batch takes on a device with an even share of the layers, recomputing included."""
        return self.forward * (1 + self.recompute) + self.backward + self.weights


@dataclass(frozen=True)
class Event:
    """What a device does from `start` to `end`; `half` 1 or 2 where two tasks of one block run together, else 0."""

    device: int
    kind: str
    micro: int
    stage: int  # of the model, from 0
    start: float
    end: float
    half: int = 0


@dataclass(frozen=True)
class Run:
    """A schedule that ran: every event, by device and time."""

    schedule: str
    setting: Setting
    shares: tuple[float, ...]  # of a stage's layers in an even share
    events: tuple[Event, ...]

    @cached_property
    def time(self) -> float:
        """From the first forward to the end of the last event."""
        return max(event.end for event in self.events)

    def of(self, device: int) -> tuple[Event, ...]:
        """What one device did, by time."""
        return tuple(event for event in self.events if event.device == device)

    def busy(self, *kinds: str) -> float:
        """Time that the devices spent, in sum, on events of these kinds, or on all; two tasks of one block count
        once."""
        chosen = [event for event in self.events if not kinds or event.kind in kinds]
        return sum(event.end - event.start for event in chosen if event.half != 2)

    @property
    def bubble(self) -> float:
        """The share of the time in which devices wait."""
        return 1 - self.busy() / (self.setting.stages * self.time)

    @property
    def sending(self) -> float:
        """The share of the time in which devices do nothing but send."""
        return self.busy(SENDING) / (self.setting.stages * self.time)

    @cached_property
    def memories(self) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
        """The `memory` of every device."""
        return tuple(map(self.memory, range(self.setting.stages)))

    def memory(self, device: int) -> tuple[np.ndarray, np.ndarray]:
        """(times [n], held [n]): the activations that a device holds from each time on; 1 is a micro-batch on an even
        share.

        Held from the start of the forward to the end of the last gradient; recomputed, in full from where they are made
        again.
        """
        held: dict[tuple[int, int], list[Event]] = {}
        for event in self.of(device):
            if event.kind != SENDING:
                held.setdefault((event.micro, event.stage), []).append(event)
        changes: list[tuple[float, float]] = []
        for (_, stage), events in held.items():
            size, last = self.shares[stage], max(event.end for event in events)
            first = min(event.start for event in events)
            kept = size * KEPT if self.setting.recompute else size
            again = min(event.start for event in events if event.kind in (AGAIN, INPUTS, BOTH))
            changes += [(first, kept), (again, size - kept), (last, -size)]
        times = np.array([time for time, _ in changes])
        at, inverse = np.unique(times.round(9), return_inverse=True)
        sums = np.zeros(len(at))
        np.add.at(sums, inverse, [change for _, change in changes])
        return at, sums.cumsum().round(9)

    def peak(self, device: int | None = None) -> float:
        """The most that a device holds at once, or the fullest of all."""
        devices = range(self.setting.stages) if device is None else (device,)
        return max(float(self.memories[one][1].max()) for one in devices)


@dataclass(frozen=True)
class Schedule:
    """A schedule: its order, its paper, how much of the weights a device holds, and the bubble that its paper gives.

    `bubble` is the time that a device waits for equal stages and free messages, of F, B and W with recomputing in B.
    """

    name: str
    order: Order
    source: str
    bubble: Callable[[Setting, float, float, float], float]
    copies: int = 1

    def formula(self, setting: Setting) -> float:
        """The share of the time that is bubble by the paper's formula."""
        backward = setting.backward + setting.forward * setting.recompute
        waits = max(self.bubble(setting, setting.forward, backward, setting.weights), 0.0)
        return waits / (waits + setting.micro * setting.work)


def _flushed(setting: Setting, f: float, b: float, w: float) -> float:
    return (setting.stages - 1) * (f + b + w)


def _interleaved(setting: Setting, f: float, b: float, w: float) -> float:
    return _flushed(setting, f, b, w) / setting.chunks


def _zero(setting: Setting, f: float, b: float, w: float) -> float:
    return (setting.stages - 1) * (f + b - w)


def _dual(setting: Setting, f: float, b: float, w: float) -> float:
    return (setting.stages / 2 - 1) * (f + 2 * b - w)


GPIPE, ONE, INTERLEAVED, ZERO, DUAL = "GPipe", "1F1B", "Interleaved 1F1B", "Zero bubble (ZB-H1)", "DualPipe"
SCHEDULES: dict[str, Schedule] = {
    schedule.name: schedule
    for schedule in (
        Schedule(GPIPE, ORDERS["gpipe"], "Huang et al. 2019", _flushed),
        Schedule(ONE, ORDERS["one"], "Narayanan et al. 2021, PipeDream-Flush", _flushed),
        Schedule(INTERLEAVED, ORDERS["interleaved"], "Narayanan et al. 2021, Megatron-LM", _interleaved),
        Schedule(ZERO, ORDERS["zero"], "Qi et al. 2023", _zero),
        Schedule(DUAL, ORDERS["dual"], "DeepSeek-V3, 2024", _dual, copies=2),
    )
}


def simulate(schedule: str, setting: Setting) -> Run:
    """The schedule of this name, run. Raises BadSchedule, with what it needs, where it cannot run with this setting."""
    return run_order(schedule, setting, SCHEDULES[schedule].order)


def run_order(schedule: str, setting: Setting, order: Order) -> Run:
    """An order of blocks, run by the rules of this file. Raises BadSchedule."""
    stages = setting.stages * (setting.chunks if order.chunked else 1)
    if stages > setting.layers:
        raise BadSchedule(
            "{devices} devices with {chunks} chunks each need {needed} layers, and there are {layers}: choose fewer "
            "chunks or stages, or more layers.",
            devices=setting.stages,
            chunks=setting.chunks,
            needed=stages,
            layers=setting.layers,
        )
    if refused := order.refuses(setting.stages, setting.micro):
        raise refused
    simulation = _Simulation(setting, order, stages)
    return Run(schedule, setting, simulation.shares, tuple(simulation.run()))


def bubbles(schedule: str, setting: Setting, counts: Iterable[int]) -> tuple[np.ndarray, np.ndarray]:
    """(counts [n], shares [n]): the bubble for those numbers of micro-batches with which the schedule runs."""
    found = []
    for count in counts:
        at = replace(setting, micro=count)
        if not SCHEDULES[schedule].order.refuses(at.stages, count):
            found.append((count, simulate(schedule, at).bubble))
    return np.array([count for count, _ in found]), np.array([share for _, share in found])


class _Simulation:
    """One run: what is done when, and which outputs have arrived where they are needed."""

    def __init__(self, setting: Setting, order: Order, stages: int):
        self.setting, self.order, self.last = setting, order, stages - 1
        least, more = divmod(setting.layers, stages)
        even = setting.layers / setting.stages
        self.shares = tuple((least + (stage < more)) / even for stage in range(stages))
        self.done: dict[tuple[str, int, int], float] = {}  # on the device itself
        self.sent: dict[tuple[str, int, int], float] = {}  # on the next one
        self.free = [0.0] * setting.stages

    def run(self) -> Iterator[Event]:
        """Every event, by device and time."""
        setting = self.setting
        events: list[list[Event]] = [[] for _ in range(setting.stages)]
        waiting = self.order.blocks(setting.stages, setting.micro, setting.chunks)
        places = [0] * setting.stages
        while any(place < len(blocks) for place, blocks in zip(places, waiting)):
            before = sum(places)
            for device, blocks in enumerate(waiting):
                while places[device] < len(blocks):
                    ready = self._ready(blocks[places[device]])
                    if ready is None:
                        break
                    events[device] += self._do(device, blocks[places[device]], max(ready, self.free[device]))
                    places[device] += 1
            if sum(places) == before:
                raise AssertionError("Every device waits for another one.")
        for of_one in events:
            yield from of_one

    def _ready(self, block: Block) -> float | None:
        """When all that a block needs is there; None as long as that is not known."""
        needed = [self._needed(task) for task in block]
        if any(time is None for times in needed for time in times):
            return None
        return max((time for times in needed for time in times if time is not None), default=0.0)

    def _needed(self, task: Task) -> list[float | None]:
        if task.kind == FORWARD:
            return [self.sent.get((FORWARD, task.micro, task.stage - 1))] if task.stage else []
        if task.kind == WEIGHTS:
            return [self.done.get((INPUTS, task.micro, task.stage))]
        own = [self.done.get((FORWARD, task.micro, task.stage))]
        return own + ([self.sent.get((INPUTS, task.micro, task.stage + 1))] if task.stage < self.last else [])

    def _durations(self, task: Task) -> list[tuple[str, float]]:
        """A task's kinds of work with their times, one after the other."""
        setting = self.setting
        times = {
            FORWARD: setting.forward,
            INPUTS: setting.backward,
            WEIGHTS: setting.weights,
            BOTH: setting.backward + setting.weights,
        }
        again = [(AGAIN, setting.forward)] if setting.recompute and task.kind in (INPUTS, BOTH) else []
        return [(kind, time * self.shares[task.stage]) for kind, time in (*again, (task.kind, times[task.kind]))]

    def _do(self, device: int, block: Block, start: float) -> Iterator[Event]:
        """The events of a block that starts now; notes what is done and sent, and when the device is free."""
        end, paired = start, len(block) > 1
        whole = start + sum(time for task in block for _, time in self._durations(task))
        for half, task in enumerate(block, 1):
            if paired:  # both run together and end together
                yield Event(device, task.kind, task.micro, task.stage, start, whole, half)
                end = whole
                continue
            for kind, time in self._durations(task):
                yield Event(device, kind, task.micro, task.stage, end, end + time)
                end += time
        self.free[device] = end
        for task in block:
            kind = INPUTS if task.kind == BOTH else task.kind
            self.done[kind, task.micro, task.stage] = end
            hop = self.setting.hop if self._leaves(device, task) else 0.0
            self.sent[kind, task.micro, task.stage] = end + hop
            if hop and not (self.setting.overlapped or paired):
                yield Event(device, SENDING, task.micro, task.stage, end, end + hop)
                self.free[device] = end + hop

    def _leaves(self, device: int, task: Task) -> bool:
        """Whether what a task gives goes to another device."""
        towards = {FORWARD: task.stage + 1, INPUTS: task.stage - 1, BOTH: task.stage - 1}.get(task.kind, -1)
        if not 0 <= towards <= self.last:
            return False
        return self.order.device(task.micro, towards, self.setting.stages, self.setting.micro) != device
