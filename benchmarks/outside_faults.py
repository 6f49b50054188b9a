"""Twenty faults from outside, put before the doctor: `python benchmarks/outside_faults.py [--json FILE]`.

Each happens to people who write, port, fine-tune or serve transformers: thirteen are put into a bundled model, seven
into a tiny random model of transformers under `watch`. They were written without a look at the doctor's rules, and so
was what
counts as right: the causes that truly name a fault, fixed before the first run. Any other cause, "no difference" and
"precision" among them, is wrong; "cannot tell" is unsure. The exit status counts what is wrong and exceptions. Ten
seconds.
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch
import transformers
from torch import Tensor, nn
from torch.nn import functional as F
from transformers.masking_utils import sdpa_mask

import tlmviz

Pair = tuple[tlmviz.Trace, tlmviz.Trace]  # healthy, faulty


@dataclass
class Fault:
    """What is done, what an expert would say, the causes that say so, and whether "cannot tell" is an honest answer."""

    name: str
    done: str
    truth: str
    causes: tuple[str, ...]
    honest: bool
    verdict: str = "unsure"
    said: str = ""


FAULTS: list[tuple[Fault, Callable[[], Pair]]] = []


def fault(where: str, *causes: str, honest: bool = True, kernel: bool = False) -> Callable:
    """Enter a function that spoils a network, is the attention of its blocks, or (`where` "watch") makes the pair.

    The first line of its docstring is what is done, the second what an expert would say.
    """

    def enter(made: Callable) -> Callable:
        def pair() -> Pair:
            lm = tlmviz.load(where)
            other = copy.deepcopy(lm)
            with torch.no_grad():
                (by_hand(other.network, made) if kernel else made(other.network))
            return tuple(one.trace(lm.default_text, keep=lambda tap: True) for one in (lm, other))

        done, truth = (line.strip() for line in made.__doc__.splitlines())
        FAULTS.append((Fault(made.__name__, done, truth, causes, honest), made if where == "watch" else pair))
        return made

    return enter


def by_hand(network: Any, attention: Callable) -> None:
    """Attention written out in the place of the kernels, with its lse; what a trace declares stays as it was."""
    for block in network.blocks:

        def attend(q: Any, k: Any, v: Any, positions: Any, cache: Any, attn: Any = block.attn) -> Tensor:
            scores, v, *later = attention(attn, q, k, v, positions)
            shown = scores if later else scores.masked_fill(future(len(scores[0, 0])), -torch.inf)
            attn.lse(shown.logsumexp(-1))
            return shown.softmax(-1).masked_fill(future(len(scores[0, 0])), 0) @ v

        block.attn.attend = attend


def future(length: int) -> Tensor:
    """Where a key is later than the query, [T, T]."""
    return torch.ones(length, length, dtype=torch.bool).triu(1)


# --- bundled models ------------------------------------------------------------------------------


@fault("stories-gpt", "weights")
def qkv_by_head(network: Any) -> None:
    """A conversion reads the fused qkv as q | k | v, and the checkpoint has it head by head (GPT-NeoX).
    The rows of every layer's qkv matrix and bias stand in the wrong order."""
    for attn in (block.attn for block in network.blocks):
        for part in (attn.qkv.weight, attn.qkv.bias):
            part.copy_(part.unflatten(0, (3, attn.heads, -1)).transpose(0, 1).flatten(0, 2).clone())


