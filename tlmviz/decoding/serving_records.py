"""Records of a scheduler: its requests and settings, one record per step, and tables of a whole run.

Steps count from 0, positions and slots from 0; a slot is room for one position's keys and values in all layers.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import pandas as pd

from ..errors import BadShape, UnknownName
from ..tokens import Tokenizer

POLICIES = ("continuous", "static")
SHARING = ("none", "running", "cached")
STATES = ("absent", "waiting", "prefill", "decode", "preempted", "padding", "finished")
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
    `sharing` says whose pages a new request may begin with: "none", those of "running" requests, or "cached": also
    those of finished ones, which form a prefix cache until pages are needed. Raises BadShape and UnknownName.
    """

    page: int = 8
    pages: int = 24
    batch: int = 4
    policy: str = "continuous"
    sharing: str = "running"

    def __post_init__(self) -> None:
        for name, value in (("page size", self.page), ("number of pages", self.pages), ("largest batch", self.batch)):
            if value < 1:
                raise BadShape(f"The {name} is {value}; give at least 1.")
        for name, choice, allowed in (("policy", self.policy, POLICIES), ("sharing", self.sharing, SHARING)):
            if choice not in allowed:
                raise UnknownName(f"There is no {name} {choice!r}; choose one of {', '.join(allowed)}.")

    @property
    def slots(self) -> int:
        """Positions that fit into memory."""
        return self.page * self.pages


@dataclass(frozen=True)
class Event:
    """Something that happened to a request's pages in a step.

    "share": it begins on `pages` of `other`, the prefix-match donor, which hold `positions` of it. "copy": pages (old,
    new), before a write. "preempt" (by recompute), "finish" and "evict" (from the prefix cache): it gave back `pages`.
    """

    kind: str
    request: int
    pages: tuple[int, ...] = ()
    other: int | None = None
    positions: int = 0


@dataclass(frozen=True)
class RequestSnapshot:
    """One request in one step: its state (see STATES), what was done for it, and what it has at the step's end."""

    state: str
    num_computed_tokens: int  # positions that passed through the network in this step
    num_cached_tokens: int  # positions found in another request's pages in this step, and so not computed
    new_tokens: int  # written in this step, 0 or 1
    output_tokens: int  # written so far
    length: int  # positions in memory
    table: tuple[int, ...]  # physical pages in order


@dataclass(frozen=True)
class Step:
    """One step: every request's snapshot, the owners and the fill of each physical page, events, and the time it took.

    Slots are `allocated` when a request in the batch owns their page, `occupied` when one that still writes filled
    them.
    """

    snapshots: tuple[RequestSnapshot, ...]
    owners: tuple[tuple[int, ...], ...]
    fill: tuple[int, ...]
    allocated: int
    occupied: int
    events: tuple[Event, ...]
    seconds: float

    @property
    def tokens(self) -> int:
        """Tokens written in this step."""
        return sum(snapshot.new_tokens for snapshot in self.snapshots)

    @property
    def free(self) -> int:
        """Pages without an owner."""
        return sum(not owners for owners in self.owners)

    @property
    def shared(self) -> int:
        """Pages with more than one owner."""
        return sum(len(owners) > 1 for owners in self.owners)

    @property
    def wasted(self) -> int:
        """Slots allocated but not occupied: the empty ends of last pages; static: all that is reserved or padding."""
        return self.allocated - self.occupied

    def count(self, what: str) -> int:
        """Events of one kind, or requests in one state."""
        return sum(event.kind == what for event in self.events) + sum(
            snapshot.state == what for snapshot in self.snapshots
        )


@dataclass(frozen=True)
class Totals:
    """A run in numbers. Steps without any request are counted too; times are what this machine needed."""

    steps: int
    tokens: int
    tokens_per_step: float
    seconds: float
    tokens_per_second: float
    ttft: float  # time to first token: mean steps from arrival, 1 when it is written in the step of arrival
    end_to_end_latency: float  # mean steps from arrival to the last token
    allocated: int  # slots times steps
    occupied: int
    waste: float  # share of allocated slots that are not occupied, over all steps
    num_computed_tokens: int  # positions that passed through the network
    num_recomputed_tokens: int  # of them: again, after a preemption
    padding: int  # of them: rows that had ended
    num_cached_tokens: int  # positions never computed, because another request's pages held them
    peak: int  # most pages with an owner at once
    shared: int  # most pages shared at once
    copies: int
    preemptions: int


