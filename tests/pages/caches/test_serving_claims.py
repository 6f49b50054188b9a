"""What the page Serving claims, held against steps that are counted plainly."""

import re
from dataclasses import replace

from pages.caches.serving import claims, data
from pages.caches.serving.state import ARRIVALS, CONTINUOUS, REQUESTS, STATIC, TOKENS, Serving
from tests.pages.states import agree, each_speaks_and_is_silent, states
from tlmviz.decoding.serving import Request, Server, serve
from tlmviz.errors import Error
from tlmviz.ui import compute, inputs


class Truth:
    """Both runs of a state's requests, step by step."""

    def __init__(self, state: Serving):
        lm, server = (compute.model(state.model), Server(state.page, state.pages, state.batch, sharing=state.sharing))
        lines = [
            re.sub(r"^(…|\.\.\.)", lambda _: state.text, line) for line in state.lines.split("\n") if line.strip()
        ][:8]
        counts, steps = ([int(part) for part in text.split(",")] for text in (state.tokens, state.arrivals))
        requests = []
        for i, line in enumerate(lines):
            request = Request(
                line, counts[min(i, len(counts) - 1)], steps[min(i, len(steps) - 1)], state.temperature, state.seed + i
            )
            try:
                serve(lm, [request], server)
            except Error:
                continue
            requests.append(request)
        self.n, self.pages = len(requests), state.pages
        static = replace(server, policy=STATIC, sharing="none")
        self.run = {each.policy: serve(lm, requests, each) for each in (server, static)} if requests else {}

    def every(self, policy: str):
        return [snapshot for step in self.run[policy].steps for snapshot in step.snapshots]

    def steps(self, policy: str) -> int:
        return len(self.run[policy].steps)

    def rate(self, policy: str) -> float:
        return round(sum(map(len, self.run[policy].answers)) / self.steps(policy), 1)

    def cached(self) -> int:
        return sum(snapshot.num_cached_tokens for snapshot in self.every(CONTINUOUS))

    def waste(self, policy: str) -> float:
        steps = self.run[policy].steps
        return 1 - sum(step.occupied for step in steps) / sum(step.allocated for step in steps)

    def preempted(self):
        """(times, tokens computed again): all that is prefilled behind a request's first time."""
        times = sum(event.kind == "preempt" for step in self.run[CONTINUOUS].steps for event in step.events)
        again = 0
        for number in range(self.n):
            read = [
                s.snapshots[number].num_computed_tokens
                for s in self.run[CONTINUOUS].steps
                if s.snapshots[number].state == "prefill"
            ]
            again += sum(read[1:])
        return times, again


def _same_steps(t: Truth):
    if t.steps(CONTINUOUS) != t.steps(STATIC):
        return None
    return (t.steps(CONTINUOUS),) if t.n == 1 else (t.n, t.steps(CONTINUOUS))


def _wasted(t: Truth):
    most, least = (f"{t.waste(policy):.0%}" for policy in (STATIC, CONTINUOUS))
    return (most, least) if most != least and t.waste(STATIC) > t.waste(CONTINUOUS) else None


def _preempted(t: Truth):
    times, again = t.preempted()
    return (times, again) if times else None


PLAIN = {
    "faster": lambda t: (
        (t.n, t.rate(CONTINUOUS), t.rate(STATIC)) if t.n > 1 and t.rate(CONTINUOUS) > t.rate(STATIC) else None
    ),
    "as_fast": _same_steps,
    "found": lambda t: (t.cached(), sum(s.num_computed_tokens for s in t.every(CONTINUOUS))) if t.cached() else None,
    "preempted": _preempted,
    "wasted": _wasted,
}
OWN = ("Un chat 😀 dort.", "cat", "The cat sat on the mat. " * 20)


def test_every_claim_is_what_the_steps_say_and_silent_elsewhere():
    found, given = [], {"model": "zoo-rope", "text": inputs.DEFAULT_TEXT, "tokens": "9, 9, 4, 14, 6, 3"}
    tried = [
        *states(Serving, given),
        *(Serving(model="zoo-rope", text=text, pages=40, tokens="6", **REST) for text in OWN),
        Serving(  # in one page: no policy wastes more than the other
            model="zoo-rope", text=inputs.DEFAULT_TEXT, pages=18, tokens="6", **REST | {"lines": "Tom ran.", "page": 64}
        ),
    ]
    for state in tried:
        try:
            shown = data.compute(state)
        except Error:
            continue
        if shown.requests:
            found.append(agree(claims.CLAIMS, PLAIN, shown, Truth(state)))
            # Either policy may be drawn: they say whose numbers it is.
            said = (claims.found(shown), claims.preempted(shown))
            assert all("continuous batching" in each for each in said if each)
    each_speaks_and_is_silent(found)
    assert len(found) > 20


REST = {name: control.default for name, control in Serving.controls.items() if name not in ("pages", "tokens")}


def test_the_page_opens_on_its_claim():
    state = Serving(model="stories-rope", text=inputs.DEFAULT_TEXT, **{**REST, "pages": 18, "tokens": TOKENS})
    assert (state.lines, state.arrivals) == (REQUESTS, ARRIVALS)
    said = claims.faster(data.compute(state))
    assert (
        said == "6 people share the model: it writes 2.9 tokens a step if they come and go, 1.5 if they wait for one "
        "another."
    )
