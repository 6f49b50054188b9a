"""In what order each device of a pipeline works: the schedules of the papers, without times."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from tlmviz.errors import BadSchedule

# BOTH: gradients by inputs and weights in one.
FORWARD, INPUTS, WEIGHTS, BOTH = ("forward", "inputs", "weights", "backward")


class Task(NamedTuple):
    """One micro-batch on one stage of the model: forward, a gradient, or both gradients at once."""

    kind: str
    micro: int
    stage: int


Block = tuple[Task, ...]  # what a device does without a break: one task, or two that run together
Blocks = list[list[Block]]  # of every device, in its order


class Order(NamedTuple):
    """A schedule's order: `blocks(p, m, v)`, where a stage lies, the error for a p and m that it cannot do."""

    blocks: Callable[[int, int, int], Blocks]
    device: Callable[[int, int, int, int], int]
    # P, m; with `micro` among its values where another number would do.
    refuses: Callable[[int, int], BadSchedule | None]
    chunked: bool = False


def gpipe(p: int, m: int, v: int) -> Blocks:
    """All forwards, then all backwards, the last micro-batch first."""
    return [
        [*((Task(FORWARD, i, s),) for i in range(m)), *((Task(BOTH, i, s),) for i in reversed(range(m)))]
        for s in range(p)
    ]


def one_forward_one_backward(p: int, m: int, v: int) -> Blocks:
    """p − s − 1 forwards to begin with on stage s, then a forward and a backward in turn."""
    orders: Blocks = []
    for s in range(p):
        warm = min(p - s - 1, m)
        forwards, backwards = ([(Task(kind, i, s),) for i in range(m)] for kind in (FORWARD, BOTH))
        turns = [block for pair in zip(forwards[warm:], backwards) for block in pair]
        orders.append([*forwards[:warm], *turns, *backwards[m - warm :]])
    return orders


