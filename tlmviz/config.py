"""What a model is: a frozen dataclass that travels as JSON beside the weights."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Self

from .errors import BadConfig

POSITIONS = ("learned", "sinusoidal", "rope", "alibi", "relative", "none")
NORMS = ("layernorm", "rmsnorm")
NORM_PLACES = ("pre", "post")
FEEDFORWARDS = ("relu", "gelu", "swiglu")
CONNECTIONS = ("residual", "hyper", "manifold")
MOST_STREAMS = 16  # as many as `kernels.sinkhorn` scales


class JSONConfig:
    """A frozen dataclass of plain values that travels as JSON."""

    def to_json(self) -> str:
        """The configuration as indented JSON text."""
        return json.dumps(asdict(self), indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote. Raises BadConfig on malformed JSON, unknown or missing fields."""
        try:
            values: Any = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise BadConfig(f"config.json is not valid JSON ({error}).") from error
        if not isinstance(values, dict) or "name" not in values:
            raise BadConfig("config.json must be an object with at least a name.")
        unknown = set(values) - {field.name for field in fields(cls)}
        if unknown:
            raise BadConfig(f"config.json has unknown fields: {', '.join(sorted(unknown))}.")
        try:
            return cls(**values)
        except TypeError as error:
            raise BadConfig(f"config.json has a value of the wrong type ({error}).") from error

    def with_(self, **changes: Any) -> Self:
        """A copy with some fields changed, checked like a new one."""
        return replace(self, **changes)

    def check_choices(self, **allowed: tuple[str, ...]) -> None:
        """Raise BadConfig unless each named field holds one of its allowed values."""
        for name, values in allowed.items():
            if getattr(self, name) not in values:
                raise BadConfig(f"{name} is {getattr(self, name)!r}; choose one of {', '.join(values)}.")

    def check_counts(self, *names: str) -> None:
        """Raise BadConfig unless each named field is a whole number of at least 1."""
        for name in names:
            value = getattr(self, name)
            if type(value) is not int or value < 1:  # True is an int to isinstance
                raise BadConfig(f"{name} is {value!r}; it must be a whole number of at least 1.")

    def check_shares(self, *names: str) -> None:
        """Raise BadConfig unless each named field lies in [0, 1)."""
        for name in names:
            if not 0 <= getattr(self, name) < 1:
                raise BadConfig(f"{name} is {getattr(self, name)}; it must be in [0, 1).")

    def check_types(self, **kinds: type) -> None:
        """Raise BadConfig unless each named field is of its type."""
        for name, kind in kinds.items():
            if not isinstance(getattr(self, name), kind):
                raise BadConfig(f"{name} is {getattr(self, name)!r}; it must be a {kind.__name__}.")


