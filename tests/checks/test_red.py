"""Each identity turns red when what it guards is broken: one breaking for every identity."""

import dataclasses
from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy import sparse
from torch import nn

import tlmviz
from tests import tiny
from tlmviz import checks, kernels
from tlmviz.analysis.caches import weight_absorption
from tlmviz.analysis.caches.projections import Heads
from tlmviz.analysis.cost import feedforward, layer, layer_run, parameters, pipeline
from tlmviz.analysis.experts import edits as expert_edits
from tlmviz.analysis.kernels import tiling
from tlmviz.analysis.notation import model_products, rank_one, tensors
from tlmviz.analysis.numbers import (
    dropout,
    logits,
    loss_scaling,
    master_weights,
    model_values,
    norm_depth,
    norm_pictures,
    norms,
)
from tlmviz.analysis.numbers import formats as number_formats
from tlmviz.analysis.numbers import scaling as scales
from tlmviz.analysis.positions.rope_runs import HalfSplit
from tlmviz.analysis.words import glove, gradients, one_step, projection, shares
from tlmviz.analysis.words import pairs as windows
from tlmviz.analysis.workbench import patching, sources
from tlmviz.analysis.workbench.comparing import Comparison
from tlmviz.caches import ContiguousCache, LatentCache, Sequence
from tlmviz.checks import kernels as kernel_checks
from tlmviz.checks import kernels_index, notation_block, notation_collapse, translation
from tlmviz.checks import words as checks_words
from tlmviz.decoding import beam, penalties, speculative
from tlmviz.facades.hull import HullFinder
from tlmviz.facades.latents import DigitReader
from tlmviz.facades.mixture import MixtureModel
from tlmviz.facades.scenes.models import PictureReader
from tlmviz.kernels import AttentionMask
from tlmviz.layers import scaling
from tlmviz.layers.attention import CrossAttention
from tlmviz.layers.positions import RoPE
from tlmviz.layers.streams import ManifoldHyperConnection
from tlmviz.networks.encoder import TransformerEncoder
from tlmviz.networks.latents import LatentReader
from tlmviz.networks.mtp import MTPNetwork
from tlmviz.networks.pointer import PointerNetwork
from tlmviz.tracing.trace import Recording, Trace

SENTENCE = "Lily had a red ball."  # its translation by the small models has many tokens
TEXTS = {
    "hull": HullFinder.default_text,
    "digits": DigitReader.default_text,
    **dict.fromkeys(("scenes", "scenes-turned"), PictureReader.default_text),
}
BREAKINGS = {}  # identity -> (model, the function that breaks it)


def breaks(name, model="rope"):
    """Registers how an identity is broken: a function of (monkeypatch, model, inputs) that returns other inputs, or
    None."""

    def register(breaking):
        assert name not in BREAKINGS
        BREAKINGS[name] = model, breaking
        return breaking

    return register


def patched(owner, attribute, wrong):
    """A breaking that replaces a function: `wrong(honest, *args, **options)` is called in its place."""

    def breaking(patch, model, inputs):
        honest = getattr(owner, attribute)
        patch.setattr(owner, attribute, lambda *args, **options: wrong(honest, *args, **options))

    return breaking


def scaled(owner, attribute, factor=1.01):
    """A breaking that multiplies a function's result."""
    return patched(owner, attribute, lambda honest, *args, **options: factor * honest(*args, **options))


def edited(suffix, change):
    """A breaking that measures another trace, in which all tensors of this tap were changed on the way."""

    def breaking(patch, lm, inputs):
        names = [name for name in lm.network.tap_names() if name.endswith(suffix)]
        return lm, lm.trace(tiny.TEXT, edit=dict.fromkeys(names, lambda value, record: change(value)))

    return breaking


def other(**changes):
    """A breaking that changes fields of the last of the inputs, a dataclass."""
    return lambda patch, model, inputs: (
        *inputs[:-1],
        replace(inputs[-1], **{name: change(getattr(inputs[-1], name)) for name, change in changes.items()}),
    )


def plus(position, amount=0.01):
    """A breaking that adds to one of the inputs."""
    return lambda patch, model, inputs: (*inputs[:position], inputs[position] + amount, *inputs[position + 1 :])


def heavier(x):
    return x * np.float32(1.01)


