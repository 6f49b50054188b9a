"""Captions of a server's steps: what passed through the network, memory, what happened to pages, and totals so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tlmviz.decoding.serving_records import Event, Run, Step

REACH = 165  # letters in a line


def step_captions(run: Run, names: list[str]) -> list[tuple[str, ...]]:
    """Four lines of HTML for each step: the passes through the network, memory, events, and the totals so far."""
    captions: list[tuple[str, ...]] = []
    tokens, allocated, occupied = 0, 0, 0
    for number, step in enumerate(run.steps):
        tokens, steps = tokens + step.tokens, number + 1
        allocated, occupied = allocated + step.allocated, occupied + step.occupied
        waste = 1 - occupied / allocated if allocated else 0.0
        totals = (
            f"So far: {tokens:,} tokens in {steps:,} steps, {tokens / steps:.2f} per step; "
            f"{waste:.0%} of allocated slots wasted"
        )
        captions.append(
            (f"<b>Step {number}</b>: {_passes(step, names)}", _memory(run, step), _events(step, names), totals)
        )
    return captions


def count(number: int, noun: str) -> str:
    """A number with its noun in the singular or plural."""
    return f"{number} {noun}" + "s" * (number != 1)


def _passes(step: Step, names: list[str]) -> str:
    """Which prompts were read, and who wrote in the common pass."""
    by_state = {
        state: ", ".join(name for name, request in zip(names, step.snapshots) if request.state == state)
        for state in ("decode", "padding", "waiting")
    }
    prefills = [
        f"{name} reads {request.num_computed_tokens}"
        for name, request in zip(names, step.snapshots)
        if request.state == "prefill"
    ]
    parts = [f"one pass writes for {by_state['decode']}"] if by_state["decode"] else []
    if padding := by_state["padding"]:
        parts.append(f"{padding} only {'pad' if ', ' in padding else 'pads'} it")
    parts += [", ".join(prefills)] if prefills else []
    if waiting := by_state["waiting"]:
        parts.append(f"{waiting} {'wait' if ', ' in waiting else 'waits'}")
    return "; ".join(parts) or "nothing to do"


def _memory(run: Run, step: Step) -> str:
    pages = f"{run.server.pages - step.free} of {run.server.pages} pages in use"
    shared = f", {step.shared} shared" if step.shared else ""
    waste = f"{step.wasted:,} wasted ({step.wasted / step.allocated:.0%})" if step.allocated else "none wasted"
    return f"{pages}{shared}; {step.allocated:,} slots allocated, {step.occupied:,} occupied, {waste}"


def _events(step: Step, names: list[str]) -> str:
    """What happened to pages; what does not fit into a line is counted."""
    lines = [_event(event, names) for event in step.events]
    fitting: list[str] = []
    while lines and sum(map(len, fitting)) + len(lines[0]) <= REACH:
        fitting.append(lines.pop(0))
    return "; ".join(fitting + ([f"and {len(lines)} more"] if lines else []))


def _event(event: Event, names: list[str]) -> str:
    name, pages = names[event.request], count(len(event.pages), "page")
    if event.kind == "share":
        assert event.other is not None  # the prompt whose pages it begins on
        return f"{name} begins on {pages} of {names[event.other]} ({event.positions} cached tokens)"
    if event.kind == "copy":
        old, new = event.pages
        return f"<b>copy-on-write</b>: {name} writes to page {new}, its own copy of {old}"
    verb = {
        "preempt": "is <b>preempted</b> and gives back",
        "finish": "has ended: gives back",
        "evict": "is evicted from the prefix cache: gives back",
    }
    return f"{name} {verb[event.kind]} {pages}"
