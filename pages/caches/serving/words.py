"""The words of the page Serving: claim, what to notice, equation, snippet, and the headings of its tables."""

from __future__ import annotations

from .controls import Choice

CLAIM = "Many requests share one memory of pages, and join and leave the batch at any step."
EQUATION = (
    r"L_{rt,\,r's} = \tfrac{1}{\sqrt{d_k}}\, q_{rt} \cdot k_{r's}\, \delta_r^{\,r'},\qquad "
    r"\text{slot of } k_{rs} = P \cdot \text{table}_r\!\left[\lfloor s / P \rfloor\right] + s \bmod P,\qquad "
    r"\text{waste} = 1 - \frac{\sum_{\text{steps}} \text{occupied}}{\sum_{\text{steps}} \text{allocated}}",
    "Decoder-Only Transformers in Einstein Notation, sections 4.5 (δ keeps requests apart: other requests’ keys are left out, "
    "not scored 0) and 4.3. P: page size. Pages and copy-on-write: Kwon et al. 2023. Joining and leaving at any step: Yu et "
    "al. 2022.",
    "“Attend within page” of section 4.3 is a block-local mask; paged memory hides no token.",
)
NOTICE = (
    "**Continuous** batching gives a free row to the next request at once. In **static** batching new requests wait until the "
    "longest answer is written, and rows that have ended are computed for nothing (padding).",
    "Pages waste at most the empty end of each request's last page; a static row reserves the longest prompt and the longest "
    "answer from the start. Try a page size of 1, then 64: the memory stays the same.",
    "**Shared beginnings** lie on the same pages (stripes). The first request to write to a part-full one gets its own copy.",
    "**Preemption**: when no page is free, the latest arrival gives its pages back and is computed again later. Fewer *Pages* "
    "preempt more; the text stays the same.",
)
# Rows of `totals_table`: label and help.
COLUMNS = {
    "steps": ("Steps", "Steps of the server, idle ones included"),
    "tokens_per_step": ("Tokens per step", "Throughput: tokens written per step"),
    "tokens_per_second": (
        "Tokens per second",
        "Throughput here: the slowest and the fastest of three rounds in which the servers took turns, measured when first "
        "shown. Where two ranges overlap, the order says nothing. Long runs are not timed.",
    ),
    "ttft": ("First token after", "Time to first token (TTFT): mean steps from arrival"),
    "end_to_end_latency": (
        "Last token after",
        "Latency, end to end: mean steps from arrival to the last token",
    ),
    "waste": (
        "Slots wasted",
        "Share of allocated slots that are not occupied, over all steps. A shared slot counts once.",
    ),
    "padding": ("Padding rows", "Rows of requests that had ended, computed for nothing"),
    "num_computed_tokens": ("Tokens computed", "Tokens that passed through the network"),
    "num_cached_tokens": ("Tokens found cached", "Tokens found in another request's pages, and not computed"),
    "num_recomputed_tokens": ("Computed again", "Tokens computed again after a preemption"),
    "copies": ("Pages copied", "Of shared pages before a write"),
    "preemptions": ("Preemptions", "Times that a request lost its pages"),
}


FIRST = (
    "steps",
    "tokens_per_step",
    "ttft",
    "end_to_end_latency",
    "waste",
    "preemptions",
)  # the others on request
PICTURE_ALT = (
    "Physical pages, block tables and texts of all requests at one step, "
    "and when each request waits, reads and writes"
)


def up_memory_title(model: str, memory: str, rows: int, policy: str) -> str:
    """What stands above the picture."""
    return f"{model}, {memory}, up to {rows}: memory under {policy} batching"


def slots_title(policy: str, slots: int) -> str:
    """What stands above the slots of one policy."""
    return f"{policy}: slots allocated and occupied, of {slots:,}"


def answers_heading(policy: str) -> str:
    """What opens the texts of all requests."""
    return f"Requests and their texts ({policy} batching)"


def side_by_side_alt(policy: str) -> str:
    """What the picture shows, for screen readers."""
    return f"Slots allocated and occupied at each step under {policy} batching"


def snippet(choice: Choice) -> str:
    """The picture with the public API."""
    requests = "\n".join(
        f"    Request({request.prompt!r}, {request.max_new_tokens}, {request.arrival}, {request.temperature}, {request.seed}),"
        for request in choice.requests
    )
    server = choice.server
    return f"""\
import tlmviz
from tlmviz.decoding.serving import Request, Server, serve
from tlmviz.decoding.serving_records import totals_table
from tlmviz.figures import LIGHT
from tlmviz.figures.caches import serving
from tlmviz.figures.caches.serving_captions import step_captions

lm = tlmviz.load({choice.model!r})
requests = [
{requests}
]
runs = {{
    "continuous": serve(lm, requests, Server({server.page}, {server.pages}, {server.batch}, sharing={server.sharing!r})),
    "static": serve(lm, requests, Server({server.page}, {server.pages}, {server.batch}, "static", "none")),
}}
print(totals_table(runs))
run, names = runs[{choice.policy!r}], {list(choice.letters)!r}
steps = {{policy: result.steps for policy, result in runs.items()}}
captions, texts = step_captions(run, names), run.texts_by_step(lm.tokenizer)
headings = {{policy: policy for policy in runs}}
figure = serving.server(
    steps, {choice.policy!r}, {server.page}, captions, texts, names, headings, LIGHT, title=lm.name
)
figure.show()
"""


def speeds(measured: list[list[float]] | None, count: int) -> list[str]:
    """Ranges of tokens per second; dashes for all of `count` where nothing was timed."""
    if measured is None:
        return ["–"] * count
    return [f"{each[0]:.0f} – {each[-1]:.0f}" for each in measured]


def policy_heading(policy: str, steps: int, per_step: float, waste: float) -> str:
    """A timeline's heading with its numbers."""
    return f"{policy.capitalize()} batching: {steps} steps, {per_step:.2f} tokens per step, {waste:.0%} of allocated slots wasted"
