"""The words of the page Patch: claim, what to notice, equations, captions, snippet."""

from __future__ import annotations

from tlmviz.analysis.workbench.patching import HEAD_KINDS, Cell
from tlmviz.figures import number, readable
from tlmviz.ui import inputs

from . import compute
from .compute import Exact, Prediction
from .controls import Choice

CLAIM = "Put one part of a run into another: which part brings the answer back?"
PART = {
    "z": "Output",
    "pattern": "Pattern",
    "q": "Queries",
    "k": "Keys",
    "v": "Values",
    "resid": "Residual stream",
    "attn": "Attention's output",
    "mlp": "MLP's output",
}
NOTICE = (
    "**Two runs** that differ in the marked tokens only: the model prefers the answer behind the clean text, the "
    "wrong answer behind the corrupted one. Each cell is a run of the corrupted text with **one part taken from the clean "
    "run**: 0, nothing changes; 1, the answer is back as in the clean run. More than 1 or less than 0 is real.",
    "**Residual**: the stream that a layer reads at one position. Follow the 1 from the exchanged token to the last one: "
    "where it changes position, attention has carried the answer over.",
    "**z, pattern, q, k, v**: what one head writes, or only one part of it from the clean run. If z and v bring the "
    "answer back and the pattern does not, the head looks at the same place in both runs and finds another word there.",
    "**The preview** takes one pass forward and one back for all cells, and guesses each by a straight line. The exact grid runs "
    "every cell; where both part, the network is far from linear.",
    "**Click a cell** for the predictions before and after. Cells in the chain are patched together, "
    "which may bring back more or less than the sum of them one by one.",
)
NOTICE_MATHS = (
    "Attribution patching of a head keeps what softmax does to its own weights exact: only what comes behind $z$ is linearised. "
    "The preview of the sum over heads is the preview of the sum, as $W_O$ is linear.",
    "With fewer key/value heads than query heads, k and v are exchanged for one query head of the group alone.",
)
EQUATION = (
    r"r=\frac{\Delta(\text{corrupted},\ a\leftarrow a^{\text{clean}})-\Delta(\text{corrupted})}"
    r"{\Delta(\text{clean})-\Delta(\text{corrupted})},\quad \Delta=\ell_{\text{answer}}-\ell_{\text{wrong}},\qquad "
    r"r\approx\frac{\partial r}{\partial a}\cdot\left(a^{\text{clean}}-a\right)",
    "Activation patching: Vig et al. 2020; Meng et al. 2022. Attribution patching: Nanda 2023; Syed et al. 2023.",
)
MEASURE = "Measure the identities on these texts (about ten more passes)"
ROWS = {"Probability": ".1%"}
ADD_TO_CHAIN = "Add to the chain"
PTADD_HELP = "Patches in the chain are made together, in one run."
PTSCATTER_ALT = "Exact value of every patch against its preview"


def named(choice: Choice, cell: Cell) -> str:
    """A patch in a few words."""
    if cell.kind in HEAD_KINDS:
        return f"{cell.kind} of head {cell.layer}.{cell.index}"
    token = inputs.plain(readable(compute.task(choice).clean.tokens[cell.index]))
    return f"{cell.kind} of layer {cell.layer} at {cell.index} “{token}”"


def said(choice: Choice, job: Exact) -> str:
    """What the grid says at rest."""
    best = compute.strongest(choice)
    value = compute.shown(choice)[best.layer, best.index]
    token = readable(compute.task(choice).clean.tokens[best.index]) if not choice.heads else ""
    place = (
        f"head {best.layer}.{best.index}"
        if choice.heads
        else f"layer {best.layer}, position {best.index} “{token}”"
    )
    if job.finished:
        how = "Exact"
    else:
        how = "Preview, exact where it has been run" if job.share else "Preview"
    return f"{how}. Most comes back by {place}: {number(float(value), '.0%')}. {PART[choice.kind]} of each from the clean run."


def seconds(value: float) -> str:
    """A time as one says it."""
    return f"about {max(1, round(value))} s" if value < 90 else f"about {round(value / 60)} minutes"


def offer(job: Exact) -> str:
    """What the button does."""
    done = f", {job.share:.0%} done" if job.share else ""
    return (
        f"The preview is one backward pass. {job.grid.size:,} runs give the exact grid: {seconds(job.left)} on two idle "
        f"cores{done}."
    )


def progress(job: Exact) -> str:
    """How far the exact grid is."""
    return f"{job.share:.0%} of {job.grid.size:,} runs, {seconds(job.left)} left"


def before_after(choice: Choice, cell: Cell) -> str:
    """The heading of the predictions around one cell."""
    found = compute.patched(choice.task, (cell,))
    return f"Before and after: {named(choice, cell)} brings back {number(found.restored, '.0%')}"


def together(cells: tuple[Cell, ...], found: Prediction) -> str:
    """The heading of the chain."""
    count = f"{len(cells)} patches" if len(cells) > 1 else "1 patch"
    return f"Chain: {count} in one run bring{'s' * (len(cells) == 1)} back {number(found.restored, '.0%')}"


def prediction(choice: Choice, name: str, found: Prediction) -> str:
    """One run's numbers above its tokens."""
    answers = (inputs.plain(choice.answer.strip()), inputs.plain(choice.wrong.strip()))
    return (
        f"**{name}**: logit difference {number(found.difference, '+.2f')}  \n"
        f"{answers[0]} {number(found.answer, '.1%')}, {answers[1]} {number(found.wrong, '.1%')}"
    )


def rows(found: Prediction) -> list[dict]:
    """The likeliest tokens."""
    return [{"Next token": token, "Probability": share} for token, share in zip(found.tokens, found.shares)]


def scatter_title(agreed: float) -> str:
    """How well the preview does."""
    return f"Preview against exact: correlation r = {number(agreed, '.3f')}"


def snippet(choice: Choice, cells: tuple[Cell, ...]) -> str:
    """The grid, its preview and the chain with the public API."""
    return f"""\
import plotly.graph_objects as go
import tlmviz
from tlmviz.analysis.workbench.patching import Cell, correlation, patched_trace, task_of

lm = tlmviz.load({choice.model!r})
texts = {choice.clean!r}, {choice.corrupted!r}
answers = {choice.answer!r}, {choice.wrong!r}
grid = lm.patch(*texts, *answers, kind={choice.kind!r})
preview = lm.patch(*texts, *answers, kind={choice.kind!r}, exact=False)
print(grid.max(), correlation(preview.numpy(), grid.numpy()))

task = task_of(lm, *texts, *answers)
cells = [{", ".join(f"Cell({cell.kind!r}, {cell.layer}, {cell.index})" for cell in cells)}]
restored = float(task.restored(patched_trace(lm, task, cells).logits_at(-1)))
go.Figure(go.Heatmap(z=grid.numpy(), zmid=0)).show()
"""
