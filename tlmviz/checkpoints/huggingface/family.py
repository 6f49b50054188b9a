"""What a family of checkpoints is, and what most of their configurations have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tlmviz.config import ModelConfig

from . import rope
from .parts import Parts
from .settings import Settings

Fields = dict[str, Any]  # of ModelConfig, by part or by short name


@dataclass(frozen=True)
class Family:
    """How checkpoints of a `model_type` are read: their settings, and where their tensors go.

    `prefix` stands before the names of all tensors but the `head`'s; files of a model without its head leave it out.
    """

    title: str
    fields: Callable[[Settings], Fields]
    parts: Callable[[ModelConfig], Parts]
    prefix: str = "model."
    head: str = "lm_head"


GATES = {
    "silu": "swiglu",
    "swish": "swiglu",
    "gelu": "geglu",
    "gelu_new": "geglu-tanh",
    "gelu_pytorch_tanh": "geglu-tanh",
}
ACTIVATIONS = {
    "relu": "relu",
    "silu": "silu",
    "gelu": "gelu",
    "gelu_new": "gelu-tanh",
    "gelu_fast": "gelu-tanh",
    "gelu_pytorch_tanh": "gelu-tanh",
}


def sizes(settings: Settings, tied: bool = False) -> Fields:
    """Vocabulary, depth, width, context, and whether the head is the embedding."""
    return {
        "vocab_size": settings.count("vocab_size"),
        "n_layers": settings.count("num_hidden_layers"),
        "d_model": settings.count("hidden_size"),
        "context": settings.count("max_position_embeddings"),
        "tied": settings.flag("tie_word_embeddings", tied),
    }


def heads(
    settings: Settings, head_dim: int | None = None, bias: str | None = "attention_bias", groups: int | None = None
) -> Fields:
    """The attention part: heads, their size, and biases of all four matrices where the key `bias` says so.

    `head_dim` and `groups`, the number of key/value heads, are the family's where the file does not say.
    """
    count = settings.count("num_attention_heads")
    groups = settings.optional_count("num_key_value_heads", groups) or count
    if count % groups:
        raise settings.wrong("num_key_value_heads", groups, f"a divisor of num_attention_heads, {count}")
    own = settings.count("head_dim", head_dim)
    if own is None and settings.count("hidden_size") % count:
        raise settings.wrong("num_attention_heads", count, "a divisor of hidden_size where there is no head_dim")
    biased = settings.flag(bias) if bias else False
    return {
        "n_heads": count,
        "n_kv_heads": groups,
        "head_dim": own or settings.count("hidden_size") // count,
        **{f"{letter}_bias": biased for letter in "qkvo"},
    }


def gated(settings: Settings, act: str = "hidden_act", default: str = "silu", bias: str | None = "mlp_bias") -> Fields:
    """The part of a gated feed-forward; `act` and `bias` are the keys of its activation and its biases."""
    return {
        "kind": settings.choice(act, GATES, default),
        "hidden": settings.count("intermediate_size"),
        "bias": settings.flag(bias) if bias else False,
    }


def rms_norm(settings: Settings, placement: str = "pre", eps: float = 1e-6) -> Fields:
    """The norm part of an RMSNorm; `eps` is the family's where the file does not say."""
    return {"kind": "rmsnorm", "eps": settings.number("rms_norm_eps", eps), "placement": placement}


def windows(settings: Settings, layers: int, window: int | None, sliding: Sequence[bool]) -> list[int | None]:
    """Each layer's window: from `layer_types` where the file has them, else where `sliding` says so."""
    kinds = settings.take("layer_types", None)
    if kinds is None:
        return [window if slides else None for slides in sliding]
    known: dict[object, int | None] = {"full_attention": None, "sliding_attention": window}
    if not isinstance(kinds, list) or len(kinds) != layers or any(kind not in known for kind in kinds):
        raise settings.unknown(
            "layer_types", kinds, f"full_attention and sliding_attention, one for each of the {layers} layers"
        )
    return [known[kind] for kind in kinds]


def layered(entries: Sequence[Fields]) -> Fields:
    """What layers have of their own: nothing to say of layers that are alike but for a window, which the attention
    states."""
    if all(entry == {"window": entries[0]["window"]} for entry in entries):
        return {"window": entries[0]["window"]}
    return {"layers": tuple(entries)}


def rotated(settings: Settings, attention: Fields, base: float = 10000.0, share: float = 1.0) -> Fields:
    """The positions part."""
    return rope.positions(settings, attention["head_dim"], base, share)
