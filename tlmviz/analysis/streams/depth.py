"""What depth makes of residual streams: products of H_res, a real pass's signals and gradients, and deeper stacks by
chance.

The part of the streams behind sublayer j that was only carried on from before sublayer i is H_res(j) ... H_res(i) X
(000 Eq. 99-100); its largest absolute row sum bounds what a signal gains on the way, its largest column sum what a
gradient does.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from tlmviz.checkpoints.registry import checkpoint_folder, language_config, list_models
from tlmviz.config import CONNECTIONS, ModelConfig, without_connections
from tlmviz.layers.streams import gains
from tlmviz.protocols import LanguageModelLike
from tlmviz.recording import recording

from .unrolled import state_taps

LEAST = 1e-300  # products are divided by their size on the way; an empty one stays empty


def relatives(name_or_path: str | Path) -> dict[str, str]:
    """Connection -> name, of a model and of the bundled ones that differ from it in nothing but their connections.

    They read the same tokens, so their matrices can be laid side by side.
    """
    own, words = _plain(name_or_path)[0], _tokenizer(name_or_path)
    names = str(name_or_path), *list_models("language")
    same = [name for name in names if _plain(name)[0] == own and _tokenizer(name) == words]
    kinds = {_plain(name)[1]: name for name in reversed(same)}  # the model itself stands first, so it is kept
    return {kind: kinds[kind] for kind in CONNECTIONS if kind in kinds}


def _plain(name: str | Path) -> tuple[ModelConfig, str]:
    """A model's configuration without what tells a family's members apart, and which of them it is."""
    config = language_config(name)
    return without_connections(config), config.connection.kind


def _tokenizer(name: str | Path) -> bytes:
    file = checkpoint_folder(name) / "tokenizer.json"
    return file.read_bytes() if file.is_file() else b""


@dataclass(frozen=True)
class Depth:
    """Products of H_res at T tokens. `forward` and `backward` are gains from sublayer i to j, NaN where j < i.

    The rest follows the product of sublayers 0 to j: its singular values, the mean entry on its diagonal (`own`: what
    is left of each stream in its own place) and off it (`other`), and its `distance` to the matrix of 1/N, 1 for the
    identity.
    """

    forward: Float[Tensor, "t p p"]
    backward: Float[Tensor, "t p p"]
    singular: Float[Tensor, "t p n"]
    own: Float[Tensor, "t p"]
    other: Float[Tensor, "t p"]
    distance: Float[Tensor, "t p"]

    def at(self, token: int) -> Depth:
        """One token, as a batch of one."""
        return Depth(*(getattr(self, field.name)[token : token + 1] for field in fields(self)))

    def mean(self) -> Depth:
        """The mean over tokens, as a batch of one."""
        return Depth(*(getattr(self, field.name).mean(0, keepdim=True) for field in fields(self)))

    def max(self) -> Depth:
        """The largest over tokens of every number, as a batch of one."""
        return Depth(*(getattr(self, field.name).amax(0, keepdim=True) for field in fields(self)))


def depth(res: Float[Tensor, "p t n n"]) -> Depth:
    """Every product of consecutive H_res, multiplied in float64: all pairs of P sublayers in P matrix products."""
    res = res.double()
    count, tokens, n = res.shape[:3]
    forward, backward = (res.new_full((tokens, count, count), torch.nan) for _ in range(2))
    products = res[:0]  # from sublayer i to the current one, [i, T, N, N]
    whole = []
    for j in range(count):
        products = torch.cat([_times(res[j], products), res[j : j + 1]])
        rows, columns = gains(products)  # [j + 1, T]
        forward[:, : j + 1, j], backward[:, : j + 1, j] = rows.T, columns.T
        whole.append(products[0])
    product = torch.stack(whole, 1)  # [T, P, N, N]
    trace = product.diagonal(dim1=-2, dim2=-1).sum(-1)
    away = torch.linalg.matrix_norm(product - 1 / n) / max(n - 1, 1) ** 0.5
    others = (product.sum((-2, -1)) - trace) / max(n * (n - 1), 1)
    parts = forward, backward, torch.linalg.svdvals(product), trace / n, others, away
    return Depth(*(part.float() for part in parts))


def _times(left: Tensor, right: Tensor) -> Tensor:
    """left @ right for many small matrices: multiplied out, which is several times faster than as many calls of
    BLAS."""
    return (left[..., :, :, None] * right[..., None, :, :]).sum(-2)


@dataclass(frozen=True)
class Passed:
    """A forward and a backward pass: the mean loss in nats, and at each depth (0: before all sublayers, j: behind j of
    them) the RMS of the streams and the norm of the loss's gradient with respect to them."""

    loss: float
    signal: Float[Tensor, " d"]
    gradient: Float[Tensor, " d"]


def backpropagated(lm: LanguageModelLike, ids: list[int]) -> tuple[Tensor, dict[str, Tensor], dict[str, Tensor]]:
    """The mean loss of a text's next tokens, its streams at every depth and the loss's gradients with respect to them,
    by tap.

    Weights ask for no gradient and are left alone: the graph begins at the streams before the first sublayer.
    At least two tokens, for there is no next token to lose otherwise.
    """
    names = state_taps(lm.config.n_layers)
    leaf = {names[0]: lambda x, record: x.detach().clone().requires_grad_()}
    with torch.enable_grad(), recording(set(names).__contains__, leaf) as record:
        logits = lm.network(torch.tensor([ids]))[0, :-1]
        loss = F.cross_entropy(logits, torch.tensor(ids[1:], device=logits.device))
        streams = {name: record.values[name] for name in names}
        gradients = torch.autograd.grad(loss, list(streams.values()))
    found = {name: x.detach().cpu() for name, x in streams.items()}
    return loss.detach().cpu(), found, {name: x.cpu() for name, x in zip(names, gradients)}


def passed(lm: LanguageModelLike, ids: list[int]) -> Passed:
    """How loud the streams are at every depth, and how large a gradient comes back to them."""
    loss, streams, gradients = backpropagated(lm, ids)
    return Passed(
        loss.item(),
        torch.stack([x.square().mean().sqrt() for x in streams.values()]),
        torch.stack([torch.linalg.vector_norm(g) for g in gradients.values()]),
    )


def simulated(
    res: Float[Tensor, "p t n n"], sublayers: int, runs: int = 200, seed: int = 0
) -> tuple[Float[Tensor, "r s"], Float[Tensor, "r s"]]:
    """log10 of the forward and backward gain of deeper stacks than any trained one, after 1, 2, ... sublayers.

    Each of `runs` stacks draws its matrices from all sublayers and tokens of `res`, at random with replacement. No
    trained network of that depth would have exactly these: its sublayers would have adapted to each other.
    """
    pool = res.double().flatten(0, 1)  # [P * T, N, N]
    drawn = torch.randint(len(pool), (sublayers, runs), generator=torch.Generator().manual_seed(seed))
    product = torch.eye(pool.shape[-1], dtype=pool.dtype).expand(runs, -1, -1)
    size, forward, backward = pool.new_zeros(runs), [], []
    for chosen in drawn:
        product = _times(pool[chosen], product)
        largest = product.abs().amax((-2, -1)).clamp(min=LEAST)
        product, size = product / largest[:, None, None], size + largest.log10()
        rows, columns = gains(product)
        forward.append(size + rows.clamp(min=LEAST).log10())
        backward.append(size + columns.clamp(min=LEAST).log10())
    return torch.stack(forward, 1), torch.stack(backward, 1)
