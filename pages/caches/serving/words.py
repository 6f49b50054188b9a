"""The words of the page Serving: claim, what to notice, equation, snippet, and the headings of its tables."""

from __future__ import annotations

from .controls import Choice

CLAIM = "Many requests share one memory of pages, and join and leave the batch at any step."
EQUATION = (
    r"L_{rt,\,r's} = \tfrac{1}{\sqrt{d_k}}\, q_{rt} \cdot k_{r's}\, \delta_r^{\,r'},\qquad "
    r"\text{slot of } k_{rs} = P \cdot \text{table}_r\!\left[\lfloor s / P \rfloor\right] + s \bmod P,\qquad "
    r"\text{waste} = 1 - \frac{\sum_{\text{steps}} \text{used}}{\sum_{\text{steps}} \text{held}}",
    "Decoder-Only Transformers in Einstein Notation, sections 4.5 (δ keeps requests apart: other requests’ keys are left out, "
    "not scored 0) and 4.3, whose “attend within page” is a block-local mask; paged memory hides no token. "
    "P: page size. Pages and copy-on-write: Kwon et al. 2023. Joining and leaving at any step: Yu et al. 2022.",
)
NOTICE = (
    "**Continuous** batching gives a free row to the next request at once. **Static** rows that have ended still go through "
    "each pass (padding) until the longest answer is written, and newcomers wait.",
    "**Fragmentation**: paged memory holds at most the empty end of each last page; a static row reserves the longest prompt "
    "and the longest answer from the start. Try a page size of 1, then 64.",
    "**Sharing**: equal beginnings lie on the same pages (stripes). The first to write on a part-full one gets its own copy.",
    "**Eviction**: when no page is free, the latest arrival gives its pages back and later reads everything again. "
    "Fewer *Pages* evict more; its text stays the same.",
)
# Of `totals_table`: what each row is called, and how it is told.
COLUMNS = {
    "steps": ("Steps", "Steps of the server, idle ones included"),
    "tokens_per_step": ("Tok/step", "Throughput: tokens written per step"),
    "tokens_per_second": (
        "Tok/s",
        "Throughput on this server, the faster of two short runs, measured when first shown",
    ),
    "first_token": ("To first", "Mean steps from arrival to the first token"),
    "turnaround": ("To end", "Mean steps from arrival to the last token"),
    "waste": ("Wasted", "Held slots that hold nothing in use, over all steps. A shared slot counts once."),
    "padding": ("Padding", "Rows of requests that had ended, computed for nothing"),
    "computed": ("Passed", "Positions that passed through the network"),
    "spared": ("Spared", "Positions taken over from another request instead"),
    "recomputed": ("Again", "Positions computed again after an eviction"),
    "copies": ("Copies", "Of shared pages before a write"),
    "evictions": ("Evicted", "Times that a request lost its pages"),
}


def snippet(choice: Choice) -> str:
    """The picture with the public API."""
    requests = "\n".join(
        f"    Request({each.prompt!r}, {each.max_new_tokens}, {each.arrival}, {each.temperature}, {each.seed}),"
        for each in choice.requests
    )
    server = choice.server
    return f"""\
import tlmviz
from tlmviz.decoding.serving import Request, Server, serve
from tlmviz.decoding.serving_records import totals_table
from tlmviz.decoding.serving_story import story, written
from tlmviz.figures import LIGHT
from tlmviz.figures.caches import serving

lm = tlmviz.load({choice.model!r})
requests = [
{requests}
]
runs = {{
    "continuous": serve(lm, requests, Server({server.page}, {server.pages}, {server.batch}, sharing={server.sharing!r})),
    "static": serve(lm, requests, Server({server.page}, {server.pages}, {server.batch}, "static", "none")),
}}
print(totals_table(runs))
run, names = runs[{choice.shown!r}], {list(choice.letters)!r}
figure = serving.server(
    {{policy: each.steps for policy, each in runs.items()}}, {choice.shown!r}, {server.page}, story(run, names), written(lm, run),
    names, {{policy: policy for policy in runs}}, LIGHT, title=lm.name,
)
figure.show()
"""


def policy_heading(policy: str, steps: int, per_step: float, waste: float) -> str:
    """A timeline's heading with its numbers."""
    return f"{policy.capitalize()} batching: {steps} steps, {per_step:.2f} tokens per step, {waste:.0%} of held slots wasted"
