"""Faults of ports: a model's weights read by a plain implementation, which dumps its queries, keys, values and logits.

Each fault is one that people report of ports to other frameworks. What a port dumps is what it computed with, scale and
mask too. Written without a look at the rules that name them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

import tlmviz
from tlmviz.config import ModelConfig
from tlmviz.kernels import AttentionMask
from tlmviz.networks.transformer import TransformerLM

TEXTS = ("Tom saw a big dog. Anna had a red ball, and ", "the dog wanted the ball. They ran home. ")


@dataclass(frozen=True)
class Port:
    """What a port makes of each choice that it has; the defaults do as the model does."""

    base: float | None = None  # of RoPE
    half: bool | None = None  # RoPE's layout
    turned: int | None = None  # dimensions of a head that turn
    sharpened: bool = True  # YaRN's factor of queries and keys
    first: int = 0  # number of the first position
    normed: str = "before"  # queries and keys: "before" they turn, "behind" it, "never"
    biases: bool = True  # of W_Q, W_K and W_V
    tiled: str = ""  # "kv": query head h reads group h mod G and not h // (H / G); of these parts
    slopes: Callable[[int], Tensor] | None = None  # ALiBi's, of so many heads
    wider: int = 0  # keys that the window has more
    scaled: Callable[[int], float] = lambda d: d**-0.5
    capped: bool = True  # scores, where the model's are
    order: Callable[[int], list[int]] | None = None  # of heads in front of W_O
    bounded: bool = True  # logits, where the model's are

    def run(self, lm: Any, text: str) -> tlmviz.Trace:
        """The port's own pass over a text, as a trace of what it dumps."""
        weights, config, ids = lm.network.state_dict(), lm.config, lm.encode(text)

        def norm(x: Tensor, name: str) -> Tensor:
            return F.rms_norm(x, x.shape[-1:], weights[f"{name}.weight"], config.norm.eps)

        x, dumps = weights["token_emb.weight"][ids] * config.embedding_scale, []
        for layer in range(config.n_layers):
            part = f"blocks.{layer}"
            joined, *dump = self.attend(lm, weights, norm(x, f"{part}.norm1"), f"{part}.attn", layer)
            dumps.append(dump)
            x = x + joined @ weights[f"{part}.attn.proj.weight"].T
            gate, up = (norm(x, f"{part}.norm2") @ weights[f"{part}.mlp.gate_up.weight"].T).chunk(2, -1)
            x = x + (F.silu(gate) * up) @ weights[f"{part}.mlp.down.weight"].T
        logits = norm(x, "norm") @ weights.get("head.weight", weights["token_emb.weight"]).T
        if config.logit_softcap and self.bounded:
            logits = config.logit_softcap * (logits / config.logit_softcap).tanh()
        q, k, v, masks, scales = (list(each) for each in zip(*dumps))
        tokens = [lm.tokenizer.decode([i]) for i in ids]
        return tlmviz.Trace.from_arrays(q, k, tokens, v=v, mask=masks, scale=scales, ids=ids, logits=logits)

    def attend(self, lm: Any, weights: dict, x: Tensor, part: str, layer: int) -> tuple:
        """Heads side by side [T, H D], and what is dumped: q [H, T, D], k and v [G, T, D], mask and scale."""
        config, (heads, groups, d) = lm.config, (lm.config.n_heads, lm.config.n_kv_heads, lm.config.head_dim)
        made = x @ weights[f"{part}.qkv.weight"].T
        if self.biases and f"{part}.qkv.bias" in weights:
            made = made + weights[f"{part}.qkv.bias"]
        q, k, v = made.unflatten(-1, (-1, d)).transpose(0, 1).split((heads, groups, groups))
        norms = [weights.get(f"{part}.qk_norm.{name}.weight") for name in "qk"]

        def normed(*parts: Tensor) -> list[Tensor]:
            pairs = zip(parts, norms)
            return [y if gain is None else F.rms_norm(y, (d,), gain, config.norm.eps) for y, gain in pairs]

        q, k = normed(q, k) if self.normed == "before" else (q, k)
        if config.positions.kind == "rope":
            q, k = (self.turn(lm, y) for y in (q, k))
        q, k = normed(q, k) if self.normed == "behind" else (q, k)
        if self.tiled:
            k, v = (
                y.repeat(heads // groups, 1, 1) if name in self.tiled else y.repeat_interleave(heads // groups, 0)
                for name, y in (("k", k), ("v", v))
            )
        mask, scale = self.mask(lm, layer), self.scaled(d)
        z = self.weights(q, k, mask, scale) @ v.repeat_interleave(heads // len(v), 0)
        z = z if self.order is None else z[self.order(heads)]
        return z.transpose(0, 1).flatten(1), q, k, v, mask, scale

    def turn(self, lm: Any, x: Tensor) -> Tensor:
        """RoPE of [H, T, D]."""
        positions = lm.config.positions
        planes = (self.turned or positions.rotary_dim or lm.config.head_dim) // 2
        slopes = (self.base or positions.rope_base) ** (-torch.arange(planes).double() / planes)
        factor = 1.0
        if positions.scaling == "yarn":
            slopes = lm.network.positions.frequencies(x.shape[1])
            factor = 0.1 * math.log(positions.factor) + 1 if self.sharpened else 1.0
        angles = (torch.arange(x.shape[1]) + self.first)[:, None] * slopes
        cos, sin = (factor * angles.cos()).float(), (factor * angles.sin()).float()
        x, rest = x[..., : 2 * planes], x[..., 2 * planes :]
        half = positions.layout == "half" if self.half is None else self.half
        a, b = x.chunk(2, -1) if half else (x[..., 0::2], x[..., 1::2])
        a, b = a * cos - b * sin, a * sin + b * cos
        return torch.cat((torch.cat((a, b), -1) if half else torch.stack((a, b), -1).flatten(-2), rest), -1)

    def mask(self, lm: Any, layer: int) -> AttentionMask:
        """What a layer of the port adds to its scores, and hides."""
        own = lm.network.specs()[layer].mask
        slopes = own.slopes if own.slopes is None or self.slopes is None else self.slopes(lm.config.n_heads)
        window = None if own.window is None else own.window + self.wider
        return AttentionMask(True, window, slopes, softcap=own.softcap if self.capped else None)

    def weights(self, q: Tensor, k: Tensor, mask: AttentionMask, scale: float) -> Tensor:
        """Attention weights [H, T, T], written plainly."""
        scores = q @ k.repeat_interleave(len(q) // len(k), 0).transpose(1, 2) * scale
        if mask.softcap:
            scores = mask.softcap * (scores / mask.softcap).tanh()
        back = torch.arange(q.shape[1])[:, None] - torch.arange(q.shape[1])
        if mask.slopes is not None:
            scores = scores - mask.slopes[:, None, None] * back
        hidden = (back < 0) | (back >= (mask.window or len(back)))
        return scores.masked_fill(hidden, -torch.inf).softmax(-1)


def made(seed: int = 0, **changes: Any) -> tlmviz.LanguageModel:
    """A model of random weights, large enough that every head prefers some tokens."""
    tokenizer = tlmviz.load("stories-rope").tokenizer
    sizes = dict(vocab_size=tokenizer.vocab_size, n_layers=2, d_model=32, n_heads=4, n_kv_heads=2, d_ff=48, context=160)
    network, draw = (TransformerLM(ModelConfig.of("made", **{**sizes, **changes})), torch.Generator().manual_seed(seed))
    for weight in network.parameters():
        drawn = 0.25 * torch.randn(weight.shape, generator=draw)
        weight.data = drawn + 1 if weight.ndim == 1 else drawn
    return tlmviz.LanguageModel(network.eval().requires_grad_(False), tokenizer)


QWEN: dict[str, Any] = dict(qk_norm="head", positions={"layout": "half"})
BIASED: dict[str, Any] = dict(attention={"q_bias": True, "k_bias": True, "v_bias": True})
YARN: dict[str, Any] = dict(positions={"scaling": "yarn", "factor": 4.0, "trained_context": 40})
GEMMA: dict[str, Any] = dict(softcap=2.0, logit_softcap=8.0, window=24)
LOCAL: dict[str, Any] = dict(positions={"rope_base": 5e5}, n_kv_heads=4)


@dataclass(frozen=True)
class Ported:
    """A port with one fault, the models that have what it gets wrong, and the truth: a cause and its number."""

    port: Port
    models: tuple[str | tuple[tuple[str, Any], ...], ...]
    truth: str
    value: float | None = None
    model_settings: dict[str, Any] = field(default_factory=dict)

    def load(self) -> list[tlmviz.LanguageModel]:
        """The models."""
        return [*map(tlmviz.load, self.models), *([made(**self.model_settings)] if self.model_settings else [])]


def reversed_slopes(heads: int) -> Tensor:
    """The first is 1 and not the ratio of one to the next."""
    return 2.0 ** (-8 * torch.arange(heads) / heads)


PORTED: dict[str, Ported] = {
    "RoPE's base left at 10,000": Ported(Port(base=1e4), (), "rope base", 1e4, LOCAL),
    "RoPE's halves turned where pairs should": Ported(Port(half=True), ("stories-rope", "zoo-gqa"), "rope layout"),
    "whole heads turned where a part should": Ported(Port(turned=8), (), "rotary dim", 8.0, dict(rotary_dim=4)),
    "YaRN's attention factor missing": Ported(Port(sharpened=False), (), "rope factor", None, YARN),
    "positions from 1": Ported(Port(first=1), ("stories-rope", "zoo-gqa"), "position offset", 1.0),
    "queries and keys normed behind RoPE": Ported(Port(normed="behind"), (), "qk-norm", None, QWEN),
    "queries and keys not normed": Ported(Port(normed="never"), (), "qk-norm", None, QWEN),
    "biases of queries, keys and values dropped": Ported(Port(biases=False), (), "bias", None, BIASED),
    "keys and values of groups tiled": Ported(Port(tiled="kv"), ("zoo-gqa",), "key/value groups"),
    "values of groups tiled": Ported(Port(tiled="v"), ("zoo-gqa",), "value heads"),
    "ALiBi's slopes begin at 1": Ported(Port(slopes=reversed_slopes), ("zoo-alibi",), "alibi slopes"),
    "window one wider": Ported(Port(wider=1), (), "window", 13.0, dict(window=12)),
    "scale by D": Ported(Port(scaled=lambda d: 1 / d), ("stories-rope", "zoo-gqa"), "scale"),
    "soft-cap of scores missing": Ported(Port(capped=False), (), "soft-cap", None, GEMMA),
    "soft-cap of logits missing": Ported(Port(bounded=False), (), "logit soft-cap", None, GEMMA),
    "heads in reverse order in front of W_O": Ported(
        Port(order=lambda heads: list(range(heads))[::-1]), ("stories-rope", "zoo-gqa"), "head order"
    ),
}
