"""The words of the view "Sinkhorn dial" of the page mHC: verdicts, what to notice, the equation, and the snippets."""

from __future__ import annotations

from collections.abc import Sequence

from tlmviz.analysis.streams.scaling_support import Support

from .controls import Choice

MOST = 4  # entries that a verdict names

EQUATION = (
    r"P_0 = e^{\,\mathrm{logits}/T},\qquad P_{k+\frac12} = \mathrm{diag}(P_k \mathbf 1)^{-1} P_k,\qquad"
    r" P_{k+1} = P_{k+\frac12}\,\mathrm{diag}(\mathbf 1^{\!\top} P_{k+\frac12})^{-1},\qquad"
    r" \lVert P_{k+1}\mathbf 1 - \mathbf 1\rVert \approx \sigma_2^2\,\lVert P_k\mathbf 1 - \mathbf 1\rVert",
    "Transformer with PyTorch, section 5.2; Sinkhorn and Knopp 1967. σ₂ is the second singular value of the limit (Knight 2008). "
    "Rows are scaled before columns here; the paper on mHC (Xie et al. 2025) writes columns before rows.",
)
NOTICE = (
    "Each half step repairs the rows or the columns and spoils the other side a little less than before: both errors fall side "
    "by side.",
    "The dashed line is how fast they must fall in the end, by theory. A low temperature makes it slow.",
)
NOTICE_MATHS = (
    "The dashed line: × σ₂² per iteration, from the limit alone. A low temperature brings σ₂ near 1; symmetry can hide the "
    "slowest direction and make it faster.",
)
NOTICE_SUPPORT = (
    "Zeros decide whether a scaling exists: every positive entry must lie on a permutation of positive entries (total support). "
    "With some such permutation (support) the iterations converge, but other entries die out; without one they never settle."
)


def notice_model(iterations: int, left: float) -> str:
    """What the model's iterations leave: on this text a row sum is off 1 by at most `left`."""
    return (
        f"Columns are scaled last and end exact. Rows are what too few iterations leave wrong: this model's {iterations} leave "
        f"them off by up to {left:.2g} on this text. It was trained with that error in its loss."
    )


NOTICE_MODEL_MATHS = (
    "Exact columns make the backward gain 1 from the first iteration on. A product over depth multiplies the error of the rows: "
    "that is the forward gain. The model keeps to logits that converge fast."
)


def verdict(support: Support, n: int) -> str:
    """Whether an n × n matrix has a doubly stochastic scaling, in a sentence."""
    if n == 1:
        return (
            "One positive number becomes 1 at once."
            if support.kind == "total"
            else "A single 0 stays 0: no scaling."
        )
    if support.kind == "none":
        return _verdict_none(support)
    if support.kind == "partial":
        return _verdict_partial(support)
    if support.blocks > 1:
        return f"Total support, in {support.blocks} blocks that do not meet: each has exactly one doubly stochastic scaling."
    return "Total support: exactly one doubly stochastic scaling exists, and Sinkhorn-Knopp converges to it at a steady rate."


def _verdict_none(support: Support) -> str:
    columns = support.columns
    where = f"positive entries in {_named('column', columns)} alone" if columns else "no positive entry"
    have = "has" if len(support.rows) == 1 else "have"
    return (
        f"No support, so no doubly stochastic scaling: {_named('row', support.rows)} {have} {where}, "
        "and the residual never falls to 0."
    )


def _verdict_partial(support: Support) -> str:
    pairs = [f"({row + 1}, {column + 1})" for row, column in support.dropped]
    more = f" and {len(pairs) - MOST} more" if len(pairs) > MOST else ""
    word = "entry" if len(pairs) == 1 else "entries"
    return (
        f"Support, but not total: no doubly stochastic scaling, only a limit in which the {word} "
        f"{', '.join(pairs[:MOST])}{more} {'is' if len(pairs) == 1 else 'are'} 0. "
        "The residual falls like 1/k, at no steady rate."
    )


def without_logits(model: str, connection: str) -> str:
    """Why a model has nothing for the dial."""
    if connection == "residual":
        why = "has a plain residual: one stream, carried on times 1, so there is nothing to scale"
    else:
        why = "has free hyper-connections: no Sinkhorn constrains its H_res, so it has no logits"
    return f"{model} {why}. Here is a matrix of your own."


def snippet(choice: Choice) -> str:
    """Python that draws the dial."""
    return _model_snippet(choice) if choice.matrix is None else _matrix_snippet(choice)


def _model_snippet(choice: Choice) -> str:
    reading, sublayer = choice.reading, choice.sublayer
    return f"""import torch
import tlmviz
from tlmviz import kernels
from tlmviz.analysis.streams import scaling_support, mixing as streams
from tlmviz.figures import LIGHT
from tlmviz.figures.streams import dial as stream_dial

trace = tlmviz.load({reading.model!r}).trace({reading.text!r})
taps = [f"{{place}}.logits" for place in streams.places(trace.n_layers)]
tensors = trace.tensors(taps)
all_logits = torch.cat([tensors[tap] for tap in taps])  # of every sublayer and token, [P, T, N, N]
all_logits = all_logits[:, {choice.token}].double() / {choice.temperature!r}
gains = scaling_support.depth_gains(all_logits)
logits = all_logits[{sublayer}]  # {_ordinal(sublayer)}
{_iterations(choice.step, "gains=gains.numpy(), ")}"""


def _matrix_snippet(choice: Choice) -> str:
    text, kind = choice.matrix.text, choice.matrix.kind
    return f"""import torch
from tlmviz import kernels
from tlmviz.analysis.streams import scaling_support
from tlmviz.figures import LIGHT
from tlmviz.figures.streams import dial as stream_dial

logits = torch.from_numpy(scaling_support.parse({text!r}, {kind!r})) / {choice.temperature!r}
{_iterations(choice.step, "")}"""


def _iterations(step: int, arguments: str) -> str:
    """The lines that both snippets end with: so many half steps, measured and drawn with some more arguments."""
    half = (
        "\nmatrix = matrix / matrix.sum(1, keepdim=True).clamp(min=1e-300)  # rows scaled, columns not yet"
        if step % 2
        else ""
    )
    return f"""iterates = kernels.sinkhorn_iterates(logits, 40)  # the matrix after 0, 1, ... iterations
matrix = iterates[{step // 2}]{half}
support = scaling_support.support(torch.isfinite(logits).numpy())
rate = scaling_support.rate(logits, support)
residual = scaling_support.residuals(iterates)
print(f"{{support.kind}} support; residual {{residual[{step // 2}]:.3e}} after {step // 2} iterations; rate {{rate:.6f}}")
stream_dial.dial(matrix.numpy(), residual.numpy(), rate, {step / 2:g}, LIGHT, {arguments}title="Sinkhorn-Knopp").show()"""


def _ordinal(sublayer: int) -> str:
    return f"{('attention', 'MLP')[sublayer % 2]} of layer {sublayer // 2}"


def _named(word: str, places: Sequence[int]) -> str:
    names = [str(place + 1) for place in places]
    if len(names) == 1:
        return f"{word} {names[0]}"
    return f"{word}s {', '.join(names[:-1])} and {names[-1]}"