def masked(args, options, change):
    """The arguments of an attention kernel with a changed mask, whether it is given whole or by its fields."""
    if any(isinstance(part, AttentionMask) for part in args):
        return [change(part) if isinstance(part, AttentionMask) else part for part in args], options
    fields = {field.name for field in dataclasses.fields(AttentionMask)} & options.keys()
    mask = change(AttentionMask(**{name: options[name] for name in fields}))
    return [*args, mask], {name: value for name, value in options.items() if name not in fields}


def attention(change):
    """A breaking that calls the attention kernel with another mask."""

    def wrong(honest, *args, **options):
        args, options = masked(args, options, change)
        return honest(*args, **options)

    return patched(kernels, "attention", wrong)


def wider(mask):
    return replace(mask, window=mask.window + 1) if mask.window else mask


def table(change):
    """A breaking of the block table and the lengths that decoding reads."""

    def wrong(honest, q, k, v, mask, *, table=None, **options):
        if table is not None:
            table, lengths = change(table, mask.lengths)
            mask = replace(mask, lengths=lengths)
        return honest(q, k, v, mask, table=table, **options)

    return patched(kernels, "decode_attention", wrong)


def logits_of_heads(change):
    return patched(Heads, "logits", lambda honest, *args, **options: change(honest(*args, **options)))


# attention
breaks("Rows sum to 1")(edited("attn.lse", lambda lse: lse + 0.01))
breaks("Roles share everything")(edited("attn.lse", lambda lse: lse + 0.01))
breaks("No look ahead")(attention(lambda mask: replace(mask, causal=False)))
breaks("Map = softmax")(edited("attn.lse", lambda lse: lse + 0.01))
breaks("Taps are neutral")(
    patched(Recording, "visit", lambda honest, record, name, value: honest(record, name, value) * (1 + 1e-6))
)


@breaks("Cache = full pass")
def a_cache_that_drops_a_position(patch, lm, inputs):
    class Forgetful(ContiguousCache):
        def append(self, layer, k, v):
            k, v = super().append(layer, k, v)
            return (k, v) if k.shape[2] == self.length else (k[:, :, 1:], v[:, :, 1:])

    lm.new_cache = lambda rotated=True: Forgetful(lm.config.n_layers)


@breaks("Parameter formula")
def parameters_nobody_counted(patch, lm, inputs):
    del lm.n_parameters  # counted once
    lm.network.extra = nn.Parameter(torch.zeros(3), requires_grad=False)


breaks("Shares sum to the logit")(lambda patch, lm, inputs: (inputs[0][1:], inputs[1]))
breaks("Heads and MLPs sum to the logit")(lambda patch, lm, inputs: (replace(inputs[0], heads=inputs[0].heads * 1.05),))
breaks("Parts asked alone")(
    patched(
        Trace,
        "answers_to",
        lambda honest, trace, given: {tap: 1.001 * answer for tap, answer in honest(trace, given).items()},
    )
)
breaks("This cell")(lambda patch, lm, inputs: tuple(replace(cell, total=cell.total + 0.01) for cell in inputs))
breaks("All cells")(lambda patch, lm, inputs: tuple(replace(part, right=part.right * 1.001) for part in inputs))
breaks("Heads sum to the output", "transformer")(
    lambda patch, mt, inputs: (*inputs[:-1], replace(inputs[-1], weight=inputs[-1].weight.roll(1, 0)))
)

# caches
breaks("Every cache = full pass")(
    patched(
        ContiguousCache,
        "attend",
        lambda honest, cache, layer, q, k, v, *rest: honest(cache, layer, q, k, 1.001 * v, *rest),
    )
)
breaks("Own cache = full")(
    patched(ContiguousCache, "append", lambda honest, cache, layer, k, v: honest(cache, layer, k, v * 1.01))
)
breaks("Steps = one pass")(
    lambda patch, lm, inputs: (lm, replace(inputs[1], weights=np.roll(inputs[1].weights, 1, 1)), 0, 0)
)
breaks("Same logits")(lambda patch, lm, inputs: (lm, replace(inputs[1], logits=inputs[1].logits + 0.01), 0, 0))
breaks("Bytes = formula")(
    lambda patch, lm, inputs: (lm, replace(inputs[1], occupied_bytes=inputs[1].occupied_bytes + 4), 0, 0)
)
breaks("Formula = nbytes")(
    lambda patch, lm, inputs: patch.setattr(
        ContiguousCache, "nbytes", property(lambda cache: sum(part.nbytes for part in cache._buffers[0] or ()))
    )
)


