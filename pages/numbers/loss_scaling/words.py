"""The words of the page Loss scaling: claim, what to notice, equations, captions, table headings, snippets."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tlmviz.analysis.numbers.half_runs import PARTS, RUNS, HalfRun
from tlmviz.analysis.numbers.loss_scaling import LENGTH, ROWS, WEIGHTS, Pass
from tlmviz.analysis.numbers.master_weights import DIE, RATE, STEPS, STORED, Updates, unchanged
from tlmviz.figures import number
from tlmviz.figures.numbers.loss_scaling import power_of_two
from tlmviz.figures.written import power_of_ten

from .controls import DYNAMIC, GRADIENTS, MASTER, Choice
from .controls import STEPS as ADDITIONS

CLAIM = "Gradients are small numbers: FP16 rounds many to 0, unless the loss is multiplied by S first."
NOTICE = {
    GRADIENTS: (
        "Each bar is a doubling of size. Left of **2⁻²⁴** FP16 has no number but 0, and between there and **2⁻¹⁴** "
        "(subnormal) a gradient keeps fewer and fewer of its bits. Gradients by activations are the smallest: the loss "
        "is a mean, so each of them is divided by the number of tokens.",
        "**Drag S**: the loss times S makes every gradient S times as large, and the hill moves right as a whole. Before the "
        "weights are changed, gradients are divided by S again, in FP32.",
        "**Too far** and one gradient is infinite: that step is of no use. Between both limits lie the safe scales.",
        "**BF16** has the exponents of FP32: nothing is lost, nothing needs a scale. E5M2 needs one; E4M3 is too narrow for "
        "all tensors at once, and takes a scale for each.",
        "Each cell at the right is one tensor: some reach the floor long before others. Click one to see it alone.",
    ),
    DYNAMIC: (
        "Nobody knows the best S beforehand. **Grow** it after so many good steps; where a gradient overflows, **skip** the "
        "step and **halve** S. So it climbs until it hits the ceiling, and then stays just below, one step lost each time.",
        f"**Without a scale** a batch of these sizes does no harm. Where the loss is divided by {PARTS:,} more, as in a batch of "
        "two million tokens whose gradients are added up part by part, nearly all gradients are 0: the model is ruined. With a "
        "dynamic scale it learns as FP32 does.",
        "**A start too high** costs a few steps: each halves S until nothing overflows. **A fixed S too high** skips every step.",
    ),
    MASTER: (
        "**An update is lost** where it is less than half the distance to the next number of the format: w + update is rounded "
        "back to w, this step and every step after it. A **master copy** in FP32 takes up all of them; what the matrix products "
        "see is its rounded version.",
        "FP16 has 8 times as many numbers per doubling as BF16, so it loses fewer updates; but what it does not lose it may "
        "round up, to more than was asked for.",
        "**A die** (stochastic rounding) rounds up as often as the update is worth: right in the mean, without a master copy.",
        "Small rates lose most: BF16 suffices to compute, and not to add up.",
    ),
}
NOTICE_MATHS = {
    GRADIENTS: (
        "$S=2^k$ moves exponents and rounds nothing, so the shares are exact: counts by exponent, with the limits at which a "
        "format rounds to 0, to its smallest normal number, or to infinity (65520 for FP16), ties to even.",
        "The gradients are FP32's, each rounded alone. In a real pass what is lost in one layer is missing in those before it: "
        "the curve below the picture is such a pass.",
    ),
    DYNAMIC: (
        "torch.amp.GradScaler: $S\\leftarrow 2S$ after N steps without overflow, $S\\leftarrow S/2$ on overflow. Its own N is "
        "2000; here it is 5 to 40, so that 200 steps show it.",
        "Adam divides by the gradients' size, so a scale alone would change nothing in FP32; what counts is what FP16 loses.",
    ),
    MASTER: (
        "BF16 keeps w unless $|\\eta u|>\\tfrac12\\,\\mathrm{ulp}(w)$, between $2^{-9}|w|$ and $2^{-8}|w|$; Adam's $|u|$ is at "
        "most about 1.",
        "Stochastic rounding: up with probability (x − below)/(above − below), so $\\mathbb{E}[\\mathrm{SR}(x)]=x$.",
    ),
}
EQUATIONS = {
    GRADIENTS: (
        r"L_{\text{scaled}}=S\cdot L\ \Rightarrow\ \nabla L_{\text{scaled}}=S\,\nabla L,\qquad "
        r"w\leftarrow w-\eta\,\frac1S\,\mathrm{fp32}\big(\nabla L_{\text{scaled}}\big)",
        "LLM notes, section 6; Micikevicius et al. 2018, section 3.2.",
        "The note's sentence that bfloat16 avoids “the over/underflow problem in BF16” means FP16's. Its range for FP16, "
        "6.1·10⁻⁵ to 6.6·10⁴, is of normal numbers: subnormal ones go down to 6.0·10⁻⁸.",
    ),
    DYNAMIC: (
        r"S_{t+1}=\begin{cases}S_t/2&\text{a gradient overflowed: no step}\\2\,S_t&\text{N good steps in a row}"
        r"\\S_t&\text{else}\end{cases}",
        "LLM notes, section 6 (“adjusting S automatically to prevent overflow”); torch.amp.GradScaler; Micikevicius et al. 2018.",
    ),
    MASTER: (
        r"w^{\text{FP32}}\leftarrow w^{\text{FP32}}-\eta u,\qquad w^{\text{BF16}}=\mathrm{round}(w^{\text{FP32}})"
        r"\qquad\text{against}\qquad w^{\text{BF16}}\leftarrow\mathrm{round}(w^{\text{BF16}}-\eta u)",
        "LLM notes, section 6, footnote 5 (master weights); Decoder-Only Transformers in Einstein Notation, section 7; "
        "Micikevicius et al. 2018, section 3.1; Gupta et al. 2015 for rounding by a die.",
    ),
}
NAMES = {"bf16": "BF16", "fp16": "FP16"}
REAL = "The same step, really run in FP16"
LONG = "Run it at twelve scales: a minute or two for a model of this size"
STEP = "A real step of AdamW on the loaded model"
LOSSES = "Loss of all runs, in the mean of 5 steps"
KEPT = "zoo-rope learns French, mean of 5 steps"
LOGGED = (
    f"All runs: the same 200 batches of {ROWS * LENGTH} tokens of stories, a model of zoo-rope's sizes from random weights, "
    "matrix products rounded to FP16 forwards and backwards and added up in FP32; logged by python -m tlmviz.training half. "
    f"“Large batch”: the loss is divided by {PARTS:,}, as if this were one of so many parts, and the sum of the parts' gradients "
    f"is taken to be {PARTS:,} times this one."
)
RUN_FORMATS = {"Skipped": "d", "Zero": ".2%", "Loss": ".3f"}
RUN_HELPS = {
    "Scale": "S at the first and at the last step.",
    "Skipped": "Steps of 200 in which a gradient overflowed.",
    "Zero": "Share of the gradients that are 0 in FP16, in the mean of the last 50 steps.",
    "Loss": "Mean of the last 10 steps, nats per token.",
}
RUNNING_STEP = "Running the step in FP16, with one scale after another …"
TAKING_STEPS = "Taking four steps of AdamW …"
ERRORS_ALT = "Error of the gradient in FP16 against the scale of the loss"
SCALE_ALT = "The scale of the loss step by step, and which steps were skipped"
LOSSES_ALT = "Losses of all runs"
UNCHANGED_ALT = "Share of weights that a step leaves as they are, against the rate"
SUMS_ALT = "A weight through many additions of one update"
KEPT_ALT = "Losses with weights kept in FP32, BF16, FP16 and by a die"


def what(choice: Choice) -> str:
    """What the gradients are of, for the picture."""
    return f"gradients by {choice.kind}"


def errors_title(choice: Choice) -> str:
    """What the curve is of."""
    return f"{choice.model}: error of the gradient in FP16"


def errors_caption(every: list[Pass]) -> str:
    """Where the curve is flat and where it ends."""
    fine = [each for each in every if np.isfinite(each.error)]
    said = (
        "|g in FP16 / S − g| / |g| over all weights, matrix products rounded to FP16 forwards and backwards, as by "
        f"torch.autocast; of stories the first {LENGTH} tokens. A scale below 1 stands for a batch so many times larger."
    )
    if not fine:
        return f"{said} Every scale overflows."
    best = min(fine, key=lambda each: each.error)
    ends = f"the largest that works is {power_of_two(fine[-1].k)}"
    return f"{said} Least at {power_of_two(best.k)}: {number(best.error, '.2%')}; {ends}."


def run_title(skipped: int) -> str:
    """How many steps a run skipped."""
    return f"Scale S; {skipped} of 200 steps skipped"


def run_caption(spec: HalfRun) -> str:
    """A run's name and its rule."""
    rule = f"doubled after {spec.interval} good steps" if spec.interval else "fixed"
    return f"{spec.name}: S starts at {power_of_two(spec.start)}, {rule}."


