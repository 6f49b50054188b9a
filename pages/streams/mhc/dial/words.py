"""What the Sinkhorn dial says: verdicts, what to notice, the equation, and the snippets."""

from __future__ import annotations

from collections.abc import Sequence

from tlmviz.analysis.streams.scaling_support import Support

MOST = 4  # entries that a verdict names

EQUATION = (
    r"P_0 = e^{\,\mathrm{logits}/T},\qquad P_{k+\frac12} = \mathrm{diag}(P_k \mathbf 1)^{-1} P_k,\qquad"
    r" P_{k+1} = P_{k+\frac12}\,\mathrm{diag}(\mathbf 1^{\!\top} P_{k+\frac12})^{-1},\qquad"
    r" \lVert P_{k+1}\mathbf 1 - \mathbf 1\rVert \approx \sigma_2^2\,\lVert P_k\mathbf 1 - \mathbf 1\rVert",
    "Transformer with PyTorch, section 5.2; Sinkhorn and Knopp 1967. σ₂ is the second singular value of the limit (Knight 2008).",
)
POINTS = (
    "Each half step repairs one side and spoils the other a little less than before: the two residuals fall side by side.",
    "The dashed line is theory: × σ₂² per iteration in the end, from the limit alone. A low temperature brings σ₂ near 1 "
    "and makes it slow; symmetry can hide the slowest direction and make it faster.",
)
DEPTH_POINT = (
    "Columns are scaled last and end exact, so the backward gain is 1 from the first iteration on. Rows are what too few "
    "iterations leave wrong, and a product over depth multiplies it: that is the forward gain."
)
SUPPORT_POINT = (
    "A scaling exists exactly if every positive entry lies on a permutation of positive entries (total support). "
    "With some such permutation (support) the iterations converge, but other entries die out; without one they never settle."
)


def verdict(found: Support, n: int) -> str:
    """Whether a matrix has a doubly stochastic scaling, in a sentence."""
    if n == 1:
        return (
            "One positive number becomes 1 at once."
            if found.kind == "total"
            else "A single 0 stays 0: no scaling."
        )
    if found.kind == "none":
        where = (
            f"positive entries in {_named('column', found.columns)} alone"
            if found.columns
            else "no positive entry"
        )
        have = "has" if len(found.rows) == 1 else "have"
        return (
            f"No support, so no doubly stochastic scaling: {_named('row', found.rows)} {have} {where}, "
            "and the residual never falls to 0."
        )
    if found.kind == "partial":
        pairs = [f"({row + 1}, {column + 1})" for row, column in found.dropped]
        more = f" and {len(pairs) - MOST} more" if len(pairs) > MOST else ""
        word = "entry" if len(pairs) == 1 else "entries"
        return (
            f"Support, but not total: no doubly stochastic scaling, only a limit in which the {word} "
            f"{', '.join(pairs[:MOST])}{more} {'is' if len(pairs) == 1 else 'are'} 0. "
            "The residual falls like 1/k, at no steady rate."
        )
    if found.blocks > 1:
        return f"Total support, in {found.blocks} blocks that do not meet: each has exactly one doubly stochastic scaling."
    return "Total support: exactly one doubly stochastic scaling exists, and Sinkhorn-Knopp gets there at a steady rate."


def without_logits(name: str, connection: str) -> str:
    """Why a model has nothing for the dial."""
    if connection == "residual":
        why = "has a plain residual: one stream, carried on times 1, so there is nothing to scale"
    else:
        why = "has free hyper-connections: no Sinkhorn constrains its H_res, so it has no logits"
    return f"{name} {why}. Here is a matrix of your own."


def model_snippet(name: str, text: str, token: int, sublayer: int, step: int, temperature: float) -> str:
    """Python that draws the dial of a model's logits."""
    return f"""import torch
import tlmviz
from tlmviz import kernels
from tlmviz.analysis.streams import scaling_support, mixing as streams
from tlmviz.figures import LIGHT
from tlmviz.figures.streams import dial as stream_dial

trace = tlmviz.load({name!r}).trace({text!r})
taps = [f"{{place}}.logits" for place in streams.places(trace.n_layers)]
tensors = trace.tensors(taps)
logits = torch.cat([tensors[tap] for tap in taps])[:, {token}].double() / {temperature!r}  # of every sublayer, [P, N, N]
gains = scaling_support.depth_gains(logits)
chosen = logits[{sublayer}]  # {_ordinal(sublayer)}
{_rest(step, "gains=gains.numpy(), ")}"""


def matrix_snippet(text: str, kind: str, step: int, temperature: float) -> str:
    """Python that draws the dial of a typed matrix."""
    return f"""import torch
from tlmviz import kernels
from tlmviz.analysis.streams import scaling_support
from tlmviz.figures import LIGHT
from tlmviz.figures.streams import dial as stream_dial

chosen = torch.from_numpy(scaling_support.parse({text!r}, {kind!r})) / {temperature!r}
{_rest(step, "")}"""


def _rest(step: int, more: str) -> str:
    half = (
        "\nmatrix = matrix / matrix.sum(1, keepdim=True).clamp(min=1e-300)  # rows scaled, columns not yet"
        if step % 2
        else ""
    )
    return f"""iterates = kernels.sinkhorn_iterates(chosen, 40)  # the matrix after 0, 1, ... iterations
matrix = iterates[{step // 2}]{half}
found = scaling_support.support(torch.isfinite(chosen).numpy())
rate = scaling_support.rate(chosen, found)
residual = scaling_support.residuals(iterates)
print(f"{{found.kind}} support; residual {{residual[{step // 2}]:.3e}} after {step // 2} iterations; rate {{rate:.6f}}")
stream_dial.dial(matrix.numpy(), residual.numpy(), rate, {step / 2:g}, LIGHT, {more}title="Sinkhorn-Knopp").show()"""


def _ordinal(sublayer: int) -> str:
    return f"{('attention', 'MLP')[sublayer % 2]} of layer {sublayer // 2}"


def _named(word: str, places: Sequence[int]) -> str:
    names = [str(place + 1) for place in places]
    if len(names) == 1:
        return f"{word} {names[0]}"
    return f"{word}s {', '.join(names[:-1])} and {names[-1]}"