@breaks("New rows sum to 1")
def a_step_whose_row_lacks_a_key(patch, lm, inputs):
    weights = inputs[1].weights.copy()
    weights[-1, 0] = 0
    return lm, replace(inputs[1], weights=weights), 0, 0


@breaks("Sharing = repeating")
def query_heads_that_read_the_next_group(patch, lm, inputs):
    def wrong(honest, q, k, v, *mask, **o):
        return (
            honest(q, k.roll(1, 1), v.roll(1, 1), *mask, **o)
            if 1 < k.shape[1] < q.shape[1]
            else honest(q, k, v, *mask, **o)
        )

    patched(kernels, "attention", wrong)(patch, lm, inputs)


@breaks("G = H is MHA, G = 1 MQA")
def heads_that_all_read_the_first_group(patch, lm, inputs):
    def wrong(honest, q, k, v, *mask, **o):
        return (
            honest(q, k[:, :1], v[:, :1], *mask, **o) if k.shape[1] == q.shape[1] > 1 else honest(q, k, v, *mask, **o)
        )

    patched(kernels, "attention", wrong)(patch, lm, inputs)


apart = logits_of_heads(lambda logits: logits + torch.arange(len(logits))[:, None, None])
alike = logits_of_heads(lambda logits: logits[:1].expand_as(logits))
breaks("One M, one map")(apart)
breaks("RoPE: equal at t = s")(apart)
breaks("ALiBi breaks it")(alike)
breaks("RoPE breaks it")(alike)
breaks("Norm breaks it")(alike)
breaks("Without softmax, one head")(apart)
breaks("Softmax breaks it")(
    patched(
        notation_collapse.lemma,
        "weights",
        lambda honest, logits: torch.cat((honest(logits[:-1]), honest(logits[:-1]).mean(0, keepdim=True))),
    )
)
breaks("Collapsed = one head")(patched(Heads, "like", lambda honest, heads, head: heads))
breaks("Absorbed = naive", "latent")(scaled(weight_absorption, "absorbed"))
breaks("All patched = clean")(patched(patching, "_heads_sum", lambda honest, *args: 1.01 * honest(*args)))
breaks("None patched = corrupted")(
    patched(patching, "run_from", lambda honest, lm, trace, layer: 1.001 * honest(lm, trace, layer))
)
breaks("Heads add up")(
    patched(patching, "_heads_sum", lambda honest, lm, task, kind, *rest: 1.01 * honest(lm, task, kind, *rest))
)
breaks("Same before the change")(
    patched(Comparison, "weights", lambda honest, found, *head: (honest(found, *head)[0], honest(found, *head)[1].T))
)
breaks("Survey = a pass now")(  # a survey of other weights
    lambda patch, lm, inputs: (inputs[0], [(*which, 1.01 * value) for *which, value in inputs[1]])
)
breaks("Sources add up")(patched(sources, "linear", lambda honest, parts, layer: 1.001 * honest(parts, layer)))
breaks("Cache = c_KV and k^R", "latent")(
    lambda patch, lm, inputs: patch.setattr(LatentCache, "nbytes", property(lambda cache: 4))
)
breaks("Paged = contiguous")(table(lambda rows, lengths: (rows, lengths - 1)))
breaks("No leak in the batch")(table(lambda rows, lengths: (rows.flip(0), lengths)))
breaks("Batch = alone")(table(lambda rows, lengths: (rows, lengths.clamp(max=int(lengths.min())))))
breaks("Shared = fresh")(patched(Sequence, "_writes_to_shared", lambda honest, sequence, count: []))
breaks("Same texts as alone")(
    lambda patch, lm, inputs: (lm, (replace(inputs[1][0], texts=inputs[1][0].texts[::-1]), inputs[1][1]))
)

# kernels
breaks("Window = slicing")(attention(wider))
breaks("Mask = kernel")(attention(wider))
breaks("No leak between requests")(attention(lambda mask: replace(mask, segments=None)))
breaks("Pooled = pooling")(scaled(kernels, "pooled_attention_map"))
breaks("Recurrent = parallel")(scaled(kernel_checks, "recurrent"))
breaks("(Uq)·(Uk) = q·k", "indexed")(scaled(kernels_index, "orthogonal"))
fewer = patched(kernels_index, "sparse_attention", lambda honest, lm, k, how, indexers: honest(lm, 1, how, indexers))
breaks("Top-T = dense", "indexed")(fewer)
breaks("Loss at k = T", "indexed")(fewer)
breaks("Tiled = full")(lambda patch, lm, inputs: (inputs[0], inputs[1], inputs[2] * 1.001))
breaks("Any order of tiles")(
    patched(tiling, "walk", lambda honest, *args, **o: replace(honest(*args, **o), out=honest(*args).out * 1.001))
)


