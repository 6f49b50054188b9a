"""LayerNorm, RMSNorm and BatchNorm of what a model's own norms are given: one batch of sentences, tokens x channels.

Source: LLM notes, sections 3.7, 4.1 and 4.2; Ba et al. 2016; Zhang and Sennrich 2019; Ioffe and Szegedy 2015, section
3.1.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from tlmviz.errors import UnknownName
from tlmviz.networks.twins import twin
from tlmviz.protocols import LanguageModelLike

from ..samples import sample_text

EPS = 1e-5
MOMENTUM = 0.1  # of running statistics, as torch's
MOST_SENTENCES = 8
MOST_VALUES = 60_000  # of a batch that is shown
OTHERS, LENGTH = 30, 32  # batches that running statistics come from, and tokens of each
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*[\"'”’)]*")
_PARTS = {
    "norm1": "attention",
    "norm2": "feed-forward",
    "norm_attn_out": "attention's output",
    "norm_mlp_out": "feed-forward's output",
}


@dataclass(frozen=True)
class Batch:
    """Sentences that one model reads side by side, and what one of its norms is given of them and makes of it.

    x, out [N, C]: a row for every token of every sentence; `row` [N] says of which. `gain` [C] and `bias` [C] (or None)
    are learned; `centred`, whether the norm takes the mean off.
    """

    x: Float[np.ndarray, "n c"]
    out: Float[np.ndarray, "n c"]
    row: Int[np.ndarray, " n"]
    tokens: list[str]
    gain: Float[np.ndarray, " c"]
    bias: Float[np.ndarray, " c"] | None
    eps: float
    centred: bool


def sentences(text: str) -> list[str]:
    """A text cut behind every full stop, question or exclamation mark and at line ends: at most MOST_SENTENCES, the
    last with all the rest. A text without any of these is one sentence.
    """
    parts = [part.strip() for part in _SENTENCE.findall(text) if part.strip(" .!?\n\"'”’)")]
    return parts[:MOST_SENTENCES] or [text]


def places(lm: LanguageModelLike) -> dict[str, str]:
    """The norms of whole streams, by path in the network, and what each is called: "0 attention", ..., "final"."""
    width, found = lm.config.d_model, {}
    for path, module in lm.network.named_modules():
        if not isinstance(module, (nn.LayerNorm, nn.RMSNorm)) or ".attn." in path:
            continue
        if "." in path and not path.startswith("blocks."):
            continue  # of modules that look ahead, which a plain pass does not run
        if tuple(module.normalized_shape) == (width,):
            layer, part = (path.split(".")[1], path.rpartition(".")[2]) if "." in path else ("", path)
            found[path] = f"{layer} {_PARTS.get(part, part)}" if layer else "final"
    return found


def collect(lm: LanguageModelLike, text: str, place: str, most: int = MOST_VALUES) -> Batch:
    """What the norm at `place` is given of the sentences of a text, each read alone, and makes of it; at most `most`
    values.

    Raises BadText, and UnknownName for a place that the model does not have.
    """
    norm = find(lm, place)
    inputs, outputs, rows, tokens = [], [], [], []
    most_tokens = max(2, most // lm.config.d_model)
    for number, sentence in enumerate(sentences(text)):
        ids = lm.encode(sentence)
        with watched(norm) as seen:
            lm.network.read(torch.tensor([ids], device=lm.device))
        given, made = seen[-1]
        inputs.append(given[0])
        outputs.append(made[0])
        rows += [number] * len(ids)
        tokens += [lm.tokenizer.name(token) for token in ids]
    x, out = (torch.cat(parts)[:most_tokens].double().cpu().numpy() for parts in (inputs, outputs))
    bias = getattr(norm, "bias", None)
    return Batch(
        x,
        out,
        np.array(rows[:most_tokens]),
        tokens[:most_tokens],
        norm.weight.detach().double().cpu().numpy(),
        None if bias is None else bias.detach().double().cpu().numpy(),
        norm.eps,
        isinstance(norm, nn.LayerNorm),
    )


def find(lm: LanguageModelLike, place: str) -> Any:
    """The module of a norm. Raises UnknownName."""
    if place not in places(lm):
        raise UnknownName(f"{lm.name} has no norm {place!r}; choose one of {', '.join(places(lm))}.")
    return lm.network.get_submodule(place)


_HOOKING = threading.Lock()  # torch gives hooks numbers without one, and of two with one number the first is lost


@contextmanager
def watched(module: nn.Module) -> Iterator[list[tuple[Tensor, Tensor]]]:
    """While open, what a module is given and returns, pass by pass of this thread: a server reads for others
    meanwhile."""
    seen: list[tuple[Tensor, Tensor]] = []
    mine = threading.get_ident()

    def note(_: nn.Module, given: tuple[Tensor, ...], made: Tensor) -> None:
        if threading.get_ident() == mine:
            seen.append((given[0], made))

    with _HOOKING:
        handle = module.register_forward_hook(note)
    try:
        yield seen
    finally:
        with _HOOKING:
            handle.remove()


# --- the norms, as the notes write them -----------------------------------------------------------------


def moments(
    x: Float[np.ndarray, "*s"], axis: int | tuple[int, ...], centred: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance over an axis or several, kept as axes of size 1; not `centred`: 0 and the mean square."""
    mean = x.mean(axis, keepdims=True) if centred else np.zeros_like(x.mean(axis, keepdims=True))
    return mean, ((x - mean) ** 2).mean(axis, keepdims=True)