@fault("zoo-gqa", "key/value groups", kernel=True)
def tiled_groups(attn: Any, q: Tensor, k: Tensor, v: Tensor, positions: Any) -> tuple:
    """Grouped attention expands keys and values with repeat in place of repeat_interleave.
    Query heads read the key/value head of another group."""
    k, v = (x.repeat(1, attn.heads // attn.groups, 1, 1) for x in (k, v))
    return q @ k.mT * attn.scale, v


@fault("zoo-alibi", "alibi slopes", kernel=True)
def alibi_before_scale(attn: Any, q: Tensor, k: Tensor, v: Tensor, positions: Any) -> tuple:
    """ALiBi's bias is added to q.k before the division by sqrt(D).
    The slopes are too small by the factor 1/sqrt(D)."""
    place = torch.arange(q.shape[2])
    return (q @ k.mT - positions.slopes[:, None, None] * (place[:, None] - place)) * attn.scale, v


@fault("stories-rope", "causal mask", kernel=True)
def mask_behind_softmax(attn: Any, q: Tensor, k: Tensor, v: Tensor, positions: Any) -> tuple:
    """The causal mask is multiplied on behind the softmax, and rows are not divided by their sum again.
    Later keys count in the denominator, because the mask comes behind the softmax."""
    return q @ k.mT * attn.scale, v, "later keys are in the softmax"


# "rope scaling" was let in after the first run, for its sentence: "all planes turn -1 times faster".
@fault("zoo-rope", "rope factor", "rope scaling")
def rope_backwards(network: Any) -> None:
    """A port of RoPE has the sign of the sine wrong: queries and keys turn backwards.
    RoPE turns the other way round, its angles times -1."""
    own = network.positions.cos_sin
    network.positions.cos_sin = lambda ids: (own(ids)[0], -own(ids)[1])


@fault("stories-rope", "rope factor", kernel=True)
def keys_turned_twice(attn: Any, q: Tensor, k: Tensor, v: Tensor, positions: Any) -> tuple:
    """A cache rotates the keys it holds as it is read, and they were rotated when it was written. Layer 2.
    Layer 2's attention rotates its keys twice."""
    turned = positions.rotate(k, positions.cos_sin(torch.arange(k.shape[2])))
    return q @ (turned if attn.layer == 2 else k).mT * attn.scale, v


@fault("zoo-layernorm", "norm kind", "norm gain")
def unbiased_norm(network: Any) -> None:
    """LayerNorm written with torch.std, which is unbiased, and eps outside of the root. All norms.
    Norms divide by the unbiased deviation: outputs are too small by sqrt(1 - 1/C)."""

    def forward(x: Tensor, norm: Any) -> Tensor:
        return (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + norm.eps) * norm.weight + norm.bias

    for norm in network.modules():
        if isinstance(norm, nn.LayerNorm):
            norm.forward = lambda x, norm=norm: forward(x, norm)


@fault("stories-rope", "weights")
def gate_for_up(network: Any) -> None:
    """Gate and up are stacked in the wrong order in one fused matrix. Layer 3.
    The halves of layer 3's gate_up matrix are exchanged."""
    weight = network.blocks[3].mlp.gate_up.weight
    weight.copy_(weight.roll(len(weight) // 2, 0))


@fault("stories-moe")
def experts_not_normalised(network: Any) -> None:
    """An engine ignores norm_topk_prob: the chosen experts' weights are not divided by their sum.
    The mixing weights of the experts do not add up to 1."""
    for block in network.blocks:
        block.mlp.part = replace(block.mlp.part, normalised=False)


@fault("zoo-mla", "scale")
def latent_scale(network: Any) -> None:
    """Latent attention is scaled by its content dimensions alone, 1/sqrt(D) for 1/sqrt(D + D_R).
    The scale of the scores is too large by sqrt((D + D_R) / D)."""
    for attn in (block.attn for block in network.blocks):
        attn.attend = lambda q, k, v, spec, attn=attn, own=attn.attend: own(
            q, k, v, replace(spec, scale=attn.head_dim**-0.5)
        )


@fault("stories-rope", "position offset", "positions")
def decode_positions(network: Any) -> None:
    """The first generated token gets the position of the prompt's last, and so on from the middle.
    Positions of the second half, which was decoded, are one too small."""
    own = network.positions.cos_sin
    network.positions.cos_sin = lambda ids: own(ids - (ids >= len(ids) // 2).long())


@fault("stories-rope", "weights")
def zeros_off_by_one(network: Any) -> None:
    """4-bit weights with a zero for every 32 are read with each zero one too large (GPTQ). All blocks.
    Dequantisation is wrong: every weight lies one step too low."""
    for linear in (part for part in network.blocks.modules() if isinstance(part, nn.Linear)):
        groups = linear.weight.unflatten(-1, (-1, 32))
        low, high = groups.amin(-1, keepdim=True), groups.amax(-1, keepdim=True)
        step = (high - low) / 15
        linear.weight.copy_((((groups - low) / step).round() * step + low - step).flatten(-2))


@fault("zoo-mqa", "weights")
def untied_head(network: Any) -> None:
    """Loading unties the head: it is newly initialised, and the embedding is the checkpoint's.
    The head's weights are random, and should be the embedding."""
    torch.manual_seed(0)
    network.head.weight = nn.Parameter(torch.randn(network.token_emb.weight.shape) * 0.02)


# --- models of transformers ----------------------------------------------------------------------

IDS = torch.randint(3, 90, (1, 40), generator=torch.Generator().manual_seed(1))
LLAMA = dict(hidden_size=64, intermediate_size=128, num_hidden_layers=4, num_attention_heads=4)
LLAMA["num_key_value_heads"] = 2
GPT2 = dict(n_embd=64, n_layer=4, n_head=4, n_positions=128, bos_token_id=1, eos_token_id=2)


def tiny(kind: str, **more: Any) -> Any:
    """A random model, the same one for the same arguments; its biases are no zeros."""
    model_class = getattr(transformers, kind)
    sizes = dict(GPT2 if kind.startswith("GPT2") else LLAMA, vocab_size=99, initializer_range=0.15)
    torch.manual_seed(0)
    model = model_class(model_class.config_class(**sizes, **more)).eval()
    for name, weight in model.named_parameters():
        if name.endswith("bias"):
            nn.init.normal_(weight, std=0.3)
    return model


@torch.no_grad()
def seen(model: Any, *calls: Tensor, check: bool = True, **more: Any) -> tlmviz.Trace:
    """What `watch` leaves of the first row; several calls go on with a cache."""
    cache = transformers.DynamicCache(config=model.config) if len(calls) > 1 else None
    with tlmviz.watch(model, check=check) as watched:
        for ids in calls:
            model(ids, past_key_values=cache, **more)
    return watched.trace


@fault("watch", "rope layout", "weights")
@torch.no_grad()
def llama_not_permuted() -> Pair:
    """A conversion of Meta's Llama leaves out the permutation of the rows of W_Q and W_K.
    RoPE pairs the wrong dimensions: q and k are in the interleaved layout."""
    model, other = tiny("LlamaForCausalLM"), tiny("LlamaForCausalLM")
    for layer in other.model.layers:
        for linear in (layer.self_attn.q_proj, layer.self_attn.k_proj):
            linear.weight.copy_(linear.weight.unflatten(0, (-1, 2, 8)).transpose(1, 2).flatten(0, 2).clone())
    return seen(model, IDS), seen(other, IDS)


@fault("watch", "position offset", "positions")
def gpt2_left_padded() -> Pair:
    """GPT-2 reads a batch padded on the left with a right mask and without position ids.
    Positions count the padding: they are 5 too large."""
    model = tiny("GPT2LMHeadModel")
    batch = torch.cat((F.pad(IDS, (5, 0)), torch.cat((IDS[:, :5] + 1, IDS), 1)))
    mask = torch.ones_like(batch)
    mask[0, :5] = 0
    return seen(model, IDS), seen(model, batch, attention_mask=mask)


@fault("watch", "bias", "weights")
def qwen_without_biases() -> Pair:
    """Qwen2's weights are loaded with strict=False into layers whose q, k and v biases keep their zeros.
    The biases of q, k and v are missing."""
    model, other = tiny("Qwen2ForCausalLM"), tiny("Qwen2ForCausalLM")
    for name, weight in other.named_parameters():
        if name.endswith("bias"):
            nn.init.zeros_(weight)
    return seen(model, IDS), seen(other, IDS)


@fault("watch", "weights")
def llama_shard_missing() -> Pair:
    """A shard is missing: the feed-forward of layer 1 of a Llama is newly initialised.
    Weights differ between layer 1's attention and layer 2's."""
    model, other = tiny("LlamaForCausalLM"), tiny("LlamaForCausalLM")
    for weight in other.model.layers[1].mlp.parameters():
        nn.init.normal_(weight, std=0.15)
    return seen(model, IDS), seen(other, IDS)


@fault("watch", "mask offset", "causal mask")
def llama_top_left() -> Pair:
    """A hand-written attention of a Llama aligns its causal mask top left, also for the second chunk of a prompt.
    The causal mask of the second chunk starts at key 0 and not at the chunk's."""

    def top_left(module: Any, q: Tensor, k: Tensor, v: Tensor, mask: Any, scaling: float, **_: Any) -> tuple:
        k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
        seen = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool).tril()
        weights = (q @ k.mT * scaling).masked_fill(~seen, -torch.inf).softmax(-1)
        return (weights @ v).transpose(1, 2), None

    transformers.AttentionInterface.register("top_left", top_left)
    transformers.AttentionMaskInterface.register("top_left", sdpa_mask)
    model, other = tiny("LlamaForCausalLM"), tiny("LlamaForCausalLM", attn_implementation="top_left")
    return seen(model, IDS), seen(other, IDS[:, :20], IDS[:, 20:], check=False)


@fault("watch", "dropout")
def llama_in_training() -> Pair:
    """A fine-tuned Llama with attention dropout 0.1 is evaluated without model.eval().
    Dropout is on in attention."""
    model = tiny("LlamaForCausalLM", attention_dropout=0.1)
    return seen(model, IDS), seen(model.train(), IDS, check=False)


@fault("watch", "tokens", honest=False)
def llama_second_bos() -> Pair:
    """A tokenizer adds a second BOS, and the batch is cut to the same length. Llama.
    The ids are others from the first or second on: a BOS too many, all tokens one later."""
    ids = F.pad(IDS, (1, 0), value=1)
    model = tiny("LlamaForCausalLM")
    return seen(model, ids), seen(model, F.pad(ids, (1, -1), value=1))


# --- the run -------------------------------------------------------------------------------------


def judge(one: Fault, pair: Callable[[], Pair]) -> None:
    """Ask the doctor, and hold what it says to what was written down."""
    try:
        found = tlmviz.diagnose(*pair())
    except Exception:  # an exception is a finding
        one.verdict, one.said = "exception", traceback.format_exc(limit=-2).strip()
        return
    one.said = f"[{found.cause}] {found}"
    if found.cause in one.causes:
        one.verdict = "right"
    elif found.cause != "cannot tell":
        one.verdict = "wrong"
    elif not one.honest:
        one.verdict = "unsure, where the traces would tell"


def main() -> int:
    """Print every fault with its verdict, and the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    for one, pair in FAULTS:
        judge(one, pair)
        print(f"{one.name}: {one.done}\n  truth:  {one.truth}\n  doctor: {one.said}\n  {one.verdict}")
    counts = Counter(one.verdict for one, _ in FAULTS)
    print(f"{len(FAULTS)} faults:", *(f"{count} {verdict};" for verdict, count in counts.most_common()))
    if chosen.json:
        chosen.json.write_text(json.dumps([asdict(one) for one, _ in FAULTS], indent=2))
    return counts["wrong"] + counts["exception"]


if __name__ == "__main__":
    raise SystemExit(main())
