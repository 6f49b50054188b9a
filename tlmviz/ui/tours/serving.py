"""The tour "What a server does with six people's questions": batches, shared pages, too little memory, waiting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tlmviz.caches import PagePool
from tlmviz.decoding.serving import serve
from tlmviz.decoding.serving_records import Request, Run, Server
from tlmviz.figures.written import number

from .. import compute
from .measures import nearest, story
from .parts import Measured, Question, Step, Tour

TEXT = "Once upon a time there was a little girl named Lily. Lily had a red ball. One day, Lily lost the red ball."
BEHIND = (
    "She",
    "She",
    'Her mom said, "',
    None,
    "Then a big dog",
    None,
)  # the text; None: a prompt of its own
OWN = ("Tom and Anna were friends. Tom gave Anna a cake", "The cat")
TOKENS, ARRIVALS = (24, 24, 10, 40, 16, 8), (0, 0, 1, 2, 4, 6)
SERVER = Server(page=8, pages=18, batch=4)
STATIC = replace(SERVER, policy="static", sharing="none")


def _lines() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The requests as they are written on the page, and as prompts."""
    own = iter(OWN)
    written = tuple(next(own) if each is None else f"… {each}" for each in BEHIND)
    return written, tuple(line.replace("…", TEXT) for line in written)


WRITTEN, PROMPTS = _lines()
REQUESTS = tuple(
    Request(prompt, tokens, arrival, 0.8, seed)
    for seed, (prompt, tokens, arrival) in enumerate(zip(PROMPTS, TOKENS, ARRIVALS))
)
LINK: dict[str, str | tuple[str, ...]] = {
    "text": TEXT,
    "vreq": "\n".join(WRITTEN),
    "vtok": ", ".join(map(str, TOKENS)),
    "varr": ", ".join(map(str, ARRIVALS)),
}


def _run(server: Server) -> Run:
    lm = story()
    return compute.run_in_worker(lambda: serve(lm, REQUESTS, server), 400)


def _steps(server: Server, answers: tuple[float, ...]) -> Callable[[], Measured]:
    """A measure: which of some numbers of steps a server needs."""

    def measure() -> Measured:
        totals = _run(server).totals()
        said = f"{totals.steps} steps for {totals.tokens} tokens, {number(totals.tokens_per_step, '.1f')} in each."
        return Measured(nearest(totals.steps, answers), said)

    return measure


def _first(server: Server, answers: tuple[float, ...]) -> Callable[[], Measured]:
    """A measure: for how many steps one waits for the first token, on average."""

    def measure() -> Measured:
        waited = _run(server).totals().ttft
        return Measured(nearest(waited, answers), f"{number(waited, '.1f')} steps on average.")

    return measure


def _shared() -> Measured:
    """What is computed with shared pages, of what is without."""
    shared, alone = (
        _run(replace(SERVER, sharing=sharing)).totals().num_computed_tokens for sharing in ("running", "none")
    )
    said = f"{shared} tokens pass through the model in place of {alone}."
    return Measured(nearest(shared / alone, (1.0, 0.67, 0.3)), said)


def _texts() -> Measured:
    """Whether requests that had to give their pages back get the texts that they get otherwise."""
    short, ample = _run(replace(SERVER, pages=10)), _run(SERVER)
    totals = short.totals()
    same = short.answers == ample.answers
    again = f"{totals.preemptions} times pages were given back, and {totals.num_recomputed_tokens} tokens computed again"
    return Measured(0 if same else 1, f"{again}; the texts are {'the same' if same else 'others'}.")


def _page() -> Measured:
    """Bytes of the keys and values of a page's tokens."""
    size = PagePool.of(story().config, SERVER.page, 1).page_nbytes
    return Measured(nearest(size, (700, 74_000, 7_000_000)), f"{number(size, ',')} bytes in float32.")


TOUR = Tour(
    "server",
    "What a server does with six people's questions",
    "Six people ask, one model answers: who waits for whom, what they share, and what happens when memory runs out.",
    (
        Step(
            "serving",
            "One after another",
            "Six requests come within seven steps, and the server takes one at a time: each row of the timeline waits for the "
            "row above it.",
            ".st-key-server",
            {**LINK, "vbatch": "1"},
            Question(
                "For how many steps does one wait for the first word, on average?",
                ("about 5", "about 55", "about 500"),
                _first(replace(SERVER, batch=1), (5, 55, 500)),
            ),
        ),
        Step(
            "serving",
            "Four in one pass",
            "A pass over four rows costs hardly more than one over a single row, so four are written at once; who is done makes "
            "room for the next.",
            ".st-key-server",
            LINK,
            Question(
                f"One at a time it took {sum(TOKENS)} steps, one for each word. And now?",
                ("about 40", "about 60", "about 100"),
                _steps(SERVER, (40, 60, 100)),
            ),
        ),
        Step(
            "serving",
            "They begin alike",
            "Four prompts begin with the same story. Its keys and values are in memory once, in the striped pages, until each "
            "writes a word of its own.",
            ".st-key-server",
            LINK,
            Question(
                "How much does the model compute, of what it would without sharing?",
                ("all of it", "two thirds", "less than a third"),
                _shared,
            ),
        ),
        Step(
            "serving",
            "Waiting for the slowest",
            "A static batch takes who is there, and nobody leaves before its longest answer is written.",
            ".st-key-server",
            {**LINK, "vpol": "Static"},
            Question(
                "How many steps do the same six requests take so?",
                ("about 40", "about 80", "about 300"),
                _steps(STATIC, (40, 80, 300)),
            ),
        ),
        Step(
            "serving",
            "Ten pages are too few",
            "With ten pages in place of eighteen some must give theirs back while others go on, and compute their tokens again "
            "later.",
            ".st-key-server",
            {**LINK, "vpages": "10"},
            Question(
                "Do they get another text for it?",
                ("no, the same, token for token", "yes"),
                _texts,
            ),
        ),
        Step(
            "serving",
            "Room for all",
            "With six rows in a pass nobody waits for a place.",
            ".st-key-server",
            {**LINK, "vbatch": "6"},
            Question(
                "And for how many steps does one wait for the first word now?",
                ("1, the step in which one comes", "about 5", "about 25"),
                _first(replace(SERVER, batch=6), (1, 5, 25)),
            ),
        ),
        Step(
            "kv_cache",
            "What lies in a page",
            "Keys and values of eight tokens, of every layer and every head that has its own. Bars are bytes of real caches, of "
            "models that keep more or fewer of them.",
            ".st-key-kvbytes",
            {"kview": "Models", "text": TEXT},
            Question(
                "How large is a page of eight tokens, of the model that answered here?",
                ("700 bytes", "74 thousand bytes", "7 million bytes"),
                _page,
            ),
        ),
    ),
)
