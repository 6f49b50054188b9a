"""What the names in a formula stand for: a block's tensors on a traced text, or tensors of one's own sizes.

The names are those of 003 section 2, written without TeX: Htilde, Qhat, Khat, WQ, W1. A_t^f of the notes is Aout here,
as the notes use A for the weights too.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor

from tlmviz.config import ModelConfig
from tlmviz.layers import Attention, Experts, GatedMLP, LayerNorm, Positions, PreNormBlock, RMSNorm
from tlmviz.protocols import LanguageModelLike
from tlmviz.tracing.trace import Trace

from .syntax import BadNotation, Span

# Kinds of axes, and the letters that 003 section 1 gives them.
LETTERS = {
    **dict.fromkeys("tsu", "time"),
    "h": "head",
    "g": "group",
    "f": "model",
    "d": "dim",
    "k": "dim",
    "m": "dim",
    "e": "hidden",
}
# Which time an axis is: that of the queries or that of the keys.
QUERY, KEY = "query", "key"


@dataclass(frozen=True)
class Named:
    """A tensor with the kinds of its axes and what it is; `roles` says which time axes are the queries' and the
    keys'."""

    value: Tensor
    kinds: tuple[str, ...]
    says: str
    roles: Mapping[int, str] = field(default_factory=dict)

    @property
    def shape(self) -> tuple[int, ...]:
        """Its sizes."""
        return tuple(self.value.shape)


@dataclass(frozen=True)
class Table:
    """Names with their tensors, the functions that are a model's own, and what is known of the model.

    `scale` multiplies the scores; `causal` says that later keys are hidden; `rotates` that positions turn queries and
    keys; `head_of` gives each query head its group.
    """

    tensors: Mapping[str, Named]
    functions: Mapping[str, Callable[[Tensor], Tensor]]
    head_dim: int
    scale: float
    rotates: bool
    head_of: Tensor  # [H]
    causal: bool = True
    sizes: Mapping[str, int] | None = None  # of one's own letters; None for a model's tensors

    def look(self, name: str, letters: tuple[str, ...], at: Span) -> Named:
        """The tensor of a name. Raises BadNotation for an unknown one."""
        if name in self.tensors:
            return self.tensors[name]
        if self.sizes is None:
            known = ", ".join(self.tensors)
            raise BadNotation(f"There is no tensor “{name[:20]}” here; there are {known} and delta.", at)
        missing = [letter for letter in letters if self.size(letter) is None]
        if missing:
            raise BadNotation(
                f"No size is given for the index {missing[0]}; add it to the sizes, as {missing[0]}=4.", at
            )
        shape = [self.size(letter) or 1 for letter in letters]
        check_size(shape, at)
        draw = torch.Generator().manual_seed(zlib.crc32(name.encode()))
        value = torch.randn(shape, generator=draw) / max(1, shape[-1]) ** 0.5
        roles = {number: role for number, role in ROLES.get(name, {}).items() if number < len(letters)}
        return Named(value, tuple("" for _ in letters), "random numbers of your sizes", roles)

    def size(self, letter: str) -> int | None:
        """One's own size of an index; r' has that of r where it is not given."""
        sizes = self.sizes or {}
        return sizes.get(letter, sizes.get(letter.rstrip("'")))


ROLES: dict[str, dict[int, str]] = {
    **{name: {0: QUERY} for name in ("Q", "Qhat")},
    **{name: {0: KEY} for name in ("K", "Khat", "V")},
    **{name: {0: QUERY, 1: KEY} for name in ("L", "A")},
}
LARGEST = 1 << 24  # numbers of one tensor


def check_size(shape: list[int], at: Span) -> None:
    """Raises BadNotation for a tensor that is too large to be made."""
    count = 1
    for size in shape:
        count *= size
    if count > LARGEST:
        sizes = " × ".join(map(str, shape))
        raise BadNotation(
            f"A tensor of {sizes} = {count:,} numbers is too large here; at most {LARGEST:,} are made. Take smaller "
            "sizes.",
            at,
        )


