"""How alike heads are, on one text: what they say, and where they look (001, "Redundancy Among Heads").

A head is counted by its place layer * H + head.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from einops import einsum, rearrange
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from tlmviz.tracing.trace import Trace

CELLS = 40_000  # of each map that a correlation reads
EQUAL = 1e-20  # fourth power of the relative difference, 1e-5, below which states count as equal


def linear_cka(x: Float[Tensor, "n t d"], unbiased: bool = False) -> Float[Tensor, "n n"]:
    """Linear CKA of every two of N representations of the same T tokens (Kornblith et al. 2019), 1 on the diagonal.

    1 says: equal up to a turn and a factor. With few tokens unrelated representations come out high; `unbiased` takes
    that out (Song et al. 2012) and may be below 0. It needs four tokens; with fewer, and for constant ones, NaN.
    """
    n, length, _ = x.shape
    x = x.double()
    energy = x.square().sum((1, 2)).square()
    x = x - x.mean(1, keepdim=True)  # changes neither, and keeps equal states from becoming differences of rounding
    if unbiased:
        if length < 4:
            return torch.full((n, n), torch.nan)
        grams = x @ x.transpose(1, 2)
        grams.diagonal(dim1=1, dim2=2).zero_()
        sums, flat = grams.sum(2), grams.flatten(1)
        cross, total = einsum(sums, sums, "a t, b t -> a b"), sums.sum(1)
        hsic = flat @ flat.T + total[:, None] * total / ((length - 1) * (length - 2)) - 2 * cross / (length - 2)
    else:
        wide = rearrange(x, "n t d -> t (n d)")
        hsic = rearrange((wide.T @ wide).square(), "(a c) (b d) -> a c b d", a=n, b=n).sum((1, 3))
    own = hsic.diagonal()
    norms = own.masked_fill(own <= EQUAL * energy, torch.nan).sqrt()
    cka = hsic / (norms[:, None] * norms)
    return cka.masked_fill(~torch.isfinite(cka), torch.nan).float()


def outputs(trace: Trace) -> Float[Tensor, "n t d"]:
    """What every head adds up from its values, [L * H, T, D]."""
    names = [f"blocks.{layer}.attn.z" for layer in range(trace.n_layers)]
    tensors = trace.tensors(names)
    return torch.cat([tensors[name][0] for name in names])


def map_correlation(trace: Trace) -> Float[Tensor, "n n"]:
    """Correlation of every two heads' maps over the cells that a query may see, [L * H, L * H].

    Each row is taken relative to its mean: else all maps are alike, as early rows have few cells. Rows are evenly
    spaced where the text is long. NaN where a map is uniform.
    """
    length = len(trace)
    step = max(1, length * length // (2 * CELLS))
    rows = torch.arange(1, length, step)
    maps = (
        torch.stack([trace.row(int(row)).flatten(0, 1) for row in rows], 1) if len(rows) else torch.zeros(1, 0, length)
    )
    seen = torch.arange(length) <= rows[:, None]
    maps = (maps - maps.sum(-1, keepdim=True) / (rows[:, None] + 1)) * seen
    cells = F.normalize(maps.flatten(1), dim=1, eps=1e-12)
    dead = cells.square().sum(1) < 0.5
    heads = trace.n_layers * trace.n_heads
    if not len(rows):
        return torch.full((heads, heads), torch.nan)
    return (cells @ cells.T).masked_fill(dead[:, None] | dead, torch.nan)


SIMILARITIES: dict[str, Callable[[Trace], Tensor]] = {
    "CKA of outputs": lambda trace: linear_cka(outputs(trace)),
    "CKA, unbiased": lambda trace: linear_cka(outputs(trace), unbiased=True),
    "Correlation of maps": map_correlation,
}


def most_alike(similarity: Float[Tensor, "n n"], count: int = 5) -> list[tuple[int, int, float]]:
    """The most similar pairs (a, b, similarity) with a < b, most similar first."""
    a, b = torch.triu_indices(len(similarity), len(similarity), 1)
    values = similarity[a, b].nan_to_num(-torch.inf)
    best = values.argsort(descending=True, stable=True)[:count]
    return [(int(a[i]), int(b[i]), float(values[i])) for i in best if values[i] > -torch.inf]