def interleaved(p: int, m: int, v: int) -> Blocks:
    """1F1B where every device has v chunks of the model: p micro-batches through one chunk, then through the next."""
    if v == 1:
        return one_forward_one_backward(p, m, 1)

    def task(kind: str, k: int, s: int) -> Block:
        chunk = k // p % v
        return (Task(kind, k // (p * v) * p + k % p, (chunk if kind == FORWARD else v - 1 - chunk) * p + s),)

    orders = []
    for s in range(p):
        count = m * v
        warm = min(2 * (p - s - 1) + (v - 1) * p, count)
        forwards, backwards = ([task(kind, k, s) for k in range(count)] for kind in (FORWARD, BOTH))
        turns = [block for pair in zip(forwards[warm:], backwards) for block in pair]
        orders.append(forwards[:warm] + turns + backwards[count - warm :])
    return orders


def zero_bubble(p: int, m: int, v: int) -> Blocks:
    """ZB-H1: 1F1B whose weights' gradients wait, s micro-batches long on stage s, so that each device holds at most
    p."""
    orders = []
    for s, order in enumerate(one_forward_one_backward(p, m, v)):
        blocks: list[Block] = []
        for (task,) in order:
            if task.kind == FORWARD:
                blocks.append((task,))
                continue
            blocks.append((task._replace(kind=INPUTS),))
            if task.micro >= s:
                blocks.append((Task(WEIGHTS, task.micro - s, s),))
        orders.append(blocks + [(Task(WEIGHTS, i, s),) for i in range(max(m - s, 0), m)])
    return orders


class _Dual:
    """What one device of DualPipe has in hand: the next micro-batch of either direction, and weights' gradients that
    wait."""

    def __init__(self, p: int, m: int, device: int):
        self.p, self.device, self.near = p, device, int(device >= p // 2)
        self.next = {(kind, way): way * m // 2 for kind in (FORWARD, BOTH) for way in (0, 1)}
        self.waiting: deque[Task] = deque()
        self.blocks: list[Block] = []

    def take(self, kind: str, phase: int) -> Task:
        """The next micro-batch that comes from the nearer end (phase 0) or from the farther one."""
        way = phase ^ self.near
        micro = self.next[kind, way]
        self.next[kind, way] += 1
        return Task(kind, micro, self.p - 1 - self.device if way else self.device)

    def alone(self, kind: str, phase: int, split: bool = False) -> None:
        """One task; `split`, a backward leaves its weights' gradient for later."""
        task = self.take(kind, phase)
        if split:
            self.waiting.append(task._replace(kind=WEIGHTS))
            task = task._replace(kind=INPUTS)
        self.blocks.append((task,))

    def together(self, forward: int, backward: int) -> None:
        """A forward and a backward at once."""
        self.blocks.append((self.take(FORWARD, forward), self.take(BOTH, backward)))

    def weights(self) -> None:
        """The oldest weights' gradient that waits."""
        self.blocks.append((self.waiting.popleft(),))


def dual(p: int, m: int, v: int) -> Blocks:
    """DualPipe: half of the micro-batches from either end, the eight steps of its authors' code."""
    orders = []
    for device in range(p):
        near = min(device, p - 1 - device)  # steps from the nearer end
        inner = p // 2 - near - 1  # and to the middle
        work = _Dual(p, m, device)
        for _ in range(2 * inner):
            work.alone(FORWARD, 0)
        for _ in range(near + 1):
            work.alone(FORWARD, 0)
            work.alone(FORWARD, 1)
        for _ in range(inner):
            work.alone(BOTH, 1, split=True)
            work.weights()
            work.alone(FORWARD, 1)
        for turn in range(m // 2 - p + near + 1):
            if turn == 0 and inner == 0:  # apart, which makes the bubble smaller
                work.alone(FORWARD, 0)
                work.alone(BOTH, 1)
            else:
                work.together(0, 1)
            work.together(1, 0)
        for _ in range(inner):
            work.alone(BOTH, 1)
            work.together(1, 0)
        _drain(work, near, inner)
        orders.append(work.blocks)
    return orders


def _drain(work: _Dual, near: int, inner: int) -> None:
    """The last three steps: backwards alone, of which the second half leaves its weights' gradients to the very end."""
    split, half = False, (near + 1) // 2
    for turn in range(near + 1):
        split = split or (turn == half and near % 2 == 1)
        work.alone(BOTH, 1, split)
        split = split or (turn == half and near % 2 == 0)
        work.alone(BOTH, 0, split)
    for _ in range(inner):
        work.weights()
        work.alone(BOTH, 0, split=True)
    while work.waiting:
        work.weights()


def _straight(micro: int, stage: int, p: int, m: int) -> int:
    return stage % p


def _either_end(micro: int, stage: int, p: int, m: int) -> int:
    return stage if micro < m // 2 else p - 1 - stage


def _never(p: int, m: int) -> None:
    return None


def _rounds(p: int, m: int) -> BadSchedule | None:
    if m % p == 0:
        return None
    return BadSchedule(
        "Interleaved 1F1B sends micro-batches in rounds of p = {stages}, and {given} is no multiple of it: choose "
        "{micro}.",
        stages=p,
        given=m,
        micro=-(-m // p) * p,
    )


def _pairs(p: int, m: int) -> BadSchedule | None:
    if p % 2:
        return BadSchedule(
            "DualPipe pairs its devices from both ends, so it needs an even number of them, and {stages} is odd.",
            stages=p,
        )
    if m % 2 or m < 2 * p:
        return BadSchedule(
            "DualPipe needs an even number of micro-batches, at least 2p = {least}, and there are {given}.",
            least=2 * p,
            given=m,
            micro=max(m + m % 2, 2 * p),
        )
    return None


ORDERS: dict[str, Order] = {
    "gpipe": Order(gpipe, _straight, _never),
    "one": Order(one_forward_one_backward, _straight, _never),
    "interleaved": Order(interleaved, _straight, _rounds, chunked=True),
    "zero": Order(zero_bubble, _straight, _never),
    "dual": Order(dual, _either_end, _pairs),
}
