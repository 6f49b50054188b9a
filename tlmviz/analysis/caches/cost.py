"""What generation costs: bytes a cache keeps, and floating-point operations per token, with the cache and without.

By formula, for our own models and for published ones alike; the tests hold the bytes to `nbytes` of our caches and
the operations to those that torch counts in our networks. Letters: B requests, L layers, T positions, C d_model,
H query heads, G key/value heads, D head dimension, R latent and D_R rotary dimensions, W window, F feed-forward,
V vocabulary. A multiply and an add are two operations; products of matrices are counted, nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tlmviz.config import ModelConfig
from tlmviz.errors import BadShape

from .layer_cost import Layer

BITS = {"fp32": 32, "fp16, bf16": 16, "fp8": 8, "int4": 4}
BOUND = 10**12  # of any count: beyond it nothing is a model


@dataclass(frozen=True)
class Shape:
    """The numbers of a model that decide its cache. `n_window_layers` layers see the last `window` positions only.

    `parameters` are all that have to be in memory, `active` those that one token meets (fewer with experts);
    `context` is what the model was made to read. Raises BadShape for counts that are not positive.
    """

    name: str
    n_layers: int
    d_model: int
    heads: int
    groups: int
    head_dim: int
    vocab: int
    context: int
    latent: int | None = None
    rope: int = 0
    window: int | None = None
    n_window_layers: int = 0
    parameters: float | None = None
    active: float | None = None
    source: str = ""

    def __post_init__(self) -> None:
        for name in ("n_layers", "d_model", "heads", "groups", "head_dim", "vocab", "context"):
            count(name, getattr(self, name))
        if self.heads % self.groups:
            raise BadShape(
                f"{self.heads} query heads cannot share {self.groups} key/value heads evenly; give a divisor."
            )
        if self.n_window_layers > self.n_layers or bool(self.n_window_layers) != bool(self.window):
            raise BadShape(
                f"{self.n_window_layers} of {self.n_layers} layers have a window of {self.window}; give both or "
                "neither."
            )

    @classmethod
    def of(cls, config: ModelConfig, parameters: int | None = None) -> Shape:
        """A bundled or own model's shape; of several windows, the longest."""
        layers = [config.layer(index) for index in range(config.n_layers)]
        windows = [layer.window for layer in layers if layer.window is not None]
        return cls(
            config.name,
            config.n_layers,
            config.d_model,
            config.n_heads,
            config.n_kv_heads,
            config.head_dim,
            config.vocab_size,
            config.context,
            config.attention.latent_dim,
            config.attention.rope_dim,
            max(windows, default=None),
            len(windows),
            parameters,
            parameters,
            "config.json",
        )

    @property
    def layer(self) -> Layer:
        """One of its attention layers."""
        return Layer(self.d_model, self.heads, self.groups, self.head_dim, self.latent, self.rope)

    @property
    def kind(self) -> str:
        """MHA, GQA, MQA or MLA, and its window."""
        kind = self.layer.kind
        if not self.window:
            return kind
        share = "" if self.n_window_layers == self.n_layers else f" in {self.n_window_layers} of {self.n_layers} layers"
        return f"{kind}, window {self.window:,}{share}"

    @property
    def written(self) -> str:
        """The numbers that are cached per token and layer, as a sum."""
        if self.latent is not None:
            return f"{self.latent} + {self.rope} = {self.numbers_per_token_per_layer:,}"
        return f"2 · {self.groups} · {self.head_dim} = {self.numbers_per_token_per_layer:,}"

    @property
    def numbers_per_token_per_layer(self) -> int:
        """Numbers kept per position and layer: see `Layer.cached`."""
        return self.layer.cached


def count(name: str, value: int) -> int:
    """`value`, where it is a whole number of at least 1; else BadShape."""
    if type(value) is not int or not 1 <= value <= BOUND:
        raise BadShape(f"{name} is {value!r}; give a whole number from 1 to {BOUND:,}.")
    return value


# --- bytes ------------------------------------------------------------------------------------------