def run_rows(log: pd.DataFrame, keys: tuple[str, ...]) -> list[dict]:
    """All runs in numbers."""
    rows = []
    for key in keys:
        mine = log[log["run"] == key]
        ends = (power_of_two(mine["scale"].iloc[at]) for at in (0, -1))
        rows.append(
            {
                "Run": RUNS[key].name,
                "Scale": " → ".join(dict.fromkeys(ends)),
                "Skipped": int((mine["kept"] == 1).sum()),
                "Zero": float(mine["lost"].tail(50).mean()),
                "Loss": float(mine["loss"].tail(10).mean()),
            }
        )
    return rows


def sums_title(choice: Choice) -> str:
    """The weight and the update."""
    return f"w = {_written(choice.weight)}, {ADDITIONS} updates of {_written(choice.update, 2)}"


def _written(value: float, digits: int = 4) -> str:
    plain = value == 0 or 1e-3 <= abs(value) < 1e4 or not np.isfinite(value)
    return number(value, ".4g") if plain else power_of_ten(value, digits)


def sums_caption(paths: dict[str, np.ndarray]) -> str:
    """Where each way to keep a weight ends."""
    moved = {name: path for name, path in paths.items() if name != "exact"}
    stays = [name for name, path in moved.items() if name != DIE and (path == path[0]).all()]
    ends = "; ".join(f"{name} {_written(path[-1])}" for name, path in paths.items())
    said = f"After {ADDITIONS} steps: {ends}."
    return f"{said} Unchanged throughout: {', '.join(stays)}." if stays else said


