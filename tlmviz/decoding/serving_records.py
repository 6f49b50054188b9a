"""What a scheduler is asked and what it did: requests, settings, one record per step, and tables of them.

Steps count from 0, positions and slots from 0; a slot is room for one position's keys and values in all layers.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import pandas as pd

from ..errors import BadShape, UnknownName

POLICIES = ("continuous", "static")
SHARING = ("none", "running", "remembered")
STATES = ("absent", "waiting", "prefill", "decode", "evicted", "padding", "finished")
WRITING = ("prefill", "decode")


@dataclass(frozen=True)
class Request:
    """A prompt, how many tokens to write at most, and the step at which it arrives; sampling is as in `generate`."""

    prompt: str
    max_new_tokens: int = 24
    arrival: int = 0
    temperature: float = 0.0
    seed: int = 0
    top_k: int | None = 40
    top_p: float = 1.0


@dataclass(frozen=True)
class Server:
    """Memory of `pages` pages with `page` slots each, and at most `batch` requests in one pass.

    "continuous" lets requests join and leave at any step. "static" takes those that have arrived, reserves for each
    a run of pages as long as the batch's longest prompt and longest answer, and keeps all rows until the last ends.
    `sharing` says whose pages a newcomer may begin with: no one's, those of running requests, or also those of
    finished ones, which are then remembered until memory is short. Raises BadShape and UnknownName.
    """

    page: int = 8
    pages: int = 24
    batch: int = 4
    policy: str = "continuous"
    sharing: str = "running"

    def __post_init__(self) -> None:
        for name, value in (
            ("page size", self.page),
            ("number of pages", self.pages),
            ("largest batch", self.batch),
        ):
            if value < 1:
                raise BadShape(f"The {name} is {value}; give at least 1.")
        for name, value, allowed in (("policy", self.policy, POLICIES), ("sharing", self.sharing, SHARING)):
            if value not in allowed:
                raise UnknownName(f"There is no {name} {value!r}; choose one of {', '.join(allowed)}.")

    @property
    def slots(self) -> int:
        """Positions that fit into memory."""
        return self.page * self.pages


@dataclass(frozen=True)
class Event:
    """Something that happened to a request's pages in a step.

    "share": it took over `positions` of `other`, on `pages`. "copy": pages (old, new), before a write. "evict",
    "finish" and "forget" (a remembered one): it gave back `pages`.
    """

    kind: str
    request: int
    pages: tuple[int, ...] = ()
    other: int | None = None
    positions: int = 0


@dataclass(frozen=True)
class Seat:
    """One request in one step: its state (see STATES), what was done for it, and what it holds at the step's end."""

    state: str
    computed: int  # positions that passed through the network
    shared: int  # positions taken over from another request
    wrote: int  # tokens written in this step, 0 or 1
    written: int  # tokens written so far
    length: int  # positions in memory
    table: tuple[int, ...]  # physical pages in order


@dataclass(frozen=True)
class Step:
    """One step: every request's seat, who holds each physical page and how full it is, events, and the time it took.

    Slots are `held` when a request in the batch holds their page, `used` when one that still writes has filled them.
    """

    seats: tuple[Seat, ...]
    owners: tuple[tuple[int, ...], ...]
    fill: tuple[int, ...]
    held: int
    used: int
    events: tuple[Event, ...]
    seconds: float

    @property
    def tokens(self) -> int:
        """Tokens written in this step."""
        return sum(seat.wrote for seat in self.seats)

    @property
    def free(self) -> int:
        """Pages nobody holds."""
        return sum(not owners for owners in self.owners)

    @property
    def shared(self) -> int:
        """Pages with more than one holder."""
        return sum(len(owners) > 1 for owners in self.owners)

    @property
    def wasted(self) -> int:
        """Slots held but not used: the empty ends of last pages; static: all that is reserved or padding."""
        return self.held - self.used

    def count(self, what: str) -> int:
        """Events of one kind, or requests in one state."""
        return sum(event.kind == what for event in self.events) + sum(
            seat.state == what for seat in self.seats
        )


