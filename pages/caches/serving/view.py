"""Draws the page Serving: controls, the picture that is walked, the numbers side by side, and what each request got."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.figures.caches import serving
from tlmviz.figures.caches.serving_captions import count, step_captions
from tlmviz.ui import compute, frame, inputs, state
from tlmviz.ui.language import N_, _

from . import claims
from .data import Data
from .state import CONTINUOUS, STATIC, Serving

NAMES = {CONTINUOUS: N_("Continuous"), "unshared": N_("No sharing"), STATIC: N_("Static")}
# Columns of the table: label, help, format; those of FIRST always, the others on request.
COLUMNS = {
    "steps": (N_("Steps"), N_("Steps of the server, idle ones included"), "%d"),
    "tokens_per_step": (N_("Tokens per step"), N_("Throughput: tokens written per step"), "%.2f"),
    "tokens_per_second": (
        N_("Tokens per second"),
        N_(
            "Throughput here: the slowest and the fastest of three rounds in which the servers took turns, measured "
            "when first shown. Where two ranges overlap, the order says nothing. Long runs are not timed."
        ),
        "",
    ),
    "ttft": (N_("First token after"), N_("Time to first token (TTFT): mean steps from arrival"), "%.2f"),
    "end_to_end_latency": (
        N_("Last token after"),
        N_("Latency, end to end: mean steps from arrival to the last token"),
        "%.2f",
    ),
    "waste": (
        N_("Slots wasted"),
        N_("Share of allocated slots that are not occupied, over all steps. A shared slot counts once."),
        "%.1f%%",
    ),
    "padding": (N_("Padding rows"), N_("Rows of requests that had ended, computed for nothing"), "%d"),
    "num_computed_tokens": (N_("Tokens computed"), N_("Tokens that passed through the network"), "%d"),
    "num_cached_tokens": (
        N_("Tokens found cached"),
        N_("Tokens found in another request's pages, and not computed"),
        "%d",
    ),
    "num_recomputed_tokens": (N_("Computed again"), N_("Tokens computed again after a preemption"), "%d"),
    "copies": (N_("Pages copied"), N_("Of shared pages before a write"), "%d"),
    "preemptions": (N_("Preemptions"), N_("Times that a request lost its pages"), "%d"),
}
MORE = (Serving.pages, Serving.batch, Serving.tokens, Serving.arrivals, Serving.temperature, Serving.seed)
FIRST = ("steps", "tokens_per_step", "ttft", "end_to_end_latency", "waste", "preemptions")
STYLE = """<style>
.st-key-vreq textarea { font-size: 0.8rem; line-height: 1.2; padding: 0.3rem 0.6rem; white-space: pre; }
</style>"""
EQUATION = (
    r"L_{rt,\,r's} = \tfrac{1}{\sqrt{d_k}}\, q_{rt} \cdot k_{r's}\, \delta_r^{\,r'},\qquad "
    r"\text{slot of } k_{rs} = P \cdot \text{table}_r\!\left[\lfloor s / P \rfloor\right] + s \bmod P,\qquad "
    r"\text{waste} = 1 - \frac{\sum_{\text{steps}} \text{occupied}}{\sum_{\text{steps}} \text{allocated}}",
    "Decoder-Only Transformers in Einstein Notation, sections 4.5 (δ keeps requests apart: other requests’ keys are "
    "left out, not scored 0) and 4.3. P: page size. Pages and copy-on-write: Kwon et al. 2023. Joining and leaving at "
    "any step: Yu et al. 2022.",
    "“Attend within page” of section 4.3 is a block-local mask; paged memory hides no token.",
)


def controls(model: str) -> Serving:
    """Draw the controls; what they say."""
    st.html(STYLE)
    left, right = st.columns([0.3, 0.7])
    Serving.lines.draw(left)
    with right:
        text = inputs.text_box(compute.model(model))
        *places, last = st.columns([0.24, 0.24, 0.2, 0.2], vertical_alignment="bottom")
    for field, place in zip((Serving.policy, Serving.sharing, Serving.page), places):
        field.draw(place)
    with frame.more(last):
        for field in MORE:
            field.draw()
        state.reset_button(Serving)
    chosen = Serving.of_session(model=model, text=text or "")
    chosen.remember_memory()
    return chosen


def left_out(data: Data) -> bool:
    """What is not served as it was asked for; whether anything is."""
    if said := claims.left_out(data):
        st.warning("  \n".join(said))
    if not data.requests:
        st.info(_("There is no request to serve; write at least one that fits, a line each."))
    return bool(data.requests)


def picture(data: Data) -> None:
    """Pages, block tables, texts and both timelines, walked in the browser."""
    letters, server = list(data.letters), data.server
    heading = _("{policy} batching: {steps} steps, {rate:.2f} tokens per step, {waste:.0%} of allocated slots wasted")
    headings = {
        policy: heading.format(policy=_(NAMES[policy]), steps=each.steps, rate=each.tokens_per_step, waste=each.waste)
        for policy, each in data.totals.items()
    }
    title = _(
        "{model}, {pages} of {slots}, up to {rows}: memory under {policy} batching",
        model=data.chosen.model,
        pages=count(server.pages, "page"),
        slots=count(server.page, "slot"),
        rows=count(server.batch, "row"),
        policy=data.chosen.policy,
    )
    figure = serving.server(
        {policy: run.steps for policy, run in data.runs.items()},
        data.chosen.policy,
        server.page,
        step_captions(data.run, letters),
        data.run.texts_by_step(data.lm.tokenizer),
        letters,
        headings,
        frame.theme(),
        title=title,
        height=485,
    )
    alt = _(
        "Physical pages, block tables and texts of all requests at one step, and when each request waits, reads and "
        "writes"
    )
    with frame.wide("wide"):
        frame.chart(figure, key="server", alt=alt)


def side_by_side(data: Data) -> None:
    """Throughput and waste of each policy, counted, and of the continuous one without prefix sharing."""
    whole = Serving.counts.draw()
    table = data.table[list(COLUMNS if whole else FIRST)].assign(waste=100 * data.table["waste"])
    if whole:
        speeds = data.speeds or [[]] * len(table)
        table["tokens_per_second"] = [f"{each[0]:.0f} – {each[-1]:.0f}" if each else "–" for each in speeds]
    settings = {}
    for name in table:
        label, help_, shape = COLUMNS[name]
        kind, form = (st.column_config.NumberColumn, {"format": shape}) if shape else (st.column_config.TextColumn, {})
        settings[name] = kind(_(label), help=_(help_), **form)
    table = table.rename(index=lambda name: _(NAMES[name])).rename_axis(_("Batching")).reset_index()
    st.dataframe(table, hide_index=True, column_config=settings)
    longest = max(len(run.steps) for run in data.runs.values())
    for place, (policy, run) in zip(st.columns(2), data.runs.items()):
        allocated, occupied = (
            np.array([getattr(step, what) for step in run.steps]) for what in ("allocated", "occupied")
        )
        title = _("{policy}: slots allocated and occupied, of {slots:,}")
        title = title.format(policy=_(NAMES[policy]), slots=run.server.slots)
        alt = _("Slots allocated and occupied at each step under {policy} batching", policy=policy)
        with place:
            figure = serving.slots_in_use(allocated, occupied, run.server.slots, longest, title, frame.theme())
            frame.chart(figure, key=f"slots-{policy}", alt=alt)


def answers(data: Data) -> None:
    """Each request with its text and its counts."""
    table = data.run.per_request()
    table.insert(0, "request", list(data.letters))
    with st.expander(_("Requests and their texts ({policy} batching)", policy=data.chosen.policy)):
        st.dataframe(table, hide_index=True, column_config={"text": st.column_config.TextColumn(width="large")})
        file, run = f"tlmviz-{data.chosen.policy}.csv", data.run
        st.download_button(
            _("Every step (CSV)"), lambda: run.per_step().to_csv().encode(), file, "text/csv", on_click="ignore"
        )


def snippet(data: Data) -> str:
    """The picture with the public API."""
    requests = "\n".join(
        f"    Request({request.prompt!r}, {request.max_new_tokens}, {request.arrival}, {request.temperature}, "
        f"{request.seed}),"
        for request in data.requests
    )
    server = data.server
    return f"""\
import tlmviz
from tlmviz.decoding.serving import Request, Server, serve
from tlmviz.decoding.serving_records import totals_table
from tlmviz.figures import LIGHT
from tlmviz.figures.caches import serving
from tlmviz.figures.caches.serving_captions import step_captions

lm = tlmviz.load({data.chosen.model!r})
requests = [
{requests}
]
runs = {{
    "continuous": serve(
        lm, requests, Server({server.page}, {server.pages}, {server.batch}, sharing={server.sharing!r})
    ),
    "static": serve(lm, requests, Server({server.page}, {server.pages}, {server.batch}, "static", "none")),
}}
print(totals_table(runs))
run, names = runs[{data.chosen.policy!r}], {list(data.letters)!r}
steps = {{policy: result.steps for policy, result in runs.items()}}
captions, texts = step_captions(run, names), run.texts_by_step(lm.tokenizer)
headings = {{policy: policy for policy in runs}}
figure = serving.server(
    steps, {data.chosen.policy!r}, {server.page}, captions, texts, names, headings, LIGHT, title=lm.name
)
figure.show()
"""
