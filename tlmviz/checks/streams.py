"""The identities behind hyper-connections, in the manner of `identities`: each measures an error on a trace.

What holds of doubly stochastic matrices is asked of manifold-constrained models, the unrolled sum of all with streams,
and of plain ones whether one constrained stream would be the same; `for_model` chooses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from tlmviz.analysis.streams.mixing import composite, mixing_of, places
from tlmviz.analysis.streams.unrolled import unrolled_error

from .. import kernels
from ..networks.transformer import TransformerLM
from ..tracing.trace import Trace
from .cases import has_constrained_streams, has_plain_residual, has_streams, reading
from .registry import identity
from .result import largest, worst

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel

FEW = 4  # matrices whose gradient is also taken by finite differences
DOUBLY_STOCHASTIC = 1e-3  # how far a sum may be from 1; the bundled models were trained to stay within it
STEP = 1e-5  # of a finite difference, in nats


@identity(
    "Columns sum to 1",
    "what H_res takes of each stream adds up to the whole",
    1e-5,
    when=has_constrained_streams,
    inputs=reading,
)
def columns_are_exact(lm: LanguageModel, trace: Trace) -> float:
    """Sinkhorn's last half step makes every column of H_res sum to 1: no stream's content is lost or made more."""
    return worst(kernels.sinkhorn_errors(mixing_of(trace).res)[1])


@identity(
    "Rows reach 1",
    "the model's own iterations bring every row of H_res to 1",
    DOUBLY_STOCHASTIC,
    when=has_constrained_streams,
    inputs=reading,
)
def rows_reach_one(lm: LanguageModel, trace: Trace) -> float:
    """Every row of every H_res sums to 1: equal streams stay equal. Columns were scaled last, so it is the rows that
    tell whether the model's iterations were enough for its logits."""
    return worst(kernels.sinkhorn_errors(mixing_of(trace).res)[0])


@identity(
    "Nothing negative",
    "streams are read, written and mixed, never subtracted",
    0.0,
    when=has_constrained_streams,
    inputs=reading,
)
def not_negative(lm: LanguageModel, trace: Trace) -> float:
    """No entry of H_res, H_pre and H_post is below 0."""
    mixed = mixing_of(trace)
    lowest = min(part.min().item() for part in (mixed.pre, mixed.post, mixed.res))
    return max(0.0, -lowest)


@identity(
    "Product stays",
    "through all sublayers rows and columns sum to 1, within the tolerance per sublayer",
    DOUBLY_STOCHASTIC,
    when=has_constrained_streams,
    inputs=reading,
)
def product_stays(lm: LanguageModel, trace: Trace) -> float:
    """The product of all H_res is doubly stochastic too (000 Eq. 101-103); the errors of its factors add up."""
    res = mixing_of(trace).res.double()
    rows, columns = kernels.sinkhorn_errors(composite(res))
    return max(worst(rows), worst(columns)) / len(res)


@identity(
    "Spectral norm 1", "mixing makes no vector longer", DOUBLY_STOCHASTIC, when=has_constrained_streams, inputs=reading
)
def spectral_norm(lm: LanguageModel, trace: Trace) -> float:
    """The largest singular value of every H_res is 1 (000 section 5.2)."""
    return worst(torch.linalg.matrix_norm(mixing_of(trace).res.double(), 2) - 1)


@identity(
    "Mean carried on",
    "H_res X has the mean over streams of X",
    1e-5,
    "relative max abs",
    when=has_constrained_streams,
    inputs=reading,
)
def mean_is_carried_on(lm: LanguageModel, trace: Trace) -> float:
    """Mixing leaves the mean over streams as it is, in every sublayer of the actual pass."""
    errors = []
    taps = [f"blocks.{layer}.{tap}" for layer in range(trace.n_layers) for tap in ("resid_pre", "resid_mid")]
    joins = [f"{place}.res" for place in places(trace.n_layers)]
    found = trace.tensors(taps + joins)  # one pass for all
    for tap, join in zip(taps, joins):
        before = found[tap][0]  # [T, N, C]
        after = (found[join][0] @ before).mean(-2)
        errors.append(worst(after - before.mean(-2)) / max(1e-30, worst(before)))
    return largest(errors)


@identity(
    "More is closer",
    "another iteration never increases the residual",
    1e-9,
    when=has_constrained_streams,
    inputs=reading,
)
def more_iterations(lm: LanguageModel, trace: Trace) -> float:
    """The row error of the model's own matrices never rises with another iteration: the new row sums are averages of
    the old."""
    iterates = kernels.sinkhorn_iterates(_logits(trace), lm.config.connection.iterations)[1:]
    rises = kernels.sinkhorn_errors(iterates)[0].diff(dim=0).clamp(min=0)
    return worst(rises)


@identity(
    "Gradient = differences",
    "backward through Sinkhorn gives the finite differences",
    1e-7,
    when=has_constrained_streams,
    inputs=reading,
)
def gradient(lm: LanguageModel, trace: Trace) -> float:
    """The gradient through Sinkhorn against finite differences in float64, on the model's own logits."""
    logits = _logits(trace)[:: max(1, 2 * trace.n_layers // FEW), -1]
    with torch.inference_mode(False):  # autograd saves it
        weight = torch.linspace(-1, 1, logits[0].numel(), dtype=torch.float64).view_as(logits[0])

    def loss(x: torch.Tensor) -> torch.Tensor:
        return (kernels.sinkhorn(x, lm.config.connection.iterations) * weight).sum((-1, -2))

    with torch.inference_mode(False), torch.enable_grad():
        leaf = logits.clone().requires_grad_()
        [found] = torch.autograd.grad(loss(leaf).sum(), leaf)
    steps = STEP * torch.eye(weight.numel(), dtype=torch.float64).view(-1, 1, *weight.shape)
    wanted = ((loss(logits + steps) - loss(logits - steps)) / (2 * STEP)).mT.view_as(logits)
    return worst(found - wanted)


@identity(
    "Unrolled sum",
    "coefficients times outputs add up to the last stream",
    1e-4,
    "relative",
    when=has_streams,
    inputs=reading,
)
def unrolled(lm: LanguageModel, trace: Trace) -> float:
    """What the head reads is the embedding and every sublayer's output, each times its coefficient (000 Eq. 98-99)."""
    return unrolled_error(trace)


@identity(
    "mHC, n = 1 = residual",
    "one constrained stream is the plain residual",
    1e-3,
    when=has_plain_residual,
    inputs=reading,
)
def one_stream_is_residual(lm: LanguageModel, trace: Trace) -> float:
    """The same weights with one constrained stream, gates as they start, give the same logits."""
    twin = TransformerLM(lm.config.with_(connection="manifold", streams=1))
    twin.load_state_dict(lm.network.state_dict(), strict=False)  # its connections stay as they start
    with torch.inference_mode():
        return worst(twin.eval()(torch.tensor([trace.ids]))[0] - trace.logits)


def _logits(trace: Trace) -> torch.Tensor:
    """What the model gave Sinkhorn, float64 [P, T, N, N]."""
    names = [f"{place}.logits" for place in places(trace.n_layers)]
    found = trace.tensors(names)  # one pass for all
    return torch.cat([found[name] for name in names]).double()
