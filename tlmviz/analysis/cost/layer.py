"""One Transformer layer's bill, part by part: multiplications, operations and bytes, by formula.

Source: Attention (chapter), sections 1 and 2, and "Sources of Inefficiency"; LLM notes, sections 3.1 and 7.4. Letters:
B texts, n tokens of each, d the width, h query heads of D numbers (d / h unless given), g key/value heads, F the inner
width of the feed-forward part. `layer_run` does the same in torch, and the tests hold these numbers to torch's
counters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tlmviz.analysis.caches.layer_cost import Layer
from tlmviz.analysis.kernels.roofline import SOFTMAX
from tlmviz.config import ModelConfig
from tlmviz.errors import BadShape

PARTS = ("projections", "scores", "softmax", "sum", "output", "ffn")
MOST = {"n": 1 << 20, "d": 1 << 16, "h": 256, "g": 256, "f": 1 << 20, "batch": 1024}
BYTES = (4, 2, 1)  # of a number: FP32; FP16 and BF16; FP8


@dataclass(frozen=True)
class Sizes:
    """What decides the bill of a layer. `head` is D, None for d / h; `gated` gives the feed-forward part a third
    matrix.

    Raises BadShape for counts outside 1 to MOST, heads that do not divide, and other BYTES.
    """

    n: int = 1024
    d: int = 768
    h: int = 12
    g: int = 12
    f: int = 3072
    gated: bool = False
    batch: int = 1
    bytes: int = 2
    head: int | None = None

    def __post_init__(self) -> None:
        for name, most in MOST.items():
            value = getattr(self, name)
            if type(value) is not int or not 1 <= value <= most:
                raise BadShape(f"{name} is {value!r}; give a whole number from 1 to {most:,}.")
        if self.head is None and self.d % self.h:
            fits = largest_divisor(self.d, self.h)
            raise BadShape(f"{self.h} heads cannot share {self.d} numbers evenly; {fits} can.")
        if self.head is not None and not 1 <= self.head <= MOST["d"]:
            raise BadShape(f"head is {self.head!r}; give a whole number from 1 to {MOST['d']:,}.")
        if self.h % self.g:
            raise BadShape(f"{self.h} query heads cannot share {self.g} key/value heads evenly; give a divisor.")
        if self.bytes not in BYTES:
            raise BadShape(f"A number of {self.bytes} bytes is none of {', '.join(map(str, BYTES))}.")

    @property
    def width(self) -> int:
        """D, the numbers of one head."""
        return self.head or self.d // self.h

    @property
    def inner(self) -> int:
        """Numbers of a token between the feed-forward part's matrices: up, activated; with a gate its own and the
        product."""
        return (4 if self.gated else 2) * self.f

    @property
    def attention(self) -> Layer:
        """Its attention, as the page KV cache counts it."""
        return Layer(self.d, self.h, self.g, self.width)

    @property
    def one_head(self) -> Sizes:
        """The same layer with a single head as wide as all of its heads together."""
        return replace(self, h=1, g=1, head=self.h * self.width)

    @classmethod
    def of(cls, config: ModelConfig, n: int, number_bytes: int = 4) -> Sizes:
        """A model's layer; of latent attention or experts only what has the same names."""
        part = config.feedforward
        return cls(
            n,
            config.d_model,
            config.n_heads,
            config.n_kv_heads,
            part.hidden,
            part.gated,
            1,
            number_bytes,
            config.head_dim,
        )


def largest_divisor(number: int, most: int) -> int:
    """The largest divisor of a number that is at most `most`."""
    return next(each for each in range(min(most, number), 0, -1) if number % each == 0)


def fitted(values: Mapping[str, Any]) -> tuple[Sizes, str]:
    """Sizes near those asked for, and why they are others; "" where they are not.

    Heads that do not divide become the most, up to theirs, that do; numbers out of range come back within it.
    """
    inside = dict(values) | {name: min(max(int(values[name]), 1), most) for name, most in MOST.items()}
    said = ""
    if inside["bytes"] not in BYTES:
        inside["bytes"] = 2
    if not inside["head"] and inside["d"] % inside["h"]:
        fits = largest_divisor(inside["d"], inside["h"])
        said = f"{inside['h']} heads cannot share {inside['d']} numbers evenly: {fits} can."
        if inside["g"] == inside["h"]:
            inside["g"] = fits
            said += " There are as many key/value heads."
        inside["h"] = fits
    if inside["h"] % inside["g"]:
        fits = largest_divisor(inside["h"], inside["g"])
        queries = "1 query head" if inside["h"] == 1 else f"{inside['h']} query heads"
        said += f" {queries} cannot share {inside['g']} key/value heads evenly: {fits} can."
        inside["g"] = fits
    return Sizes(**inside | {"head": inside["head"] or None}), said.strip()


@dataclass(frozen=True)
class Line:
    """One part of the bill: multiplications in products of matrices, operations of a softmax, and numbers kept or
    written.

    `weights` are the part's parameters without biases, `written` the activations that plain code writes, maps left out,
    `maps` the cells of matrices n x n.
    """

    multiplications: int = 0
    softmax: int = 0
    weights: int = 0
    written: int = 0
    maps: int = 0

    @property
    def operations(self) -> int:
        """Multiplications and additions of the products, and those of the softmax."""
        return 2 * self.multiplications + self.softmax


