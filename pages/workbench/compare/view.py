"""Draws the page Compare: two runs side by side, or the sentence that they do not differ."""

from __future__ import annotations

from functools import partial

import streamlit as st

from tlmviz.ui import below, frame
from tlmviz.ui.progress import LOOK, Work

from . import compute, controls, words
from .component import compare_view, payload
from .controls import BITS, Choice

LIMITS = [f"1e-{exponent}" for exponent in range(1, 8)]  # of KL, in nats
AT_ONCE = 64  # heads that are measured unasked
ASKED = "cmpcost"  # session: the switch that asks for the others


def picture(choice: Choice) -> None:
    """Tokens, differences of all heads and of one, cosines and predictions; a sentence where nothing differs."""
    found = compute.found(choice)
    head, pin, origin = controls.seen(choice)
    if cut := words.cut(choice, found):
        st.warning(cut)
    if found.same:
        st.info(words.same(choice, found))
        return
    comparison = found.comparison
    if head is None or head[0] >= comparison.a.n_layers or head[1] >= comparison.a.n_heads:
        first = comparison.moved(1).iloc[0]
        head = int(first.layer), int(first["head"])
    data = payload(
        comparison,
        found.small,
        found.cosines,
        found.guesses,
        head,
        title=words.title(choice),
        names=words.names(choice),
        pin=int(comparison.kl.argmax()) if pin is None else min(pin, len(comparison.kl) - 1),
        apart=found.apart,
        origin=origin,
        picture=below.next_picture(),
    )
    compare_view(data, key=controls.KEY, on_change=controls.keep)
    frame.caption(words.summary(choice, found))


@partial(frame.fragment, every=LOOK)
def _measuring(choice: Choice) -> None:
    """How far it is, looked at again and again; the page runs again when it has ended."""
    job = compute.costs(choice) if st.session_state.get(ASKED) else None
    if job is None or job.future.done():
        st.rerun()
        return
    bar, button = st.columns([0.84, 0.16], vertical_alignment="center")
    bar.progress(job.share, words.MEASURING + job.left)
    button.button("Cancel", on_click=_cancel, args=(job,), key="cmpcancel")


def _cancel(job: Work) -> None:
    st.session_state[ASKED] = False
    job.stopped = True


def costs(choice: Choice) -> None:
    """Of keys and values in few bits: what each head costs, and which should stay in 16 bits."""
    if not choice.bits or BITS[choice.bits][0] != "cache":
        return
    found = compute.found(choice).comparison.a
    asked = found.n_layers * found.n_heads > AT_ONCE
    if asked and not st.toggle(words.MEASURE_ALL, key=ASKED):
        return
    job = compute.costs(choice)
    if asked and not job.future.done():
        _measuring(choice)
        return
    rows = job.wait(words.MEASURING)
    limit = st.select_slider(words.LIMIT, LIMITS, "1e-4", key="cmplimit", bind="query-params")
    kept = [row for row in rows if row.kl > float(limit)]
    st.markdown(words.stay(choice, len(kept), len(rows)))
    table = [
        {
            "Head": f"{row.layer}.{row.head}",
            "KL (nats)": row.kl,
            "Outlier": row.outlier,
            "16 bits": row in kept,
        }
        for row in sorted(rows, key=lambda row: -row.kl)
    ]
    frame.table(table, words.COSTS, words.COST_HELPS, height=320)
