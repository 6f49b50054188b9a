"""The state of the page Serving: requests, and the server that takes them."""

from __future__ import annotations

import math

import streamlit as st

from tlmviz.decoding.serving import Server
from tlmviz.errors import BadShape
from tlmviz.ui import state
from tlmviz.ui.language import N_
from tlmviz.ui.link import SLOT

CONTINUOUS, STATIC = "continuous", "static"
REQUESTS = """\
… She
… She
… Her mom said, "
Tom and Anna were friends. Tom gave Anna a cake
… Then a big dog
The cat"""
TOKENS, ARRIVALS = "24, 24, 10, 40, 16, 8", "0, 0, 1, 2, 4, 6"
LONGEST, LATEST = 64, 200  # tokens that a request may write, and step at which it may arrive: seconds of work
MOST_PAGES = 256
SLOTS = 8192  # of memory: each is drawn in every step
_MEMORY = f"{SLOT}slots"  # session: slots of memory, while only the page size is changed


def _keep_memory() -> None:
    """Another page size: as many pages as hold the memory that was chosen, in slots."""
    page, slots = Serving.page.get(), st.session_state.get(_MEMORY)
    if page and slots:
        Serving.pages.set(min(math.ceil(slots / page), MOST_PAGES))


def _forget_memory() -> None:
    """Another number of pages: the memory is what it makes with the page size."""
    st.session_state.pop(_MEMORY, None)


class Serving(state.State):
    """Requests as they are written, a line each, and their server."""

    model: str
    text: str  # what a line's “…” stands for
    lines = state.text(
        N_("Requests, one a line"),
        REQUESTS,
        key="vreq",
        height=100,
        ends=("", "a", "… & <b>\n😀 🐈‍⬛", "The cat\n" * 12),
        help=N_(
            "A line that begins with … goes on from the text at the right. Press Ctrl+Enter, or click outside the box."
        ),
    )
    policy = state.menu(
        N_("Batching"),
        {CONTINUOUS: N_("Continuous"), STATIC: N_("Static")},
        key="vpol",
        spelled={CONTINUOUS: "Continuous", STATIC: "Static"},
        help=N_("Whose memory is shown. Both policies serve the same requests, and both timelines are drawn."),
    )
    sharing = state.menu(
        N_("Prefix sharing"),
        {"none": N_("Off"), "running": N_("Running"), "cached": N_("Prefix cache")},
        key="vshare",
        default="running",
        spelled={"none": "Off", "running": "Running", "cached": "Remembered"},
        help=N_(
            "A new request may begin on the pages of running requests that have the same prefix. A prefix cache also "
            "keeps the pages of finished ones, and evicts the least recently used (LRU) when memory is short. Static "
            "batches share nothing."
        ),
    )
    page = state.number(
        N_("Page size"),
        0,
        MOST_PAGES,
        8,
        key="vpage",
        changed=_keep_memory,
        help=N_("Slots of a page, a token each. The memory stays: another size changes the number of pages."),
    )
    pages = state.number(
        N_("Pages"), 0, MOST_PAGES, 18, key="vpages", changed=_forget_memory, help=N_("Pages of memory")
    )
    batch = state.number(N_("Batch"), 0, MOST_PAGES, 4, key="vbatch", help=N_("Rows in one pass at most"))
    tokens = state.text(
        N_("Tokens to write, by request"),
        TOKENS,
        key="vtok",
        ends=("1", str(LONGEST), "8, 2"),
        help=N_("1 to {most}, with commas; one number counts for all."),
        fill={"most": LONGEST},
    )
    arrivals = state.text(
        N_("Step of arrival, by request"),
        ARRIVALS,
        key="varr",
        ends=("0", str(LATEST), "0, 9"),
        help=N_("0 to {most}, with commas."),
        fill={"most": LATEST},
    )
    temperature = state.number(N_("Temperature"), 0.0, 2.0, 0.8, step=0.1, key="vtemp")
    seed = state.number(N_("Seed"), 0, 9999, 0, key="vseed", help=N_("Of the first request; others go on"))
    counts = state.toggle(N_("All counts"), key="vall")

    def remember_memory(self) -> None:
        """Called when the state was read: what another page size is to keep."""
        st.session_state.setdefault(_MEMORY, self.page * self.pages)

    @property
    def server(self) -> Server:
        """The continuous server. Raises BadShape for one that cannot be, and for more memory than can be drawn."""
        server = Server(self.page, self.pages, self.batch, sharing=self.sharing)
        if server.slots > SLOTS:
            raise BadShape(
                "{pages} pages of {page} make {slots:,} slots, and the picture shows at most {most:,}; take fewer or "
                "smaller pages.",
                pages=self.pages,
                page=self.page,
                slots=server.slots,
                most=SLOTS,
            )
        return server