def kept_caption(log: pd.DataFrame) -> str:
    """What was kept, and how many weights stood still."""
    still = {key: log.loc[log["run"] == f"weights-{key}", "kept"].mean() for key in ("bf16", "fp16")}
    return (
        "200 logged steps at a rate of 3·10⁻⁵. Everything is in FP32 but the weights, which are rounded after each step. A step "
        f"left {number(still['bf16'], '.0%')} of the weights as they were in BF16, {number(still['fp16'], '.0%')} in FP16."
    )


def unchanged_title(choice: Choice) -> str:
    """What the shares are of."""
    return f"{choice.model}: weights a step leaves as they are"


def unchanged_caption(updates: Updates) -> str:
    """How it was measured, and a rate to hold on to."""
    said = ", ".join(
        f"{number(unchanged(updates, STORED[key], RATE), '.0%')} in {name}" for key, name in NAMES.items()
    )
    return (
        f"Step {STEPS} of AdamW, each on another row of the batch where it has several, from weights as the format keeps them; "
        f"{len(updates.weights):,} of {updates.total:,} weights, spread evenly. At a rate of 3·10⁻⁵: {said}."
    )


def snippet(choice: Choice) -> str:
    """The numbers of the chosen view."""
    return {GRADIENTS: _gradients, DYNAMIC: _dynamic, MASTER: _master}[choice.view](choice)


def _gradients(choice: Choice) -> str:
    kind = "WEIGHTS" if choice.kind == WEIGHTS else "ACTIVATIONS"
    return f"""\
import tlmviz
from tlmviz.analysis.numbers import loss_scaling
from tlmviz.analysis.numbers.formats import find

lm = tlmviz.load({choice.model!r})
ids = loss_scaling.batch(lm, {choice.text!r})
found = loss_scaling.gradients(lm, ids, loss_scaling.{kind})
counts = loss_scaling.together([loss_scaling.count(each) for each in found.values()])
shares = loss_scaling.scaled(counts, find({choice.format!r}), {choice.k})  # S = 2 ** {choice.k}
print(shares, loss_scaling.safe_scales(counts, find({choice.format!r})))
"""


def _dynamic(choice: Choice) -> str:
    return f"""\
from tlmviz.analysis.numbers import half_runs

log = half_runs.read()
run = log[log["run"] == {choice.run!r}]
skipped = int((run["kept"] == 1).sum())
print(skipped, "steps skipped; loss at the end", run["loss"].tail(10).mean())
"""


def _master(choice: Choice) -> str:
    return f"""\
import torch
import tlmviz
from tlmviz.analysis.numbers import loss_scaling, master_weights

paths = master_weights.added({choice.weight!r}, {choice.update!r}, {ADDITIONS})
print({{name: path[-1] for name, path in paths.items()}})

lm = tlmviz.load({choice.model!r})
updates = master_weights.adamw_updates(lm, loss_scaling.batch(lm, {choice.text!r}))
share = master_weights.unchanged(updates, torch.bfloat16, 3e-5)
print(share)
"""