def bill(sizes: Sizes) -> dict[str, Line]:
    """Every one of PARTS. Products are whole: masked cells are computed too, as in any product of matrices."""
    rows = sizes.batch * sizes.n
    every, shared = sizes.h * sizes.width, sizes.g * sizes.width
    cells = sizes.batch * sizes.h * sizes.n**2
    making, out = sizes.d * (every + 2 * shared), every * sizes.d
    dense = (3 if sizes.gated else 2) * sizes.d * sizes.f
    return {
        "projections": Line(rows * making, 0, making, rows * (every + 2 * shared)),
        "scores": Line(cells * sizes.width, maps=cells),
        "softmax": Line(softmax=SOFTMAX * cells, maps=cells),
        "sum": Line(cells * sizes.width, written=rows * every),
        "output": Line(rows * out, 0, out, rows * sizes.d),
        "ffn": Line(rows * dense, 0, dense, rows * (sizes.inner + sizes.d)),
    }


@dataclass(frozen=True)
class Totals:
    """Sums over the bill: operations, and bytes of weights, of activations, and of one matrix n x n for every head."""

    operations: int
    weights: int
    written: int
    maps: int


def totals(sizes: Sizes) -> Totals:
    """The whole layer. The maps count once, B h n^2: scores and weights may share their place."""
    lines = bill(sizes).values()
    return Totals(
        sum(line.operations for line in lines),
        sizes.bytes * sum(line.weights for line in lines),
        sizes.bytes * sum(line.written for line in lines),
        sizes.bytes * sizes.batch * sizes.h * sizes.n**2,
    )


@dataclass(frozen=True)
class Kept:
    """Bytes of what a training step keeps for its backward pass: of one layer, of all, and of all with
    checkpointing."""

    layer: int
    layers: int
    checkpointed: int


def kept(sizes: Sizes, layers: int) -> Kept:
    """Activations that autograd keeps of a model of so many such layers, in plain code; the embedding and the head left
    out.

    Of a layer, in numbers: the inputs of both its parts, queries, keys and values (those that heads share once for each
    head), the softmax's weights B h n^2, the heads' results, and everything between the matrices of the feed-forward
    part. Scores before the softmax are not kept: its gradient needs the weights alone. With checkpointing each layer
    keeps its input, and computes the rest once more when its gradient is due: one layer's at a time (Chen et al. 2016,
    arXiv:1604.06174).
    """
    rows = sizes.batch * sizes.n
    one = rows * (2 * sizes.d + 4 * sizes.h * sizes.width + sizes.inner) + sizes.batch * sizes.h * sizes.n**2
    return Kept(sizes.bytes * one, sizes.bytes * layers * one, sizes.bytes * (layers * rows * sizes.d + one))


def crossings(sizes: Sizes) -> dict[str, float]:
    """The n from which scores and weighted sums take more multiplications than other parts.

    "projections" are all four matrices of the attention, n = 2 d where h D = g D = d; "weights" these and the
    feed-forward part; at "maps" the B h n^2 cells of the maps are as many as the layer's weights.
    """
    lines = bill(sizes)
    quadratic = 2 * sizes.h * sizes.width  # of one query and one key
    attention = lines["projections"].weights + lines["output"].weights
    every = attention + lines["ffn"].weights
    return {
        "projections": attention / quadratic,
        "weights": every / quadratic,
        "maps": (every / (sizes.batch * sizes.h)) ** 0.5,
    }


# --- word by word -----------------------------------------------------------------------------------------

COUNTED = ("tokens", "cells", "operations")  # tokens read; pairs of a query and a key; operations of the layer


@dataclass(frozen=True)
class Growth:
    """A prompt of p tokens and N more, one by one: what the prompt takes, and each later token, with a cache and
    without."""

    prompt: int
    without: tuple[int, ...]
    cached: tuple[int, ...]


def growth(sizes: Sizes, prompt: int, new: int, counted: str) -> Growth:
    """One of COUNTED, of one layer and one text. The token at place t reads t tokens again without a cache, one with
    it.

    "cells" are pairs of a query and a key, masked ones included: t^2 without a cache, t with it. So 1 + 2 + ... + N is
    what is read again without the cache, and what is looked at with it.
    """
    places = range(prompt + 1, prompt + new + 1)
    return Growth(
        _taken(sizes, prompt, prompt, counted),
        tuple(_taken(sizes, t, t, counted) for t in places),
        tuple(_taken(sizes, 1, t, counted) for t in places),
    )


def _taken(sizes: Sizes, queries: int, keys: int, counted: str) -> int:
    """What so many queries take that see so many keys, of one text."""
    if counted not in COUNTED:
        raise BadShape(f"{counted!r} cannot be counted; choose one of {', '.join(COUNTED)}.")
    if counted == "tokens":
        return queries
    if counted == "cells":
        return queries * keys
    weights = sum(line.weights for line in bill(sizes).values())
    pair = 4 * sizes.h * sizes.width + SOFTMAX * sizes.h
    return 2 * queries * weights + queries * keys * pair
