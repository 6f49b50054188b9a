"""Flow to a prediction: which share of it comes along which head, MLP and token, followed backwards from a word's
logit.

The logit is a sum of what the pinned token's own embedding, every head from every source and every MLP add to it (the
final norm's scale held fixed); each gets a flow in proportion to the size of its part. What a part was made of is
followed further down by ALTI's measure (Ferrando et al. 2022; the LLM Transparency Tool's): a vector y = sum of parts
gets from the part c the share max(0, |y|_1 - |y - c|_1), all shares of one y scaled to sum to 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from tlmviz import kernels
from tlmviz.errors import BadShape
from tlmviz.protocols import LanguageModelLike
from tlmviz.tracing.trace import Trace

from .attribution import attribute_logit, frozen_direction, read_taps

LEAST = 3e-5  # of all flow: parts that cannot carry as much are left out, and the others of their sum share it
LONGEST = 256  # tokens: the maps of all heads are held at once
AT_ONCE = 1 << 22  # numbers of the vectors that are compared at once


@dataclass(frozen=True)
class Edges:
    """What single heads carry from a key's token to a query's, E edges, the largest flow first."""

    where: Int[Tensor, "e four"]  # layer, head, query, key
    flow: Float[Tensor, " e"]  # share of the prediction
    adds: Float[Tensor, " e"]  # to the logit, directly: 0 where the query is not the token that predicts


@dataclass(frozen=True)
class Flow:
    """Everything that flows to the logit of one token after one position; all flows are shares of the prediction.

    At every depth the flow through all positions, `nodes[l]`, and what stopped above it (`biases[l:]` and `rest`) sum
    to 1.
    """

    position: int
    token: int
    logit: float
    edges: Edges
    nodes: Float[Tensor, "depths t"]  # the stream in front of each layer, and behind the last
    stays: Float[Tensor, "l t"]  # what the residual connection carries past a layer's attention
    mlps: Float[Tensor, "l t"]
    mlp_adds: Float[Tensor, " l"]  # to the logit, directly
    biases: Float[Tensor, " l"]  # of the output projections: flow that comes from no token
    rest: float  # the same after the last layer, with what a bound on logits takes off


def why_not(lm: LanguageModelLike, tokens: int) -> str:
    """Why no flow can be followed in this model or over so many tokens, in a sentence; empty where it can."""
    config = lm.config
    if config.attention.latent_dim is not None:
        return "Flow is not followed through MLA, whose values are made from a latent; choose a model with MHA or GQA."
    if config.connection.kind != "residual":
        return "Flow is not followed through several residual streams; choose a model with a plain residual connection."
    if config.norm.placement != "pre" or not config.norm.final:
        return (
            "Flow is followed where the stream is the sum of what one sublayer after the other adds, and this model "
            "has norms behind its sublayers or sublayers side by side; choose a model with pre-norm blocks."
        )
    if tokens > LONGEST:
        return f"Flow is followed through texts of up to {LONGEST} tokens, and this one has {tokens}: shorten it."
    return ""


def follow(lm: LanguageModelLike, trace: Trace, position: int, token: int) -> Flow:
    """The flow to one token's logit after one position. Raises BadShape where `why_not` says why."""
    if reason := why_not(lm, len(trace)):
        raise BadShape(reason)
    position = range(len(trace))[position]
    layers, count = trace.n_layers, len(trace)
    names = ("resid_pre", "resid_mid", "resid_post", "mlp.out")
    own = [f"blocks.{layer}.{name}" for layer in range(layers) for name in names]
    found = trace.tensors([*own, *read_taps(layers)])  # what attribution reads too: one further pass for both
    parts, network = attribute_logit(lm, trace, position, token), lm.on_cpu.network
    with torch.inference_mode():
        maps = list(layer_maps(trace))
        said = [said_values(lm, trace, layer) for layer in range(layers)]
        last = found[f"blocks.{layers - 1}.resid_post"][0, position]
        direction = frozen_direction(network, lm.config.norm.kind, last, token)
        adds = torch.stack([p[:, position] * (u @ direction) for p, u in zip(maps, said, strict=True)])  # [L, H, S]
        size = float(adds.abs().sum() + parts.mlps.abs().sum()) + abs(parts.embedding) + abs(parts.rest)
        read, mlp_read = adds.abs() / size, parts.mlps.abs() / size
        # [L + 1]: what was added before a depth and is read at the end.
        below = abs(parts.embedding) / size + torch.cat((torch.zeros(1), (read.sum((1, 2)) + mlp_read).cumsum(0)))
        here = torch.nn.functional.one_hot(torch.tensor(position), count).float()
        nodes, stays, mlps = (torch.zeros(layers + 1, count), torch.zeros(layers, count), torch.zeros(layers, count))
        biases, edges, flow = torch.zeros(layers), [], torch.zeros(count)
        nodes[layers] = here * below[layers]
        for layer in reversed(range(layers)):
            before, middle, after, fed = (found[f"blocks.{layer}.{name}"][0] for name in names)
            through = proximity(after, torch.stack((middle, fed)))  # [2, T]
            mlps[layer] = flow * through[1] + here * mlp_read[layer]
            flow = flow + here * mlp_read[layer]
            step = _through_attention(
                network.blocks[layer].attn.proj.bias, before, middle, maps[layer], said[layer], flow
            )
            carried = step.carried
            carried[:, position] += read[layer]
            stays[layer], biases[layer] = step.stays + here * below[layer], step.bias
            edges.append(_edges_of(layer, carried, adds[layer], position))
            flow = step.stays + carried.sum((0, 1))
            nodes[layer] = flow + here * below[layer]
    return Flow(
        position, token, parts.logit, _joined(edges), nodes, stays, mlps, parts.mlps, biases, abs(parts.rest) / size
    )