def normalised(
    x: Float[np.ndarray, "*s"], mean: np.ndarray, variance: np.ndarray, eps: float = EPS, printed: bool = False
) -> Float[np.ndarray, "*s"]:
    """(x - mean) / sqrt(variance + eps); `printed` as the notes' short form has it, with sqrt(sigma + eps)."""
    return (x - mean) / np.sqrt((np.sqrt(variance) if printed else variance) + eps)


def layer_norm(x: Float[np.ndarray, "n c"], eps: float = EPS, printed: bool = False) -> np.ndarray:
    """Every token by its own mean and deviation."""
    return normalised(x, *moments(x, -1), eps, printed)


def rms_norm(x: Float[np.ndarray, "n c"], eps: float = EPS) -> np.ndarray:
    """Every token by its own root mean square."""
    return normalised(x, *moments(x, -1, centred=False), eps)


def batch_norm(x: Float[np.ndarray, "n c"], eps: float = EPS) -> np.ndarray:
    """Every channel by its mean and deviation over all tokens of the batch, as in training."""
    return normalised(x, *moments(x, 0), eps)


def running(
    means: Float[np.ndarray, "k c"], variances: Float[np.ndarray, "k c"], momentum: float = MOMENTUM
) -> tuple[Float[np.ndarray, " c"], Float[np.ndarray, " c"]]:
    """Running mean and variance after k batches, from 0 and 1: each batch moves them by a share of `momentum`.

    `variances` are the unbiased ones, as torch's BatchNorm takes them for this.
    """
    mean, variance = np.zeros(means.shape[1]), np.ones(means.shape[1])
    for own_mean, own_variance in zip(means, variances):
        mean = (1 - momentum) * mean + momentum * own_mean
        variance = (1 - momentum) * variance + momentum * own_variance
    return mean, variance


def other_batches(lm: LanguageModelLike, place: str) -> Float[np.ndarray, "k t c"]:
    """What the norm is given of other texts, stories that come with the app: batch by batch, LENGTH tokens each."""
    norm = find(lm, place)
    length = min(LENGTH, lm.config.context)
    ids = lm.tokenizer.encode(sample_text())[: OTHERS * length]
    batch = torch.tensor(ids[: len(ids) // length * length], device=lm.device).reshape(-1, length)
    with watched(norm) as seen:
        lm.network.read(batch)
    return seen[-1][0].double().cpu().numpy()


# --- the mean that RMSNorm leaves ------------------------------------------------------------------------


@dataclass(frozen=True)
class Offset:
    """What RMSNorm's output keeps of a mean, over the tokens of a batch, and what the next product makes of it.

    `mean` [N] is each token's mu_y, `share` [N] of its squared length that lies along the ones. `split` is the largest
    difference between W y + b and W (y - mu_y) + (b + W mu_y 1), `fixed` the error, relative to W y's length, when one
    bias with the mean of all mu_y stands for every token's own, and `dropped` when no bias does.
    """

    mean: Float[np.ndarray, " n"]
    share: Float[np.ndarray, " n"]
    split: float
    fixed: float
    dropped: float


def offset(y: Float[np.ndarray, "n c"], weight: Float[np.ndarray, "m c"], bias: np.ndarray | None) -> Offset:
    """The note's derivation on a norm's output y and the matrix that reads it (LLM notes, section 4.2)."""
    mean = y.mean(1)
    b = np.zeros(len(weight)) if bias is None else bias
    ones = weight.sum(1)  # W 1
    product = y @ weight.T
    centred = (y - mean[:, None]) @ weight.T
    length = float(np.sqrt((product**2).sum()))
    return Offset(
        mean,
        mean**2 * y.shape[1] / np.maximum((y**2).sum(1), 1e-300),
        float(np.abs(product + b - (centred + (b + mean[:, None] * ones))).max()),
        float(np.sqrt(((product - (centred + mean.mean() * ones)) ** 2).sum())) / length,
        float(np.sqrt(((product - centred) ** 2).sum())) / length,
    )


def reader(lm: LanguageModelLike, place: str) -> tuple[np.ndarray, np.ndarray | None]:
    """Weight [M, C] and bias of a product that reads the output of a norm: of its layer's attention or feed-forward
    part, of the final norm the head. Raises UnknownName where none reads it alone.
    """
    network: Any = lm.network
    layers = {"norm1": lambda block: _first(block.attn), "norm2": lambda block: _first(block.mlp)}
    if place == "norm":
        found = network.head
    else:
        part = place.rpartition(".")[2]
        found = layers[part](network.get_submodule(place.rpartition(".")[0])) if part in layers else None
    if found is None or lm.config.norm.placement not in ("pre", "parallel", "parallel-shared"):
        raise UnknownName(f"No product reads the norm {place} of {lm.name} alone.")
    bias = found.bias
    return (
        found.weight.detach().double().cpu().numpy(),
        None if bias is None else bias.detach().double().cpu().numpy(),
    )


def _first(part: nn.Module) -> nn.Linear | None:
    return next((each for each in part.modules() if isinstance(each, nn.Linear)), None)


def centred_loss(lm: LanguageModelLike, ids: Sequence[int]) -> tuple[float, float]:
    """Loss in nats per token as the model is, and with the mean taken off what each RMSNorm is given: as if it were
    LayerNorm."""
    centred = twin(lm.network)
    for path in places(lm):
        centred.get_submodule(path).register_forward_pre_hook(
            lambda _, given: (given[0] - given[0].mean(-1, keepdim=True),)
        )
    text = torch.tensor([list(ids)], device=lm.device)

    def loss(network: nn.Module) -> float:
        logits = network(text)[0, :-1].float()
        return float(nn.functional.cross_entropy(logits, text[0, 1:]))

    return loss(lm.network), loss(centred)
