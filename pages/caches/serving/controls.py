"""The controls of the page Serving: requests and their server, as one Choice."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import streamlit as st

from tlmviz.decoding.serving import Request, Server, validate
from tlmviz.errors import BadShape, Error
from tlmviz.language_model import LanguageModel
from tlmviz.ui import compute, frame, inputs, link

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
LETTERS = "ABCDEFGH"
MOST = len(LETTERS)  # requests: as many as there are colours
LONGEST, LATEST = 64, 200  # tokens that a request may write, and step at which it may arrive: seconds of work
MOST_PAGES = 256
MEMORY = f"{link.SLOT}slots"  # session: slots of memory, while only the page size is changed
SLOTS = 8192  # of memory: each is drawn in every step
POLICIES = {policy.capitalize(): policy for policy in (CONTINUOUS, STATIC)}
SHARING = {"none": "Off", "running": "Running", "cached": "Prefix cache"}
SHARING_IN_LINK = {**SHARING, "cached": "Remembered"}  # as in links that were shared before


@dataclass(frozen=True)
class Choice:
    """Requests with their letters in the picture, their server, and the policy whose memory is drawn."""

    model: str
    requests: tuple[Request, ...]
    letters: tuple[str, ...]
    server: Server
    policy: str = CONTINUOUS

    @property
    def lm(self) -> LanguageModel:
        """The model that serves."""
        return compute.model(self.model)


def choose(model: str) -> Choice | None:
    """Draw the controls and return their values; None, with a sentence, when no request can be served."""
    with frame.after_picture(pairs=False):
        left, right = st.columns([0.3, 0.7])
    prompts = left.text_area(
        "Requests, one a line",
        REQUESTS,
        height=124,
        key="vreq",
        bind="query-params",
        help="A line that begins with … goes on from the text at the right. Press Ctrl+Enter, or click outside the box.",
    )
    with right:
        text = inputs.text_box(compute.model(model))
        with st.container(key="server-pairs"):
            places = st.columns([0.22, 0.2, 0.15, 0.13, 0.12, 0.18], vertical_alignment="bottom")
    link.share()
    policy, server = _server(places[:5])
    requests = _requests(prompts or "", text or "", places[5])
    letters, fitting = servable(compute.model(model), requests, server)
    if not fitting:
        st.info("There is no request to serve; write at least one that fits, a line each.")
        return None
    return Choice(model, fitting, letters, server, policy)


def _server(places) -> tuple[str, Server]:
    """The policy whose memory is drawn, and the server. Raises BadShape for more memory than can be drawn."""
    policy = places[0].selectbox(
        "Batching",
        POLICIES,
        key="vpol",
        bind="query-params",
        help="Whose memory is shown. Both policies serve the same requests, and both timelines are drawn.",
    )
    sharing = link.menu(
        places[1],
        "Prefix sharing",
        list(SHARING),
        "vshare",
        default="running",
        write=SHARING_IN_LINK.__getitem__,
        show=SHARING.__getitem__,
        help="A new request may begin on the pages of running requests that have the same prefix. A prefix cache also keeps "
        "the pages of finished ones, and evicts the least recently used (LRU) when memory is short. Static batches share "
        "nothing.",
    )
    page, pages, batch = (
        place.number_input(
            label, 0, MOST_PAGES, value, key=key, bind="query-params", help=help_, on_change=changed
        )
        for place, label, value, key, help_, changed in zip(
            places[2:],
            ("Page size", "Pages", "Batch"),
            (8, 18, 4),
            ("vpage", "vpages", "vbatch"),
            ("Slots of a page, a token each. The memory stays: another size changes the number of pages.",
             "Pages of memory", "Rows in one pass at most"),
            (_keep_slots, _forget_slots, None),
        )
    )  # fmt: skip
    st.session_state.setdefault(MEMORY, page * pages)
    server = Server(page, pages, batch, sharing=sharing)
    if server.slots > SLOTS:
        raise BadShape(
            f"{pages} pages of {page} make {server.slots:,} slots, and the picture shows at most {SLOTS:,}; "
            "take fewer or smaller pages."
        )
    return POLICIES[policy], server


def _keep_slots() -> None:
    """Another page size: as many pages as hold the memory that was chosen, in slots."""
    page, slots = st.session_state["vpage"], st.session_state.get(MEMORY)
    if page and slots:
        st.session_state["vpages"] = min(math.ceil(slots / page), MOST_PAGES)


def _forget_slots() -> None:
    """Another number of pages: the memory is what it makes with the page size."""
    st.session_state.pop(MEMORY, None)


def _requests(prompts: str, text: str, place) -> list[Request]:
    """A request for each line, with the lengths, arrivals and sampling of the popover at `place`. Raises BadShape."""
    with place.popover("Lengths", width="stretch"):
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
    lines = prompts_of(prompts, text)
    counts = numbers(tokens, len(lines), "tokens to write", 1, LONGEST)
    steps = numbers(arrivals, len(lines), "steps of arrival", 0, LATEST)
    return [
        Request(prompt, count, step, temperature, seed + i)
        for i, (prompt, count, step) in enumerate(zip(lines, counts, steps))
    ]


def prompts_of(prompts: str, text: str) -> list[str]:
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


def servable(
    lm: LanguageModel, requests: list[Request], server: Server
) -> tuple[tuple[str, ...], tuple[Request, ...]]:
    """Requests that the server can take, with their letters; sentences about the others and about those cut short."""
    accepted, notes = [], []
    for letter, request in zip(LETTERS, requests):
        try:
            room = lm.config.context - len(validate(lm, request, server))
        except Error as error:
            notes.append(f"**Request {letter}** is left out. {error}")
            continue
        accepted.append((letter, request))
        if request.max_new_tokens > room:
            notes.append(
                f"**Request {letter}** has {lm.config.context - room:,} tokens and is to write {request.max_new_tokens:,}, and "
                f"{lm.name} reads {lm.config.context:,}: it writes at most {room:,}. Shorten its prompt for more."
            )
    if notes:
        st.warning("  \n".join(notes))
    letters, fitting = zip(*accepted) if accepted else ((), ())
    return letters, fitting
