"""What a server did in each step, in words; and what each request had written by then."""

from __future__ import annotations

from .serving_records import Event, Run, Step

REACH = 165  # letters in a line


def story(run: Run, names: list[str]) -> list[tuple[str, ...]]:
    """For each step: who passed through the network, memory, what happened to pages, and the totals so far."""
    lines, tokens, held, used = [], 0, 0, 0
    for number, step in enumerate(run.steps):
        tokens, held, used = tokens + step.tokens, held + step.held, used + step.used
        waste, taken = 1 - used / held if held else 0.0, number + 1
        so_far = f"So far: {tokens:,} tokens in {taken:,} steps, {tokens / taken:.2f} per step; {waste:.0%} of held slots wasted"
        lines.append(
            (f"<b>Step {number}</b>: {_work(step, names)}", _memory(run, step), _events(step, names), so_far)
        )
    return lines


def written(lm, run: Run) -> list[list[str]]:
    """Each request's text after each step, [steps][requests]: its answer so far; its prompt while there is none."""
    answers = [
        [prompt.prompt, *(lm.tokenizer.decode(list(answer[: n + 1])) for n in range(len(answer)))]
        for prompt, answer in zip(run.requests, run.answers)
    ]
    return [
        ["" if seat.state == "absent" else some[seat.written] for seat, some in zip(step.seats, answers)]
        for step in run.steps
    ]


def count(number: int, what: str) -> str:
    """A number of things, in words."""
    return f"{number} {what}" + "s" * (number != 1)


def _work(step: Step, names: list[str]) -> str:
    """Who read a prompt and who wrote in the common pass."""
    by_state = {
        state: ", ".join(name for name, seat in zip(names, step.seats) if seat.state == state)
        for state in ("decode", "padding", "waiting")
    }
    read = [
        f"{name} reads {seat.computed}" for name, seat in zip(names, step.seats) if seat.state == "prefill"
    ]
    parts = [f"one pass writes for {by_state['decode']}"] if by_state["decode"] else []
    parts += [f"{by_state['padding']} only pad it"] if by_state["padding"] else []
    parts += [", ".join(read)] if read else []
    parts += [f"{by_state['waiting']} wait"] if by_state["waiting"] else []
    return "; ".join(parts) or "nothing to do"


def _memory(run: Run, step: Step) -> str:
    taken = run.server.pages - step.free
    shared = f", {step.shared} shared" if step.shared else ""
    waste = f"{step.wasted:,} wasted ({step.wasted / step.held:.0%})" if step.held else "none wasted"
    return f"{taken} of {run.server.pages} pages taken{shared}; {step.held:,} slots held, {step.used:,} used, {waste}"


def _events(step: Step, names: list[str]) -> str:
    """What happened to pages; what does not fit into a line is counted."""
    told = [_event(event, names) for event in step.events]
    kept: list[str] = []
    while told and sum(map(len, kept)) + len(told[0]) <= REACH:
        kept.append(told.pop(0))
    return "; ".join(kept + ([f"and {len(told)} more"] if told else []))


def _event(event: Event, names: list[str]) -> str:
    name, pages = names[event.request], count(len(event.pages), "page")
    if event.kind == "share":
        return f"{name} begins on {pages} of {names[event.other]} ({event.positions} positions)"
    if event.kind == "copy":
        return (
            f"<b>copy-on-write</b>: {name} writes to page {event.pages[1]}, its own copy of {event.pages[0]}"
        )
    done = {
        "evict": "is <b>evicted</b> and gives back",
        "finish": "has ended: gives back",
        "forget": "is forgotten: gives back",
    }
    return f"{name} {done[event.kind]} {pages}"
