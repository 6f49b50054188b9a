"""What the page "Serving" keeps: served requests, what was measured on them, and its controls."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import streamlit as st

from tlmviz.checks import Check, caches_serving, measure
from tlmviz.decoding.serving import Request, Run, Server, serve, validate
from tlmviz.errors import BadShape, Error
from tlmviz.language_model import LanguageModel
from tlmviz.ui import compute

CONTINUOUS, STATIC = "continuous", "static"
REQUESTS = """\
… She
… She
… Her mom said, "
Tom and Anna were friends. Tom gave Anna a cake
… Then a big dog
The cat"""
TOKENS, ARRIVALS = "24, 24, 10, 40, 16, 8", "0, 0, 1, 2, 4, 6"
BEGINNING = re.compile(r"^(…|\.\.\.)")
MOST = 8  # requests: as many as there are colours
LONGEST, LATEST = 64, 200  # tokens that a request may write, and step at which it may arrive: seconds of work
REPEATED = 1.0  # seconds of a run up to which it is run once more, to be timed
SLOTS = 8192  # of memory: each is drawn in every step
POLICIES = {policy.capitalize(): policy for policy in (CONTINUOUS, STATIC)}
SHARING = {"Off": "none", "Running": "running", "Remembered": "remembered"}


@dataclass(frozen=True)
class Asked:
    """Requests with the letters they go by, the server that takes them, and whose memory is shown."""

    requests: tuple[Request, ...]
    names: tuple[str, ...]
    server: Server
    shown: str


# --- computed once ----------------------------------------------------------------------------------


@st.cache_resource(max_entries=32, show_spinner=False)
def served(name: str, requests: tuple[Request, ...], server: Server) -> Run:
    """All that the scheduler did, step by step."""
    lm = compute.model(name)
    return compute.alone("", lambda: serve(lm, requests, server))


def runs(name: str, asked: Asked) -> dict[str, Run]:
    """The same requests under both policies; a static batch shares nothing."""
    return {
        policy: served(name, asked.requests, policed(asked.server, policy)) for policy in (CONTINUOUS, STATIC)
    }


def policed(server: Server, policy: str) -> Server:
    """The same memory under a policy."""
    return replace(server, policy=policy, sharing="none" if policy == STATIC else server.sharing)


@st.cache_data(max_entries=64, show_spinner=False)
def speed(name: str, requests: tuple[Request, ...], server: Server) -> float:
    """Tokens per second, the faster of two runs: a short first one may have met cold memory."""
    first, lm = served(name, requests, server).totals(), compute.model(name)
    if first.seconds > REPEATED:
        return first.tokens_per_second
    again = compute.alone("", lambda: serve(lm, requests, server))
    return max(first.tokens_per_second, again.totals().tokens_per_second)


@st.cache_resource(max_entries=32, show_spinner=False)
def checks(name: str, requests: tuple[Request, ...], server: Server) -> list[Check]:
    """The identities behind the page on the first prompt, and every text against the one its prompt gets alone."""
    lm, trace = compute.model(name), compute.trace(name, requests[0].prompt)
    both = [served(name, requests, policed(server, policy)) for policy in (CONTINUOUS, STATIC)]

    def work() -> list[Check]:
        alone = [
            lm.generate(each.prompt, each.max_new_tokens, each.temperature, each.top_k, each.top_p, each.seed)
            for each in requests
        ]
        wrong = sum(text != own for run in both for text, own in zip(run.texts, alone))
        claim = "each request gets the text that its prompt gets alone, under both policies"
        return [
            Check("Same texts as alone", claim, float(wrong), 0.0, "texts"),
            *measure(caches_serving, lm, trace),
        ]

    return compute.alone("", work)


# --- controls ---------------------------------------------------------------------------------------


def controls(lm: LanguageModel, text: str, prompts: str, places) -> Asked | None:
    """The server and its requests; those that cannot be served are named in a sentence and left out. None without any."""
    shown = places[0].selectbox(
        "Batching",
        POLICIES,
        key="vpol",
        bind="query-params",
        help="Whose memory is shown. Both policies serve the same requests, and both timelines are drawn.",
    )
    sharing = places[1].selectbox(
        "Prefix sharing",
        SHARING,
        index=1,
        key="vshare",
        bind="query-params",
        help="Newcomers may begin on the pages of running requests, or also on those of finished ones that are remembered "
        "until memory is short. Static batches share nothing.",
    )
    page, pages, batch = (
        place.number_input(label, 0, 256, value, key=key, bind="query-params", help=help_)
        for place, label, value, key, help_ in zip(
            places[2:],
            ("Page size", "Pages", "Batch"),
            (8, 18, 4),
            ("vpage", "vpages", "vbatch"),
            (None, "Pages of memory", "Rows in one pass at most"),
        )
    )
    with places[5].popover("Lengths", width="stretch"):
        tokens = st.text_input(
            "Tokens to write, by request",
            TOKENS,
            key="vtok",
            bind="query-params",
            help=f"1 to {LONGEST}, with commas; one number counts for all.",
        )
        arrivals = st.text_input(
            "Step of arrival, by request",
            ARRIVALS,
            key="varr",
            bind="query-params",
            help=f"0 to {LATEST}, with commas.",
        )
        temperature = st.number_input("Temperature", 0.0, 2.0, 0.8, 0.1, key="vtemp", bind="query-params")
        seed = st.number_input(
            "Seed", 0, 9999, 0, key="vseed", bind="query-params", help="Of the first request; others go on"
        )
    server = Server(page, pages, batch, sharing=SHARING[sharing])
    if server.slots > SLOTS:
        raise BadShape(
            f"{pages} pages of {page} make {server.slots:,} slots, and the picture shows at most {SLOTS:,}; "
            "take fewer or smaller pages."
        )
    lines = written_prompts(prompts, text)
    counts = numbers(tokens, len(lines), "tokens to write", 1, LONGEST)
    steps = numbers(arrivals, len(lines), "steps of arrival", 0, LATEST)
    every = [
        Request(prompt, count, step, temperature, seed + i)
        for i, (prompt, count, step) in enumerate(zip(lines, counts, steps))
    ]
    names, requests = possible(lm, every, server)
    if not requests:
        st.info("There is no request to serve; write at least one that fits, a line each.")
        return None
    return Asked(requests, names, server, POLICIES[shown])


def written_prompts(prompts: str, text: str) -> list[str]:
    """A prompt for each line, in which “…” at the start stands for the shared beginning; a sentence says what is cut."""
    lines = [BEGINNING.sub(lambda _: text, line) for line in prompts.splitlines() if line.strip()]
    if len(lines) > MOST:
        st.warning(
            f"{len(lines):,} requests are given, and the picture has colours for {MOST}: the first {MOST} are served."
        )
    return lines[:MOST]


def numbers(text: str, count: int, what: str, least: int, most: int) -> list[int]:
    """Whole numbers from a list with commas, the last one repeated as needed. Raises BadShape."""
    parts = [part.strip() for part in re.split(r"[,;]", text) if part.strip()]
    if not parts:
        raise BadShape(
            f"There are no {what}; give a number from {least} to {most} for all requests, or one for each."
        )
    for part in parts:
        if not re.fullmatch(r"\d{1,9}", part) or not least <= int(part) <= most:
            raise BadShape(
                f"The {what} hold “{part[:20]}”; give whole numbers from {least} to {most}, with commas."
            )
    return [int(parts[min(i, len(parts) - 1)]) for i in range(count)]


def possible(
    lm: LanguageModel, every: list[Request], server: Server
) -> tuple[tuple[str, ...], tuple[Request, ...]]:
    """Requests that the server can take, with their letters; sentences about the others and about those cut short."""
    kept, said = [], []
    for name, request in zip("ABCDEFGH", every):
        try:
            room = lm.config.context - len(validate(lm, request, server))
        except Error as error:
            said.append(f"**Request {name}** is left out. {error}")
            continue
        kept.append((name, request))
        if request.max_new_tokens > room:
            said.append(
                f"**Request {name}** has {lm.config.context - room:,} tokens and is to write {request.max_new_tokens:,}, and "
                f"{lm.name} reads {lm.config.context:,}: it writes at most {room:,}. Shorten its prompt for more."
            )
    if said:
        st.warning("  \n".join(said))
    names, requests = zip(*kept) if kept else ((), ())
    return names, requests