def positions(shape: Shape, length: int, page: int | None = None) -> int:
    """Positions kept of one request, added up over layers: L T, and at most W in a layer behind a window.

    With pages every layer keeps whole pages of all positions, as `PagedCache` does, also behind a window.
    """
    count("The length", length)
    if page is not None:
        return shape.n_layers * -(-length // count("The page", page)) * page
    behind = shape.n_window_layers * min(length, shape.window or length)
    return behind + (shape.n_layers - shape.n_window_layers) * length


def cache_bytes(shape: Shape, length: int, batch: int = 1, bits: int = 32, page: int | None = None) -> float:
    """Bytes of the caches of `batch` requests of `length` positions: B x positions x numbers per position x bits / 8.

    What is stored and no more: a buffer that doubles may have more allocated. Scales of 4- and 8-bit formats are
    not counted. Raises BadShape for a batch or length below 1.
    """
    return count("The batch", batch) * positions(shape, length, page) * shape.numbers_per_token_per_layer * bits / 8


def token_bytes(shape: Shape, bits: int = 32) -> float:
    """Bytes that one more position adds in all layers, as long as no window is full."""
    return shape.n_layers * shape.numbers_per_token_per_layer * bits / 8


def weight_bytes(shape: Shape, bits: int = 16) -> float | None:
    """Bytes of all parameters; None where their number is not known."""
    return None if shape.parameters is None else shape.parameters * bits / 8


def max_batch(shape: Shape, length: int, memory: float, bits: int, weight_bits: int, page: int | None = None) -> int:
    """How many requests of `length` fit into `memory` bytes beside the weights; 0 when the weights alone do not fit."""
    free = memory - (weight_bytes(shape, weight_bits) or 0.0)
    return max(0, int(free // cache_bytes(shape, length, 1, bits, page)))


# --- operations -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Flops:
    """Operations of one pass, all layers: projections and feed-forward, scores and weighted sums, and the logits."""

    weights: int
    attention: int
    logits: int

    @property
    def total(self) -> int:
        return self.weights + self.attention + self.logits


def step_flops(config: ModelConfig, length: int, cached: bool = True, absorbed: bool = True) -> Flops:
    """Operations that the token at position `length` takes, the first being at 1.

    With the cache one query meets `length` keys (at most W): per layer 2 C (H + 2 G) D + 2 C^2 + 4 C F (6 C F with a
    gate; with experts the router's 2 C E and those of the k chosen and the shared) for the weights and 4 H D T for the
    attention. Without it the whole text is read again, T times as many products with weights and 4 H D T^2 for the
    attention, masked cells included, as for any product of matrices.
    N streams add 2 C (N^2 + N) per sublayer for mixing and reading, and 2 C N (N + 2) for their matrices, N times that
    where they depend on all streams together (mHC).
    Latent attention: `absorbed` leaves keys and values latent, 2 H (2 R + D_R) T; naive makes all T of every head
    from the latents again at each step, 4 R H D T (000 Eq. 38-46).
    """
    count("The length", length)
    everything = [length] * config.n_layers
    if not cached:
        return _pass_flops(config, length, everything, expanded=length)
    if config.attention.latent_dim is None or absorbed:
        windows = (config.layer(layer).window for layer in range(config.n_layers))
        return _pass_flops(config, 1, [min(length, window or length) for window in windows], expanded=0)
    return _pass_flops(config, 1, everything, expanded=length)


def _pass_flops(config: ModelConfig, queries: int, keys: Sequence[int], expanded: int) -> Flops:
    """Of one pass in which each query of a layer meets as many keys as `keys` says of it."""
    c, layer = config.d_model, Layer.of(config)
    dense = sum(_feedforward_weights(config, at) for at in range(config.n_layers))
    relative = config.positions.distances if config.positions.kind == "relative" else 0
    cells = sum(keys) * layer.multiplications_per_key(absorbed=not expanded)
    cells += config.n_layers * relative * config.n_heads * config.head_dim
    layers = 2 * config.n_layers
    return Flops(
        2 * queries * dense + layers * (queries * _stream_weights(config) + layer.weights(queries, expanded)),
        2 * queries * cells,
        2 * queries * c * config.vocab_size,
    )


def _feedforward_weights(config: ModelConfig, layer: int) -> int:
    """Multiplications of one token in a layer's feed-forward part: with experts, the router and what it chooses."""
    c, part = config.d_model, config.experts
    if not config.has_experts(layer):
        return (3 if config.feedforward.gated else 2) * c * config.feedforward.hidden
    gate = part.shared_gate and part.shared_width > 0
    return c * (part.count + 3 * (part.chosen * part.hidden + part.shared_width) + gate)


def _stream_weights(config: ModelConfig) -> int:
    """Multiplications of one token in both connections of a layer."""
    if config.connection.kind == "residual":
        return 0
    c, n = config.d_model, config.connection.streams
    made = n * (n + 2) * c * (n if config.connection.kind == "manifold" else 1)
    return 2 * (made + (n * n + n) * c)


def attention_flops(shape: Shape, length: int) -> float:
    """Scores and weighted sums of one token at `length` with the cache, all layers; latent attention absorbed."""
    return 2.0 * shape.layer.multiplications_per_key() * positions(shape, length)


def token_flops(shape: Shape, length: int) -> float | None:
    """About 2 x active parameters, and the attention, for one token with the cache (Kaplan et al. 2020, section
    2.1)."""
    return None if shape.active is None else 2.0 * shape.active + attention_flops(shape, length)