def walk(at, **changes):
    """A breaking that changes one of the algorithms' results."""

    def breaking(patch, lm, inputs):
        walks = list(inputs[0])
        fields = {name: change(getattr(walks[at], name)) for name, change in changes.items()}
        walks[at] = replace(walks[at], **fields)
        return (tuple(walks),)

    return breaking


breaks("Online = softmax")(walk(2, error=lambda error: error + 0.01))
breaks("One pass = softmax · V")(walk(4, error=lambda error: error * np.nan))
breaks("Naive = online here")(walk(0, out=heavier))

# positions
breaks("Distance alone")(
    patched(kernels, "rope", lambda honest, x, where, *args, **o: honest(x, where + where // 10, *args, **o))
)
breaks("Norms stay")(scaled(kernels, "rope"))
breaks("Layouts = order")(patched(checks.positions, "half_order", lambda honest, dim: torch.arange(dim)))
breaks("This pair")(plus(1))
breaks("Steps = kernel")(scaled(kernels, "rope"))
breaks("s = 1: unchanged")(scaled(scaling.Interpolated, "frequencies", 1.001))
breaks("PI = θ(t/s)")(scaled(scaling.Interpolated, "frequencies", 1.001))
breaks("Ends of the spectrum")(scaled(scaling.YaRN, "frequencies", 1.001))
breaks("Distance alone, scaled")(
    patched(scaling.ScaledRoPE, "cos_sin", lambda honest, scheme, where: honest(scheme, where + where // 10))
)
breaks("Turned again = recomputed")(
    lambda patch, lm, inputs: setattr(lm, "new_cache", lambda rotated=True: ContiguousCache(lm.config.n_layers))
)
breaks("Shift")(
    patched(
        RoPE, "rotate", lambda honest, positions, x, table: honest(positions, x, table) * (1 + 0.1 * table[1].mean())
    )
)


@breaks("Planes = score")
def a_model_that_turns_by_another_base(patch, lm, inputs):
    lm.network.positions = RoPE(8, 500.0)
    return lm, lm.trace(tiny.TEXT)


@breaks("Reordered = right")
def rows_that_are_not_reordered(patch, lm, inputs):
    return inputs[0], lm.trace(tiny.TEXT, positions=HalfSplit(lm.config.head_dim))


@breaks("Unrotated cache = full pass")
def keys_that_are_read_unturned(patch, lm, inputs):
    def wrong(honest, positions, x, angles):
        turned = honest(positions, x, angles)
        return torch.where(torch.arange(x.shape[2])[:, None] < 8, turned, x) if x.shape[2] != 1 else turned

    patched(RoPE, "rotate", wrong)(patch, lm, inputs)


# streams
breaks("Columns sum to 1", "manifold")(edited(".res", lambda res: 1.002 * res))
breaks("Product stays", "converged")(edited(".res", lambda res: 1.002 * res))
breaks("Spectral norm 1", "converged")(edited(".res", lambda res: 1.002 * res))
breaks("Mean carried on", "manifold")(edited(".res", lambda res: 1.002 * res))
breaks("Nothing negative", "manifold")(edited(".pre", lambda pre: pre - 2))
breaks("More is closer", "manifold")(patched(kernels, "sinkhorn_iterates", lambda honest, *args: honest(*args).flip(0)))
breaks("Gradient = differences", "manifold")(
    patched(kernels, "sinkhorn", lambda honest, x, n: honest(x, n).detach() + 0 * x + (x - x.detach()))
)
breaks("Stream = its parts")(edited("blocks.1.attn.z", lambda value: 1.1 * value))
breaks("Unrolled sum", "hyper")(edited("blocks.1.resid_mid", lambda value: 1.1 * value))
breaks("mHC, n = 1 = residual")(
    patched(ManifoldHyperConnection, "matrices", lambda honest, layer, x: [1.1 * part for part in honest(layer, x)])
)
breaks("No entry below 0", "manifold")(patched(kernels, "sinkhorn", lambda honest, *args: honest(*args) - 0.5))
breaks("Columns end exact", "manifold")(scaled(kernels, "sinkhorn", 1 + 1e-9))


@breaks("Rows reach 1", "converged")
def as_few_iterations_leave_them(patch, lm, inputs):
    """Columns exact and nothing negative: logits that need more iterations."""
    hasty = tiny.language_model(lm.tokenizer, **tiny.VARIANTS["manifold"], sinkhorn=1)
    return hasty, hasty.trace(tiny.TEXT)


# translation
def attended(patch, mt, inputs):
    best = inputs[1].best
    return mt, replace(inputs[1], best=replace(best, attention=heavier(best.attention)))


breaks("Written rows sum to 1", "dot")(attended)
breaks("Score = read again", "dot")(attended)
breaks("Reordering is neutral", "transformer")(
    patched(ContiguousCache, "reorder", lambda honest, cache, rows: honest(cache, rows * 0))
)
breaks("Width 1 = greedy", "dot")(
    patched(translation, "greedy", lambda honest, stepper, length: [*honest(stepper, length)][1:])
)
breaks("Wide = exhaustive", "general")(
    patched(
        beam._Run,
        "_add",
        lambda honest, run, parent, token, logp, *rest: honest(run, parent, token, logp + 0.01, *rest),
    )
)
breaks("Penalties by hand", "transformer")(
    patched(penalties, "length_penalty", lambda honest, count, alpha, kind="gnmt": count**alpha)
)
breaks("Overlap = distance", "transformer")(
    patched(penalties, "coverage_loss", lambda honest, a: np.maximum(a, 0.5 * a.cumsum(0)).sum(1))
)
breaks("Search = one pass", "general")(plus(3))


@breaks("Mask hides the future", "transformer")
def a_decoder_without_its_mask(patch, mt, inputs):
    for block in mt.network.decoder:
        block.attn.causal = False


def maps(**changes):
    """A breaking of the maps that were read."""

    def breaking(patch, mt, inputs):
        fields = {name: change(getattr(inputs[1].maps, name)) for name, change in changes.items()}
        return mt, replace(inputs[1], maps=replace(inputs[1].maps, **fields))

    return breaking


breaks("Three maps sum to 1", "transformer")(maps(cross=heavier))
breaks("Forbidden = 0", "transformer")(maps(decoder=lambda weights: weights + np.float32(1e-7)))
breaks("Writing needs no mask", "transformer")(maps(logp=lambda logp: logp + np.float32(0.01)))


@breaks("K, V = source alone", "transformer")
def keys_of_a_memory_that_was_not_emptied(patch, mt, inputs):
    calls = []

    def stale(honest, layer, memory):
        calls.append(layer)
        k, v = honest(layer, memory)
        return layer.k(k + len(calls)), v

    patched(CrossAttention, "keys_values", stale)(patch, mt, inputs)


breaks("Steps sum to 1", "additive")(other(a=heavier))
breaks("a = softmax", "coverage")(other(a=heavier))
breaks("Score = formula", "coverage")(other(scores=heavier))
breaks("c = Σ a z", "dot")(other(context=heavier))
breaks("SDPA = seq2seq", "general")(other(h=heavier))
breaks("Written + copied = p", "pointer")(other(copied=heavier))

# words
WordVectors = tlmviz.WordVectors
breaks("Softmax over words = 1", "words-skipgram")(scaled(WordVectors, "probabilities"))
breaks("Tree sums to 1", "words-hierarchical")(scaled(WordVectors, "probabilities"))
breaks("Probability = path product", "words-hierarchical")(
    patched(WordVectors, "probabilities", lambda honest, *args: honest(*args).roll(1))  # and their sum is still 1
)
breaks("Pairs = formula", "words-cbow")(patched(WordVectors, "pairs", lambda honest, *args: honest(*args)[1:]))
breaks("Counts = pairs", "words-negative")(
    patched(windows, "cooccurrence", lambda honest, *args, **o: 2 * honest(*args, **o))
)
breaks("Met from both sides", "words-negative")(
    patched(windows, "cooccurrence", lambda honest, *args, **o: sparse.triu(honest(*args, **o)))
)
breaks("One-hot: all √2 apart", "words-negative")(
    patched(checks_words, "one_hot", lambda honest, size: honest(size) + 0.01 * np.eye(size)[0])
)
breaks("Ratio = difference", "words-glove")(
    patched(glove, "fitted_log_ratios", lambda honest, *args: honest(*args) + 0.01)
)
breaks("f(0) = 0, f ≤ 1", "words-glove")(patched(glove, "weight", lambda honest, *args: honest(*args) + 0.01))
breaks("Gradient = autograd", "words-negative")(
    patched(
        gradients,
        "logistic_gradients",
        lambda honest, *args: (step := honest(*args))._replace(center=-step.center),  # uphill
    )
)


breaks("Shares sum to 1", "words-fasttext")(scaled(shares, "shares"))
breaks("Axes hold their shares", "words-glove")(scaled(projection.Axes, "place"))
breaks("Sum in the plane", "words-negative")(
    patched(
        projection,
        "plane_of",
        lambda honest, *args: (lambda plane: (plane[0][:, ::-1].copy(), plane[1]))(honest(*args)),
    )
)


@breaks("Vector = mean of parts", "words-fasttext")
def a_sum_in_place_of_a_mean(patch, wv, inputs):
    del wv.vectors  # computed once
    patched(gradients, "share", lambda honest, there: there)(patch, wv, inputs)


# words: models that point
breaks("Pointing sums to 1", "hull")(other(attention=heavier))


@breaks("Never back", "hull")
def a_step_that_looks_at_where_it_was(patch, finder, inputs):
    attention = inputs[2].attention.copy()
    attention[-1, inputs[2].order[0]] = 1e-6
    return *inputs[:2], replace(inputs[2], attention=attention)


@breaks("Pointing = one pass", "hull")
def steps_with_other_keys(patch, finder, inputs):
    patched(
        PointerNetwork, "step", lambda honest, network, state: honest(network, replace(state, keys=1.1 * state.keys))
    )(patch, finder, inputs)
    return *inputs[:2], finder.draw(inputs[1])


breaks("Mixture sums to 1", "mixture")(other(mixed=heavier))
breaks("p = g p_vocab + (1 − g) p_ptr", "mixture")(other(gate=lambda gate: gate * np.float32(0.99)))


@breaks("Pointer reads back", "mixture")
def a_pointer_that_sees_what_comes(patch, model, inputs):
    return *inputs[:2], replace(inputs[2], pointer=np.full_like(inputs[2].pointer, 1 / len(inputs[2].pointer)))


breaks("g = 1: p = p_vocab", "mixture")(other(vocabulary=heavier))
breaks("Sentinel moves g", "mixture")(
    patched(MixtureModel, "mixture", lambda honest, model, text, sentinel=0.0: honest(model, text, 1.1 * sentinel))
)


# beyond decoders: latents
breaks("Reading sums to 1", "digits")(other(mixing=heavier))
breaks("Reading = softmax(QKᵀ/√d) V", "digits")(
    patched(kernels, "attention", lambda honest, q, *args, **options: honest(1.1 * q, *args, **options))
)
breaks("Pixels have no order", "digits")(
    patched(kernels, "attention", lambda honest, q, k, *args, **options: honest(q, k.cumsum(2), *args, **options))
)


@breaks("Muted = not there", "digits")
def a_latent_that_is_heard_though_muted(patch, reader, inputs):
    patch.setattr(LatentReader, "among", staticmethod(lambda kept: AttentionMask(causal=False)))


# beyond decoders: text and image
breaks("Words share out 1", "scenes")(other(maps=heavier))
breaks("Looking = softmax of q·k", "scenes")(other(maps=lambda maps: maps[..., ::-1].copy()))
breaks("Patches share out 1", "scenes-turned")(other(maps=heavier))
breaks("Asking = softmax of q·k", "scenes-turned")(other(maps=lambda maps: maps[..., ::-1].copy()))


@breaks("Word by word = one pass", "scenes")
def words_that_see_what_comes(patch, model, inputs):
    for block in model.network.cross:
        block.attn.causal = False
    return *inputs[:-1], model.forced(*inputs[1:3], "a 3 left of a 5")


@breaks("Speculative = greedy", "ahead")
def proposals_that_are_all_believed(patch, lm, inputs):
    patch.setattr(
        speculative.Greedy, "verify", lambda rule, logits, proposed: (len(proposed), int(logits[-1].argmax()))
    )


breaks("Rejection keeps p", "ahead")(
    patched(
        speculative, "reject", lambda honest, p, q, proposed, generator: (proposed >= 0, proposed)
    )  # every proposal stays
)
breaks("Cached proposals = one pass", "ahead")(
    patched(
        MTPNetwork,
        "step",
        lambda honest, network, depth, hidden, ids, cache=None, angles=None: honest(
            network, depth, 1.01 * hidden if angles is None else -hidden, ids, cache, angles
        ),
    )
)


@breaks("After the step = moved vectors", "words-negative")
def scores_that_forget_a_move(patch, wv, inputs):
    patch.setattr(one_step.Step, "moved_scores", lambda step, rate, everything=True: step.scores + rate * step.toward)


def both_ways(patch, model, inputs):
    """The copy with the mask loses it."""
    for block in model.causal.network.blocks:
        block.attn.causal = False


def one_way(patch, model, inputs):
    """The model itself reads from the left alone."""
    for block in model.network.blocks:
        block.attn.causal = True
    return model, *inputs[1:-1], model.trace(*inputs[1:-1])


breaks("Both sides, rows sum to 1", "encoder")(one_way)
breaks("Hidden places read the right", "encoder")(one_way)
breaks("Causal maps: nothing ahead", "encoder")(both_ways)
breaks("Causal guesses: right ignored", "encoder")(both_ways)
breaks("Exchanged words are told from [CLS]", "encoder")(
    patched(TransformerEncoder, "misplaced", lambda honest, network, normed: honest(network, normed.roll(1, -2)))
)


@breaks("Small step = rate · |g|²", "words-skipgram")
def errors_of_half_the_size(patch, wv, inputs):
    honest = one_step.softmax_step
    halve = lambda *args: replace(step := honest(*args), error=step.error / 2)  # noqa: E731
    patch.setattr(one_step, "softmax_step", halve)


breaks("Mixing weights sum to 1", "experts")(edited(".mlp.weights", lambda weights: weights * 1.001))
breaks("Experts = dense sum", "sparse")(edited(".mlp.routed", lambda said: said * 1.001))
breaks("Bias stays out of the mix", "experts")(
    edited(".mlp.mixed", lambda scores: scores + 0.1 * torch.arange(scores.shape[-1]))
)
breaks("A muted expert reads nothing", "sparse")(patched(expert_edits, "mute_experts", lambda honest, *given: {}))
breaks("Variance is a sum")(
    patched(
        logits,
        "growth",
        lambda honest, *args: replace(found := honest(*args), covariance=np.diag(np.diag(found.covariance))),
    )
)
breaks("√E before training")(
    patched(logits, "spread", lambda honest, *args: replace(found := honest(*args), predicted=found.predicted * 1.3))
)


@breaks("Lines of the block")
def rotations_of_another_length(patch, lm, inputs):
    honest = tensors._rotations
    patch.setattr(tensors, "_rotations", lambda *args: 1.01 * honest(*args))
    return notation_block.first_layer(lm, tiny.TEXT)


breaks("Terms add up")(
    patched(rank_one, "terms", lambda honest, *of: replace(found := honest(*of), rows=1.01 * found.rows))
)


def smallest_first(u, values, v):
    """A singular value decomposition in the wrong order."""
    return u[:, ::-1], values[::-1], v[::-1]


breaks("Singular terms come nearest")(
    patched(rank_one, "svd", lambda honest, product: smallest_first(*honest(product)))
)
breaks("P V = the head's output")(scaled(model_products, "_array"))


def moved(change):
    """A breaking that changes a run's last event."""
    return lambda patch, lm, inputs: (replace(inputs[0], events=inputs[0].events[:-1] + change(inputs[0].events[-1])),)


breaks("One thing at a time")(moved(lambda event: (replace(event, start=event.start - 0.01),)))
breaks("Nothing before its input")(moved(lambda event: (replace(event, start=0.0, end=1.0),)))
breaks("Everything once")(moved(lambda event: (event, event)))
breaks("GPipe's bubble")(
    patched(pipeline, "simulate", lambda honest, name, setting: honest(name, replace(setting, hop=0.1)))
)


def one_more(honest, sizes):
    """A bill with one multiplication, and one number written, too many."""
    lines = honest(sizes)
    scores = lines["scores"]
    return lines | {"scores": replace(scores, multiplications=scores.multiplications + 1, written=scores.written + 1)}


breaks("Operations are torch's")(patched(layer, "bill", one_more))
breaks("Bytes are torch's")(patched(layer, "bill", one_more))
breaks("Heads cost the same")(
    patched(layer_run, "count", lambda honest, sizes: honest(sizes if sizes.h == 1 else replace(sizes, n=sizes.n + 1)))
)
breaks("Areas are sums")(
    patched(layer, "growth", lambda honest, *given: replace(found := honest(*given), without=found.without[:-1]))
)
breaks("Every parameter once")(patched(parameters, "parameters", lambda honest, lm: honest(lm)[1:]))
breaks("Slope by formula")(patched(feedforward, "slope", lambda honest, kind, x: honest(kind, x) + 1e-3))

breaks("Rounding = torch's cast")(
    patched(number_formats, "rounded", lambda honest, x, format: np.trunc(honest(x, format) * 1e4) / 1e4)
)
breaks("Every number has one fate")(
    patched(model_values, "fates", lambda honest, *args: replace(found := honest(*args), lost=found.lost + 0.1))
)
breaks("O = O_s / (S_X S_W)")(scaled(scales, "unscaled"))
breaks("Within half a step")(patched(scales, "_round_", lambda honest, x, format: honest(x - 0.1, format)))
breaks("INT8 = NumPy's integers")(patched(scales, "unscaled", lambda honest, x, w: honest(x, w).clamp(max=2.0**12)))

breaks("Norm = the model's own")(
    patched(norms, "moments", lambda honest, x, axis, centred=True: honest(x, axis, not centred))
)
breaks("Norms forget scale")(patched(norms, "rms_norm", lambda honest, x, eps: honest(x, eps + 0.1)))
breaks("The bias absorbs the mean")(
    patched(norms, "offset", lambda honest, *args: replace(found := honest(*args), split=found.fixed))
)
breaks("Dropout keeps the mean")(patched(dropout, "dropped", lambda honest, x, p, die: honest(x, p, die, scaled=False)))
breaks("Gradient = measured slope")(scaled(norm_depth, "slope", 1.1))
breaks("Running statistics = torch's")(patched(norm_pictures, "batch_moments", lambda honest, x: (x.mean(1), x.var(1))))
breaks("Counted = rounded one by one")(
    patched(loss_scaling, "limits", lambda honest, format: (at := honest(format)) | {"lost": at["lost"] + 1})
)
breaks("Scaled and divided = the same gradient")(
    patched(
        loss_scaling,
        "gradients",
        lambda honest, *args, k=0: {name: each + 1e-3 for name, each in honest(*args, k=k).items()},
    )
)
breaks("The die is right in the mean")(
    patched(master_weights, "stochastic_bf16", lambda honest, x, generator: x.bfloat16().float() * (1 - 2**-9))
)


def test_every_identity_has_a_breaking():
    assert checks.IDENTITIES.keys() == BREAKINGS.keys()


def model_of(kind, tokenizer):
    if kind == "indexed":
        return tlmviz.load("stories-rope")
    if kind in tiny.TRANSLATORS:
        return tiny.translator(tokenizer, kind)
    if kind.startswith("words-"):
        return tiny.word_vectors(kind.removeprefix("words-"))
    if kind == "hull":
        return tiny.hull_finder()
    if kind == "scenes":
        return tiny.picture_reader()
    if kind == "scenes-turned":
        return tiny.picture_marker()
    if kind == "encoder":
        return tiny.encoder(tokenizer)
    if kind == "ahead":
        return tiny.next_token_model()
    if kind == "mixture":
        return tiny.mixture_model()
    if kind == "digits":
        return tiny.digit_reader()
    if kind == "converged":  # random logits take more iterations than trained ones
        return tiny.language_model(tokenizer, **tiny.VARIANTS["manifold"], sinkhorn=200)
    return tiny.language_model(tokenizer, **tiny.VARIANTS[kind])


@pytest.mark.parametrize("name", BREAKINGS)
def test_an_identity_turns_red(name, tokenizer, monkeypatch):
    kind, breaking = BREAKINGS[name]
    model, entry = model_of(kind, tokenizer), checks.IDENTITIES[name]
    assert entry.applies(model)
    text = TEXTS.get(kind, tiny.TEXT)
    inputs = entry.inputs(model, SENTENCE if kind in tiny.TRANSLATORS else text)
    assert entry(*inputs).passed, entry(*inputs)
    broken = breaking(monkeypatch, model, inputs) or inputs
    assert not entry(*broken).passed