@dataclass(frozen=True)
class ModelConfig(JSONConfig):
    """A decoder-only language model, part by part.

    Sizes are counts; `dropout` and `attention_dropout` are probabilities used in training only.
    `n_kv_heads` equal to `n_heads` is MHA, 1 is MQA, anything between is GQA.
    `window` is the number of positions a query sees, itself included; None means all.
    `latent_dim` makes it multi-head latent attention: keys and values of all heads are made from a vector of that
    size, and `rope_dim` further dimensions of each query, and one key for all heads, carry RoPE.
    `relative_distance` is how many distances have vectors of their own when positions are "relative".
    `connection` joins the sublayers by plain residuals, by hyper-connections or by manifold-constrained ones, the latter
    two around `streams` streams; `sinkhorn` is the number of iterations that constrain.
    Raises BadConfig when the parts do not fit together.
    """

    name: str
    description: str = ""
    vocab_size: int = 2048
    n_layers: int = 4
    d_model: int = 192
    n_heads: int = 6
    n_kv_heads: int = 6
    d_ff: int = 512
    context: int = 512
    positions: str = "rope"
    rope_base: float = 10000.0
    norm: str = "rmsnorm"
    norm_place: str = "pre"
    feedforward: str = "swiglu"
    bias: bool = False
    tied: bool = True
    window: int | None = None
    latent_dim: int | None = None
    rope_dim: int = 0
    relative_distance: int = 32
    connection: str = "residual"
    streams: int = 1
    sinkhorn: int = 20
    dropout: float = 0.0
    attention_dropout: float = 0.0

    def __post_init__(self) -> None:
        self.check_choices(
            positions=POSITIONS,
            norm=NORMS,
            norm_place=NORM_PLACES,
            feedforward=FEEDFORWARDS,
            connection=CONNECTIONS,
        )
        self.check_counts(
            "vocab_size",
            "n_layers",
            "d_model",
            "n_heads",
            "n_kv_heads",
            "d_ff",
            "context",
            "relative_distance",
        )
        self.check_counts("streams", "sinkhorn")
        if self.d_model % self.n_heads:
            raise BadConfig(
                f"d_model {self.d_model} is not a multiple of n_heads {self.n_heads}; change either."
            )
        if self.n_heads % self.n_kv_heads:
            raise BadConfig(f"n_heads {self.n_heads} is not a multiple of n_kv_heads {self.n_kv_heads}.")
        if self.latent_dim is None and self.positions == "rope" and self.head_dim % 2:
            raise BadConfig(f"RoPE rotates pairs, but the head dimension is {self.head_dim}; make it even.")
        if self.window is not None and (type(self.window) is not int or self.window < 1):
            raise BadConfig(
                f"window is {self.window!r}; it must be a whole number of at least 1, or null for none."
            )
        self._check_latent()
        self._check_streams()
        if not 0 < self.rope_base < float("inf"):
            raise BadConfig(f"rope_base is {self.rope_base}; it must be a positive number.")
        self.check_types(name=str, description=str, bias=bool, tied=bool)
        self.check_shares("dropout", "attention_dropout")

    def _check_latent(self) -> None:
        for name, value, least in (("latent_dim", self.latent_dim, 1), ("rope_dim", self.rope_dim, 0)):
            if value is not None and (type(value) is not int or value < least):
                raise BadConfig(f"{name} is {value!r}; it must be a whole number of at least {least}.")
        if self.latent_dim is None:
            if self.rope_dim:
                raise BadConfig(
                    f"rope_dim is {self.rope_dim}, which only latent attention has; give latent_dim too, or 0."
                )
        elif self.positions not in ("rope", "none"):
            raise BadConfig(
                f"positions is {self.positions!r}; latent attention knows rope (decoupled) and none."
            )
        elif self.n_kv_heads != self.n_heads:
            raise BadConfig(
                f"n_kv_heads is {self.n_kv_heads}; latent attention has as many as n_heads, {self.n_heads}."
            )
        elif self.bias:
            raise BadConfig(
                "bias is true; the matrices of latent attention have none, so that they can be folded."
            )
        elif self.rope_dim % 2 or (self.positions == "rope") != bool(self.rope_dim):
            raise BadConfig(
                f"rope_dim is {self.rope_dim}; decoupled RoPE rotates pairs, so give an even number, and 0 without RoPE."
            )

    def _check_streams(self) -> None:
        if self.streams > MOST_STREAMS:
            raise BadConfig(f"streams is {self.streams}; at most {MOST_STREAMS} can be mixed.")
        if self.connection == "residual":
            if self.streams != 1:
                raise BadConfig(
                    f"streams is {self.streams}, and a plain residual has 1; choose hyper or manifold connections."
                )
        elif self.norm_place != "pre":
            raise BadConfig(
                f"norm_place is {self.norm_place!r}; {self.connection} connections go with norm_place pre."
            )

    @property
    def head_dim(self) -> int:
        """D, the size of one head's query and key."""
        return self.d_model // self.n_heads


def without_connections(config: ModelConfig) -> ModelConfig:
    """The same with plain residuals and no name: equal for models that differ in nothing but their connections."""
    return config.with_(
        name="", description="", connection="residual", streams=1, sinkhorn=ModelConfig.sinkhorn
    )


def notes_preset(name: str = "notes", **sizes: Any) -> ModelConfig:
    """The `TransformerLM` of the notes (000 section 2.1), exactly.

    Learned positions, pre-LayerNorm, GELU, full multi-head attention, biases everywhere
    but in the untied head. `sizes` sets vocabulary, depth, widths, context and dropout.
    """
    parts = dict(
        positions="learned",
        norm="layernorm",
        norm_place="pre",
        feedforward="gelu",
        bias=True,
        tied=False,
        window=None,
    )
    sizes.setdefault("n_kv_heads", sizes.get("n_heads", ModelConfig.n_heads))
    return ModelConfig(name=name, **{**sizes, **parts})