@dataclass(frozen=True)
class Run:
    """All steps of a server, and what each request got."""

    server: Server
    requests: tuple[Request, ...]
    prompts: tuple[tuple[int, ...], ...]  # ids
    answers: tuple[tuple[int, ...], ...]  # ids
    texts: tuple[str, ...]  # as `generate` gives them
    steps: tuple[Step, ...]

    def timeline(self) -> pd.DataFrame:
        """States, a row per request (from 1) and a column per step."""
        rows = [[step.snapshots[i].state for step in self.steps] for i in range(len(self.requests))]
        return pd.DataFrame(rows, index=pd.RangeIndex(1, len(rows) + 1, name="request"))

    def per_step(self) -> pd.DataFrame:
        """A row per step: milliseconds, tokens, states, pages and slots."""
        rows = [
            {
                "ms": 1e3 * step.seconds,
                "tokens": step.tokens,
                **{state: step.count(state) for state in STATES[1:-1]},
                "free pages": step.free,
                "allocated slots": step.allocated,
                "occupied slots": step.occupied,
                "wasted slots": step.wasted,
                "shared pages": step.shared,
                "copies": step.count("copy"),
                "preemptions": step.count("preempt"),
            }
            for step in self.steps
        ]
        return pd.DataFrame(rows, index=pd.RangeIndex(len(rows), name="step"))

    def per_request(self) -> pd.DataFrame:
        """A row per request (from 1): when it came, wrote and ended, what was computed for it, and its text."""
        rows = []
        for i, (request, prompt, text) in enumerate(zip(self.requests, self.prompts, self.texts)):
            snapshots = [step.snapshots[i] for step in self.steps]
            active = [number for number, snapshot in enumerate(snapshots) if snapshot.state in WRITING]
            rows.append(
                {
                    "prompt": request.prompt,
                    "prompt tokens": len(prompt),
                    "output tokens": snapshots[-1].output_tokens,
                    "arrival": request.arrival,
                    "first token": active[0],
                    "last step": active[-1],
                    "computed tokens": sum(snapshot.num_computed_tokens for snapshot in snapshots),
                    "cached tokens": sum(snapshot.num_cached_tokens for snapshot in snapshots),
                    "preemptions": sum(
                        event.kind == "preempt" and event.request == i for step in self.steps for event in step.events
                    ),
                    "text": text,
                }
            )
        return pd.DataFrame(rows, index=pd.RangeIndex(1, len(rows) + 1, name="request"))

    def texts_by_step(self, tokenizer: Tokenizer) -> list[list[str]]:
        """Each request's text after each step, [steps][requests]: its answer so far; its prompt while there is none."""
        texts = [
            [request.prompt, *(tokenizer.decode(list(answer[: n + 1])) for n in range(len(answer)))]
            for request, answer in zip(self.requests, self.answers)
        ]
        return [
            [
                "" if snapshot.state == "absent" else versions[snapshot.output_tokens]
                for snapshot, versions in zip(step.snapshots, texts)
            ]
            for step in self.steps
        ]

    def totals(self) -> Totals:
        """The run in numbers."""
        per_step, per_request = self.per_step(), self.per_request()
        tokens, seconds = int(per_step["tokens"].sum()), float(per_step["ms"].sum()) / 1e3
        allocated, occupied = (int(per_step[f"{which} slots"].sum()) for which in ("allocated", "occupied"))
        prefills = [
            [snapshot.num_computed_tokens for snapshot in snapshots if snapshot.state == "prefill"]
            for snapshots in zip(*(step.snapshots for step in self.steps))
        ]
        arrival = per_request["arrival"]
        return Totals(
            steps=len(self.steps),
            tokens=tokens,
            tokens_per_step=tokens / len(self.steps),
            seconds=seconds,
            tokens_per_second=tokens / seconds,
            ttft=float((per_request["first token"] - arrival).mean()) + 1,
            end_to_end_latency=float((per_request["last step"] - arrival).mean()) + 1,
            allocated=allocated,
            occupied=occupied,
            waste=1 - occupied / allocated,
            num_computed_tokens=int(per_request["computed tokens"].sum()),
            num_recomputed_tokens=sum(sum(counts[1:]) for counts in prefills),
            padding=int(per_step["padding"].sum()),
            num_cached_tokens=int(per_request["cached tokens"].sum()),
            peak=self.server.pages - int(per_step["free pages"].min()),
            shared=int(per_step["shared pages"].max()),
            copies=int(per_step["copies"].sum()),
            preemptions=int(per_step["preemptions"].sum()),
        )


def totals_table(runs: dict[str, Run]) -> pd.DataFrame:
    """Totals of several runs side by side, a column each."""
    return pd.DataFrame({name: asdict(run.totals()) for name, run in runs.items()})