def unlike(config: ModelConfig) -> str:
    """What keeps a model's block from being that of the notes, in a word; empty where nothing does."""
    attention = config.attention
    reasons = {
        "several residual streams": config.connection.kind != "residual",
        "latent attention": attention.latent_dim is not None,
        f"{config.norm.placement}-norm": config.norm.placement != "pre",
        "a vector per distance": config.positions.kind == "relative",
        "norms of queries and keys": attention.qk_norm != "none",
        "bounded scores": attention.softcap is not None,
        "experts": config.experts.count > 0,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def taps(layer: int) -> frozenset[str]:
    """The tensors of a pass that `of_block` reads."""
    parts = ("resid_pre", "normed_attn", "resid_mid", "normed_mlp", "resid_post")
    attn = ("fused", "q", "k", "v", "lse", "z", "out")
    mlp = ("pre", "hidden", "out")
    names = (*parts, *(f"attn.{part}" for part in attn), *(f"mlp.{part}" for part in mlp))
    # A trace counts its heads on blocks.0.attn.q.
    return frozenset(("normed", "blocks.0.attn.q", *(f"blocks.{layer}.{name}" for name in names)))


def of_block(lm: LanguageModelLike, trace: Trace, layer: int) -> Table:
    """Every tensor of one layer of a model whose block is that of the notes, by name. Raises BadNotation for another
    one."""
    reason = unlike(lm.config)
    if reason:
        raise BadNotation(f"{lm.name} has {reason}, which the notes' block lacks; choose another model.")
    config, network = lm.config, lm.on_cpu.network
    block = network.blocks[layer]
    spec = trace.specs[layer]
    heads, groups, size = config.n_heads, config.n_kv_heads, config.head_dim
    of = torch.arange(heads) * groups // heads
    tensors = _weights(config, block) | _activations(config, trace, layer)
    rotates = config.positions.kind == "rope"
    if rotates:
        tensors["R"] = Named(
            _rotations(network.positions, layer, len(trace), size), ("time", "dim", "dim"), "RoPE's rotations"
        )
    if spec.mask.slopes is not None:
        tensors["m"] = Named(spec.mask.slopes, ("head",), "ALiBi's slopes")
    functions = {"sigma": block.mlp.activation, "LN1": _norm(block.norm1), "LN2": _norm(block.norm2)}
    return Table(tensors, functions, size, spec.scale, rotates, of)


def _weights(config: ModelConfig, block: PreNormBlock) -> dict[str, Named]:
    """The block's matrices with their axes apart, and the biases that it has."""
    heads, groups, size = config.n_heads, config.n_kv_heads, config.head_dim
    attn, mlp, model = block.attn, block.mlp, "model"
    assert isinstance(attn, Attention) and not isinstance(mlp, Experts)  # `unlike` names all others
    kv = "group" if groups != heads else "head"
    split = attn.qkv.weight.unflatten(0, (-1, size)).transpose(1, 2)  # [H + 2G, C, D]
    q, k, v = split.split((heads, groups, groups))
    found = {
        "WQ": Named(q, ("head", model, "dim"), "the queries' weights"),
        "WK": Named(k, (kv, model, "dim"), "the keys' weights"),
        "WV": Named(v, (kv, model, "dim"), "the values' weights"),
        "WO": Named(attn.proj.weight.T.unflatten(0, (heads, size)), ("head", "dim", model), "the output's weights"),
    }
    if isinstance(mlp, GatedMLP):
        gate, up = mlp.gate_up.weight.chunk(2)
        found["WG"] = Named(gate.T, (model, "hidden"), "the gate's weights")
        found["W1"] = Named(up.T, (model, "hidden"), "the widening weights")
    else:
        found["W1"] = Named(mlp.up.weight.T, (model, "hidden"), "the widening weights")
    found["W2"] = Named(mlp.down.weight.T, ("hidden", model), "the narrowing weights")
    if attn.qkv.bias is not None:
        parts = attn.qkv.bias.unflatten(0, (-1, size)).split((heads, groups, groups))
        for name, kind, part in zip(("bQ", "bK", "bV"), ("head", kv, kv), parts):
            found[name] = Named(part, (kind, "dim"), "a bias")
    for name, kind, linear in (
        ("bO", model, attn.proj),
        ("b1", "hidden", getattr(mlp, "up", None)),
        ("b2", model, mlp.down),
    ):
        if linear is not None and linear.bias is not None:
            found[name] = Named(linear.bias, (kind,), "a bias")
    return found


def _activations(config: ModelConfig, trace: Trace, layer: int) -> dict[str, Named]:
    """What the model computed on the text."""
    heads, groups, size = config.n_heads, config.n_kv_heads, config.head_dim
    kv = "group" if groups != heads else "head"
    stream, per_head, per_group = ("time", "model"), ("time", "head", "dim"), ("time", kv, "dim")

    def part(name: str) -> Tensor:
        return trace[f"blocks.{layer}.{name}"][0].float()

    def by_time(name: str) -> Tensor:
        return part(name).transpose(0, 1)  # [H, T, D] -> [T, H, D]

    def maps(make: Callable[[int], Tensor]) -> Tensor:
        return torch.stack([make(head) for head in range(heads)], -1)  # [T, S, H]

    fused = part("attn.fused").unflatten(1, (-1, size)).split((heads, groups, groups), 1)
    hidden, map_ = ("time", "hidden"), ("time", "time", "head")
    query, key, both = {0: QUERY}, {0: KEY}, {0: QUERY, 1: KEY}
    found = {
        "H": Named(part("resid_pre"), stream, "the residual stream before the block"),
        "Htilde": Named(part("normed_attn"), stream, "the stream, normalised"),
        "Q": Named(fused[0], per_head, "queries", query),
        "K": Named(fused[1], per_group, "keys", key),
        "V": Named(by_time("attn.v"), per_group, "values", key),
        "Qhat": Named(by_time("attn.q"), per_head, "rotated queries", query),
        "Khat": Named(by_time("attn.k"), per_group, "rotated keys", key),
        "L": Named(maps(lambda head: trace.scores(layer, head, "scaled")), map_, "logits", both),
        "A": Named(maps(lambda head: trace.attention(layer, head)), map_, "attention weights", both),
        "Y": Named(by_time("attn.z"), per_head, "mixed values"),
        "Aout": Named(part("attn.out"), stream, "attention's output"),
        "H'": Named(part("resid_mid"), stream, "the stream after attention"),
        "H''": Named(part("normed_mlp"), stream, "the same, normalised"),
        "G": Named(part("mlp.pre"), hidden, "the gate"),
        "U": Named(part("mlp.pre"), hidden, "hidden units"),
        "Z": Named(part("mlp.hidden"), hidden, "hidden units after the activation"),
        "F": Named(part("mlp.out"), stream, "the MLP's output"),
        "Hout": Named(part("resid_post"), stream, "the stream after the block"),
    }
    del found["U" if config.feedforward.gated else "G"]  # the tap `pre` is the gate where there is one
    if config.positions.kind != "rope":
        del found["Qhat"], found["Khat"]
    return found


def _rotations(positions: Positions, layer: int, length: int, size: int) -> Tensor:
    """R_{td}^k [T, D, D] of the model's own RoPE: each unit vector d turned at each position."""
    own = positions.at(layer)
    basis = torch.eye(size)[:, None].expand(size, length, size)  # [D, T, D]
    return own.rotate(basis[None].contiguous(), own.cos_sin(torch.arange(length)))[0].transpose(0, 1)


def _norm(norm: LayerNorm | RMSNorm) -> Callable[[Tensor], Tensor]:
    """The norm's formula on the last axis, written out, with the model's own weights."""

    def normed(x: Tensor) -> Tensor:
        bias = getattr(norm, "bias", None)
        centred = x if not isinstance(norm, torch.nn.LayerNorm) else x - x.mean(-1, keepdim=True)
        y = centred / (centred.square().mean(-1, keepdim=True) + norm.eps).sqrt() * norm.weight
        return y if bias is None else y + bias

    return normed


OWN_SIZES = "t=6 s=6 u=5 h=3 g=1 f=12 d=4 k=4 m=4 e=24 r=2"
LARGEST_SIZE = 4096


def read_sizes(text: str) -> dict[str, int]:
    """Sizes written as "t=6 h=3". Raises BadNotation, whose `at` is the place in this text."""
    found: dict[str, int] = {}
    for match in re.finditer(r"[^\s,;]+", text):
        one = re.fullmatch(r"([A-Za-zα-ω]'*)=(\d{1,6})", match[0])
        if one is None or not 1 <= int(one[2]) <= LARGEST_SIZE:
            raise BadNotation(
                f"“{match[0][:20]}” gives no size; write an index, “=” and a whole number from 1 to {LARGEST_SIZE:,}, "
                "as t=6.",
                match.span(),
            )
        found[one[1]] = int(one[2])
    return found


def of_sizes(sizes: Mapping[str, int]) -> Table:
    """A table in which every name is a tensor of random numbers with the sizes of its indices."""
    heads, groups, head_dim = (sizes.get("h", 1), sizes.get("g", sizes.get("h", 1)), sizes.get("d", sizes.get("k", 1)))

    def norm(x: Tensor) -> Tensor:
        return torch.nn.functional.layer_norm(x, x.shape[-1:])

    functions: dict[str, Callable[[Tensor], Tensor]] = {"sigma": torch.nn.functional.gelu, "LN1": norm, "LN2": norm}
    of = torch.arange(heads) * groups // heads
    return Table({}, functions, head_dim, head_dim**-0.5, True, of, sizes=dict(sizes))