def layer_maps(trace: Trace) -> Iterator[Float[Tensor, "h t s"]]:
    """Every layer's maps, one layer after the other."""
    for q, k, lse, spec in trace.batches():
        yield from kernels.attention_map(q, k, lse, spec.mask, scale=spec.scale)


def said_values(lm: LanguageModelLike, trace: Trace, layer: int) -> Float[Tensor, "h s c"]:
    """What each head would add to the stream from each source at weight 1: its slice of the output projection times
    v."""
    v = trace[f"blocks.{layer}.attn.v"][0].float()  # [G, S, E]
    v = v.repeat_interleave(trace.n_heads // v.shape[0], 0)  # [H, S, E]
    weight = lm.on_cpu.network.blocks[layer].attn.proj.weight.unflatten(1, (v.shape[0], -1))  # [C, H, E]
    return torch.einsum("hse,che->hsc", v, weight)


def proximity(whole: Float[Tensor, "t c"], parts: Float[Tensor, "p t c"]) -> Float[Tensor, "p t"]:
    """ALTI's shares of parts in their sum: max(0, |y|_1 - |y - c|_1), scaled to sum to 1; the first gets all where all
    are 0."""
    near = (whole.abs().sum(-1) - (whole - parts).abs().sum(-1)).clamp(min=0)
    total = near.sum(0)
    near[0] += total == 0
    return near / near.sum(0)


def stream_error(lm: LanguageModelLike, trace: Trace, position: int = -1) -> float:
    """How far each layer's stream at a position is from the sum of its parts: stream before, every head from every
    source, bias, MLP. The largest difference as a share of the largest number."""
    errors, layers = [], trace.n_layers
    names = ("resid_pre", "resid_post", "mlp.out")
    found = trace.tensors([f"blocks.{layer}.{name}" for layer in range(layers) for name in names])
    with torch.inference_mode():
        for layer, weights in enumerate(layer_maps(trace)):
            before, after, fed = (found[f"blocks.{layer}.{name}"][0, position] for name in names)
            bias = lm.on_cpu.network.blocks[layer].attn.proj.bias
            heads = torch.einsum("hs,hsc->c", weights[:, position], said_values(lm, trace, layer))
            made = before + heads + fed + (0 if bias is None else bias)
            errors.append((made - after).abs().max() / after.abs().max().clamp(min=1e-30))
    return float(torch.stack(errors).max())


# --- parts ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Step:
    """Where the flow into the stream behind an attention sublayer comes from: [H, T, S] heads, [T] stream, and the
    bias."""

    carried: Tensor
    stays: Tensor
    bias: float


def _through_attention(
    bias: Tensor | None, before: Tensor, after: Tensor, maps: Tensor, said: Tensor, flow: Tensor
) -> _Step:
    """Splits `flow` [T] into the stream `after` [T, C] among what it is the sum of.

    A part's share is at most |c|_1 / |y|_1, as |y - c| is at least |y| - |c|: those that cannot carry LEAST need no
    look.
    """
    length = after.abs().sum(-1)  # [T]
    sizes = maps * said.abs().sum(-1)[:, None]  # [H, T, S]
    heads, queries, keys = ((sizes * (flow / length)[:, None]) > LEAST).nonzero(as_tuple=True)
    near = torch.zeros_like(maps)
    step = max(1, AT_ONCE // after.shape[-1])
    for h, t, s in zip(heads.split(step), queries.split(step), keys.split(step)):
        rest = torch.addcmul(after[t], maps[h, t, s][:, None], said[h, s], value=-1)
        near[h, t, s] = (length[t] - rest.abs_().sum(-1)).clamp(min=0)
    stays = (length - (after - before).abs().sum(-1)).clamp(min=0)
    fixed = torch.zeros_like(stays) if bias is None else (length - (after - bias).abs().sum(-1)).clamp(min=0)
    total = near.sum((0, 2)) + stays + fixed
    stays = stays + (total == 0)
    share = flow / total.where(total > 0, 1.0)
    return _Step(near * share[:, None], stays * share, float((fixed * share).sum()))


def _edges_of(layer: int, carried: Tensor, adds: Tensor, position: int) -> tuple[Tensor, Tensor, Tensor]:
    """One layer's edges of at least LEAST: where, flow, and what they add to the logit."""
    heads, queries, keys = (carried >= LEAST).nonzero(as_tuple=True)
    where = torch.stack((torch.full_like(heads, layer), heads, queries, keys), 1)
    return where, carried[heads, queries, keys], adds[heads, keys] * (queries == position)


def _joined(edges: list[tuple[Tensor, Tensor, Tensor]]) -> Edges:
    where, flow, adds = (torch.cat(part) for part in zip(*edges))
    order = flow.argsort(descending=True)
    return Edges(where[order], flow[order], adds[order])