@dataclass(frozen=True)
class Totals:
    """A run in numbers. Steps without any request are counted too; times are what this machine needed."""

    steps: int
    tokens: int
    tokens_per_step: float
    seconds: float
    tokens_per_second: float
    first_token: (
        float  # mean steps from arrival to the first token, 1 when it is written in the step of arrival
    )
    turnaround: float  # mean steps from arrival to the end
    held: int  # slots times steps
    used: int
    waste: float  # share of held slots that are not used, over all steps
    computed: int  # positions that passed through the network
    recomputed: int  # of them: again, after an eviction
    padding: int  # of them: rows that had ended
    spared: int  # positions never computed, because another request's pages held them
    peak: int  # most pages held at once
    shared: int  # most pages shared at once
    copies: int
    evictions: int


@dataclass(frozen=True)
class Run:
    """Everything that happened, and what each request got."""

    server: Server
    requests: tuple[Request, ...]
    prompts: tuple[tuple[int, ...], ...]  # ids
    answers: tuple[tuple[int, ...], ...]  # ids
    texts: tuple[str, ...]  # as `generate` gives them
    steps: tuple[Step, ...]

    def timeline(self) -> pd.DataFrame:
        """States, a row per request (from 1) and a column per step."""
        rows = [[step.seats[i].state for step in self.steps] for i in range(len(self.requests))]
        return pd.DataFrame(rows, index=pd.RangeIndex(1, len(rows) + 1, name="request"))

    def per_step(self) -> pd.DataFrame:
        """A row per step: milliseconds, tokens, states, pages and slots."""
        rows = [
            {
                "ms": 1e3 * step.seconds,
                "tokens": step.tokens,
                **{state: step.count(state) for state in STATES[1:-1]},
                "free pages": step.free,
                "held slots": step.held,
                "used slots": step.used,
                "wasted slots": step.wasted,
                "shared pages": step.shared,
                "copies": step.count("copy"),
                "evictions": step.count("evict"),
            }
            for step in self.steps
        ]
        return pd.DataFrame(rows, index=pd.RangeIndex(len(rows), name="step"))

    def per_request(self) -> pd.DataFrame:
        """A row per request (from 1): when it came, wrote and ended, what was computed for it, and its text."""
        rows = []
        for i, (request, prompt, text) in enumerate(zip(self.requests, self.prompts, self.texts)):
            seats = [step.seats[i] for step in self.steps]
            at_work = [number for number, seat in enumerate(seats) if seat.state in WRITING]
            rows.append(
                {
                    "prompt": request.prompt,
                    "prompt tokens": len(prompt),
                    "written": seats[-1].written,
                    "arrival": request.arrival,
                    "first token": at_work[0],
                    "last step": at_work[-1],
                    "computed": sum(seat.computed for seat in seats),
                    "shared": sum(seat.shared for seat in seats),
                    "evictions": sum(
                        event.kind == "evict" and event.request == i
                        for step in self.steps
                        for event in step.events
                    ),
                    "text": text,
                }
            )
        return pd.DataFrame(rows, index=pd.RangeIndex(1, len(rows) + 1, name="request"))

    def totals(self) -> Totals:
        """The run in numbers."""
        each, table = self.per_step(), self.per_request()
        tokens, seconds = int(each["tokens"].sum()), float(each["ms"].sum()) / 1e3
        held, used = int(each["held slots"].sum()), int(each["used slots"].sum())
        prefills = [
            [seat.computed for seat in seats if seat.state == "prefill"]
            for seats in zip(*(s.seats for s in self.steps))
        ]
        return Totals(
            steps=len(self.steps),
            tokens=tokens,
            tokens_per_step=tokens / len(self.steps),
            seconds=seconds,
            tokens_per_second=tokens / seconds,
            first_token=float((table["first token"] - table["arrival"]).mean()) + 1,
            turnaround=float((table["last step"] - table["arrival"]).mean()) + 1,
            held=held,
            used=used,
            waste=1 - used / held,
            computed=int(table["computed"].sum()),
            recomputed=sum(sum(counts[1:]) for counts in prefills),
            padding=int(each["padding"].sum()),
            spared=int(table["shared"].sum()),
            peak=self.server.pages - int(each["free pages"].min()),
            shared=int(each["shared pages"].max()),
            copies=int(each["copies"].sum()),
            evictions=int(each["evictions"].sum()),
        )


def totals_table(runs: dict[str, Run]) -> pd.DataFrame:
    """Totals of several runs side by side, a column each."""
    return pd.DataFrame(
        {
            name: {field.name: getattr(run.totals(), field.name) for field in fields(Totals)}
            for name, run in runs.items()
        }
    )
