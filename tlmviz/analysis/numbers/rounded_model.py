"""A language model's forward pass with matrix products in few bits: which of its matrices is chosen by hand.

INT8 and INT4 are multiplied as integers, whose sums are exact, where a scale is shared by a tensor or a channel. All
else is simulated: float32 arithmetic on numbers that were rounded to the format. Norms, softmax, rotations and the
residual stream stay float32, as in published recipes; a router stays too. Scales are taken from the numbers themselves
at each product. Sources: LLM notes, section 6; Dettmers et al. 2022 (LLM.int8()) and Micikevicius et al. 2022 for what
is commonly kept.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode

from tlmviz.errors import BadText, UnknownName
from tlmviz.layers import MLP, Attention, Experts, GatedMLP, LatentAttention
from tlmviz.layers.latent import QueryLatent
from tlmviz.networks.transformer import TransformerLM
from tlmviz.protocols import LanguageModelLike

from .scaling import Scaled, Scheme, product, scaled

SIDES = BOTH, WEIGHTS, ACTIVATIONS = "both", "weights", "activations"
PARTS = ("q down", "q", "latent", "k", "v", "o", "gate", "up", "down", "head")  # what the matrices of a model are for
KEPT = 30_000_000  # rounded weights that a Simulator keeps: 9 bytes each, as codes, integers and restored
MOST_LOGITS = 1 << 26  # numbers: 268 MB
STRIP = 1 << 22  # logits that are compared at once, in float64
Product = Callable[[Tensor, "Matrix"], Tensor]
Seen = Callable[[Tensor, "Matrix", Tensor], None]


@dataclass(frozen=True, eq=False)
class Matrix:
    """One matrix W [N, K] of a model: its layer (the head's is one past the last), what it is for, and whose expert's
    it is."""

    layer: int
    part: str
    weight: Float[Tensor, "n k"]
    expert: int | None = None

    @property
    def key(self) -> str:
        """Its name in a link: "2.down", "2.down.5" for expert 5, "head"."""
        if self.part == "head":
            return "head"
        return f"{self.layer}.{self.part}" + ("" if self.expert is None else f".{self.expert}")


def matrices(network: TransformerLM) -> list[Matrix]:
    """The matrices of all products with a text's activations, layer by layer; the head last.

    Projections that the network fuses into one are told apart: rows of one tensor.
    """
    found: list[Matrix] = []
    for layer, block in enumerate(network.blocks):
        found += ATTENTIONS[type(block.attn)](layer, block.attn)
        mlp: MLP | GatedMLP | None
        if isinstance(block.mlp, Experts):
            pairs = zip(block.mlp.gate_up.unbind(), block.mlp.down.unbind())
            for number, (gate_up, down) in enumerate(pairs):
                found += _of_feedforward(layer, gate_up, down, number)
            mlp = block.mlp.shared
        else:
            mlp = block.mlp
        if mlp is not None:
            up = mlp.gate_up if isinstance(mlp, GatedMLP) else mlp.up
            found += _of_feedforward(layer, up.weight, mlp.down.weight)
    return [*found, Matrix(len(network.blocks), "head", network.head.weight)]


def _of_attention(layer: int, attn: Attention) -> list[Matrix]:
    sizes = [heads * attn.head_dim for heads in (attn.heads, attn.groups, attn.groups)]
    parts = zip("qkv", attn.qkv.weight.split(sizes))
    return [*(Matrix(layer, name, weight) for name, weight in parts), Matrix(layer, "o", attn.proj.weight)]


def _of_latent_attention(layer: int, attn: LatentAttention) -> list[Matrix]:
    keys, values = attn.heads * attn.head_dim, attn.heads * attn.value_dim
    downs = [attn.query_input.down.weight] if isinstance(attn.query_input, QueryLatent) else []
    up = zip("kv", attn.up.weight.split((keys, values)))
    return [
        *(Matrix(layer, "q down", weight) for weight in downs),
        Matrix(layer, "q", attn.query.weight),
        Matrix(layer, "latent", attn.down.weight),
        *(Matrix(layer, name, weight) for name, weight in up),
        Matrix(layer, "o", attn.proj.weight),
    ]


ATTENTIONS: dict[type[nn.Module], Callable[..., list[Matrix]]] = {
    Attention: _of_attention,
    LatentAttention: _of_latent_attention,
}


def _of_feedforward(layer: int, up: Tensor, down: Tensor, expert: int | None = None) -> list[Matrix]:
    if up.shape[0] == 2 * down.shape[1]:
        gate, up = up.chunk(2)
        ups = [Matrix(layer, "gate", gate, expert), Matrix(layer, "up", up, expert)]
    else:
        ups = [Matrix(layer, "up", up, expert)]
    return [*ups, Matrix(layer, "down", down, expert)]


class Products(TorchFunctionMode):
    """While open, hands every product with one of the matrices to `multiply`, x [T, K]; nothing is written to a
    network."""

    def __init__(self, known: list[Matrix], multiply: Product):
        super().__init__()
        self.multiply = multiply
        self.starts = {matrix.weight.data_ptr(): matrix for matrix in known}

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func is F.linear and args[1].data_ptr() in self.starts:
            return self._linear(*args, **(kwargs or {}))
        return func(*args, **(kwargs or {}))

    def _linear(self, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        flat, parts, row = x.reshape(-1, x.shape[-1]), [], 0
        while row < len(weight):  # the matrices that are fused in this one, in the order of its rows
            matrix = self.starts[weight[row:].data_ptr()]
            parts.append(self.multiply(flat, matrix))
            row += len(matrix.weight)
        out = torch.cat(parts, -1) if len(parts) > 1 else parts[0]
        return (out if bias is None else out + bias).view(*x.shape[:-1], -1)


@dataclass(frozen=True)
class Setting:
    """A scheme, what of a product is rounded (one of SIDES), and which matrices: by part, and by layer but for the
    head.

    None is all of them. Raises UnknownName.
    """

    scheme: Scheme = field(default_factory=Scheme)
    sides: str = BOTH
    parts: tuple[str, ...] | None = None
    layers: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if self.sides not in SIDES:
            raise UnknownName(f"There is no {self.sides!r} to round; choose one of {', '.join(SIDES)}.")
        for part in self.parts or ():
            if part not in PARTS:
                raise UnknownName(f"No matrix is for {part!r}; choose among {', '.join(PARTS)}.")

    def rounds(self, matrix: Matrix) -> bool:
        """Whether a matrix is among the chosen."""
        here = matrix.part == "head" or self.layers is None or matrix.layer in self.layers
        return here and (self.parts is None or matrix.part in self.parts)


class Simulator:
    """A model's passes in few bits. Rounded weights are kept, up to KEPT, as they are the same in every pass."""

    def __init__(self, lm: LanguageModelLike):
        self.lm = lm.on_cpu
        self.matrices = matrices(self.lm.network)
        self._kept: OrderedDict[tuple[Matrix, Scheme], Scaled] = OrderedDict()

    def weights(self, matrix: Matrix, scheme: Scheme) -> Scaled:
        """A matrix, scaled and rounded."""
        key = (matrix, scheme)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        found = self._kept[key] = scaled(matrix.weight.detach(), scheme)
        while sum(each.codes.numel() for each in self._kept.values()) > KEPT:
            self._kept.popitem(last=False)
        return found

    @contextmanager
    def rounding(self, setting: Setting, seen: Seen | None = None) -> Iterator[None]:
        """While open, the chosen products of the model are made in the setting's format.

        `seen(x, matrix, out)` is told of each of them: x [T, K] before rounding, out [T, N].
        """
        last: tuple[Tensor, Scaled] | None = None  # q, k and v read the same numbers

        def multiply(x: Tensor, matrix: Matrix) -> Tensor:
            nonlocal last
            if not setting.rounds(matrix):
                return F.linear(x, matrix.weight)
            if setting.sides == WEIGHTS:
                return F.linear(x, self.weights(matrix, setting.scheme).restored)
            if last is None or last[0] is not x:
                last = x, scaled(x, setting.scheme)
            if setting.sides == ACTIVATIONS:
                return F.linear(last[1].restored, matrix.weight)
            out = product(last[1], self.weights(matrix, setting.scheme))
            if seen is not None:
                seen(x, matrix, out)
            return out

        with Products(self.matrices, multiply):
            yield

    def logits(self, ids: list[int], setting: Setting | None = None) -> Float[Tensor, "t v"]:
        """Of a text: in few bits, or as the model is. Raises BadText where they would not fit into memory."""
        words = self.lm.config.vocab_size
        if len(ids) * words > MOST_LOGITS:
            raise BadText(
                f"This text has {len(ids):,} tokens; {self.lm.name} knows {words:,}, and a number for each at every "
                f"place is too much for this page: give it at most {MOST_LOGITS // words:,} tokens."
            )
        with torch.inference_mode():
            if setting is None:
                return self.lm.network(torch.tensor([ids]))[0]
            with self.rounding(setting):
                return self.lm.network(torch.tensor([ids]))[0]

    def reading(self, ids: list[int], look: Callable[[Tensor, Matrix], None]) -> None:
        """One plain pass over a text in which `look(x, matrix)` sees what every product reads, x [T, K]."""

        def multiply(x: Tensor, matrix: Matrix) -> Tensor:
            look(x, matrix)
            return F.linear(x, matrix.weight)

        with torch.inference_mode(), Products(self.matrices, multiply):
            self.lm.network(torch.tensor([ids]))

    def loudest(self, ids: list[int]) -> dict[str, float]:
        """How many times the loudest channel of what each matrix reads exceeds the median one, by the matrix's key."""
        found: dict[str, float] = {}

        def look(x: Tensor, matrix: Matrix) -> None:
            channels = x.abs().amax(0)
            found[matrix.key] = float(channels.max() / channels.median().clamp(min=1e-30))

        self.reading(ids, look)
        return found

    def read_by(self, ids: list[int], key: str) -> tuple[Float[Tensor, "t k"], Matrix]:
        """What one matrix reads, X [T, K], and the matrix. Raises UnknownName; BadText for an expert that no token
        reaches."""
        found: list[tuple[Tensor, Matrix]] = []

        def look(x: Tensor, matrix: Matrix) -> None:
            if matrix.key == key and not found:
                found.append((x, matrix))

        if key not in {matrix.key for matrix in self.matrices}:
            raise UnknownName(f"{self.lm.name} has no matrix {key!r}; choose among its layers and parts.")
        self.reading(ids, look)
        if not found:
            raise BadText(f"No token of this text reaches {key}; choose another expert or another text.")
        return found[0]


@dataclass(frozen=True, eq=False)
class Loss:
    """What a pass in few bits loses on a text, for each token that is predicted [T - 1].

    `exact` and `kept` are -log2 p of the token that follows, `divergence` is KL(exact || kept) in nats, `same` whether
    the token thought likeliest is the same; `size` is what all of these tokens have in bytes.
    """

    exact: Float[np.ndarray, " t"]
    kept: Float[np.ndarray, " t"]
    divergence: Float[np.ndarray, " t"]
    same: Bool[np.ndarray, " t"]
    size: int

    @property
    def bits_per_byte(self) -> tuple[float, float]:
        """Of the model as it is, and in few bits."""
        return float(self.exact.sum() / self.size), float(self.kept.sum() / self.size)


def loss(lm: LanguageModelLike, ids: list[int], exact: Float[Tensor, "t v"], kept: Float[Tensor, "t v"]) -> Loss:
    """Compare two passes over a text by their logits. Raises BadText for a text that predicts nothing."""
    size = sum(len(lm.tokenizer.token_bytes(i)) for i in ids[1:])
    if len(ids) < 2 or not size:
        raise BadText("The text has one token, so there is no next token to predict; type at least one more.")
    targets = torch.tensor(ids[1:])[:, None]
    rows = max(1, STRIP // exact.shape[-1])
    strips = zip(exact[:-1].split(rows), kept[:-1].split(rows), targets.split(rows))
    before, after, divergence = (torch.cat(part) for part in zip(*(_compare(*strip) for strip in strips)))
    bits, kept_bits = ((row / math.log(2)).numpy() for row in (before, after))
    return Loss(bits, kept_bits, divergence.numpy(), (exact[:-1].argmax(-1) == kept[:-1].argmax(-1)).numpy(), size)


def _compare(exact: Tensor, kept: Tensor, targets: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """-log p of the targets under both, and KL, in nats."""
    p, q = (logits.double().log_softmax(-1) for logits in (exact, kept))
    before, after = (-part.gather(1, targets)[:, 0] for part in (p, q))
    return before, after, (p.exp() * (p - q)).sum(-1).clamp(min=0)
