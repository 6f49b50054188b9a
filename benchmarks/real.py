"""What a real language model costs: load, trace, memory and generation of SmolLM2-135M-Instruct.

    tlmviz get smollm2-135m && python benchmarks/real.py [--rounds N] [--json FILE]

Traces are beside a bare forward pass of the same weights (torch's scaled_dot_product_attention, logits of the last
position), generation beside `generate` of transformers on the same weights; contestants take turns, and a ratio is the
median over rounds of this round's times. Exit status 1 when a bar fails. OMP_NUM_THREADS sets the threads.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[0] = str(ROOT)  # not benchmarks/: a file there would shadow the standard library's `trace`
os.environ.update(HF_HUB_OFFLINE="1")

import torch  # noqa: E402
from torch.nn import functional as F  # noqa: E402

import tlmviz  # noqa: E402
from tlmviz.facades.language_model import LanguageModel
from tlmviz.tracing.trace import Trace

NAME = "smollm2-135m"
LENGTHS = (64, 256, 1024)
LONG, NEW = 2048, 32
TEXT = "One day a girl named Lily went to the park with her red ball, and there she met a dog. " * 150
PROMPT = "The capital of France is"
BARS = {
    "load, s": 2.0,
    **{f"trace / bare pass, T = {length}": 1.25 for length in LENGTHS},
    "kept at T = 1024, MB": 110.0,
    "process at T = 2048, MB": 1600.0,
    "generation, transformers / tlmviz tokens per second": 1.0,
}


def seconds(work: Callable[[], object]) -> float:
    """Wall time of one call."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def in_turn(rounds: int, first: Callable[[], object], second: Callable[[], object]) -> float:
    """Median over rounds of first's time by second's."""
    first(), second()
    return statistics.median(seconds(first) / seconds(second) for _ in range(rounds))


def bare_pass(lm: LanguageModel, ids: torch.Tensor) -> torch.Tensor:
    """The same weights with nothing watched: logits of the last position, [1, V]."""
    network, config = lm.network, lm.config
    shape = (1, ids.shape[1], -1, config.head_dim)
    cos_sin = network.positions.cos_sin(torch.arange(ids.shape[1]))
    x = network.token_emb(ids)
    for block in network.blocks:
        sizes = [heads * config.head_dim for heads in (config.n_heads, config.n_kv_heads, config.n_kv_heads)]
        q, k, v = (part.view(shape).transpose(1, 2) for part in block.attn.qkv(block.norm1(x)).split(sizes, -1))
        q, k = (network.positions.rotate(part, cos_sin) for part in (q, k))
        z = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        x = x + block.attn.proj(z.transpose(1, 2).flatten(2))
        gate, up = block.mlp.gate_up(block.norm2(x)).chunk(2, -1)
        x = x + block.mlp.down(F.silu(gate) * up)
    return network.head(network.norm(x[:, -1]))


def in_transformers(lm: LanguageModel):
    """The same weights as transformers' Llama."""
    from transformers import LlamaConfig, LlamaForCausalLM

    config, network = lm.config, lm.network
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=config.vocab_size,
            hidden_size=config.d_model,
            intermediate_size=config.feedforward.hidden,
            num_hidden_layers=config.n_layers,
            num_attention_heads=config.n_heads,
            num_key_value_heads=config.n_kv_heads,
            max_position_embeddings=config.context,
            rms_norm_eps=config.norm.eps,
            tie_word_embeddings=True,
            rope_parameters={"rope_type": "default", "rope_theta": config.positions.rope_base},
            eos_token_id=None,
            pad_token_id=0,
        )
    ).eval()
    sizes = [heads * config.head_dim for heads in (config.n_heads, config.n_kv_heads, config.n_kv_heads)]
    with torch.no_grad():
        model.model.embed_tokens.weight.copy_(network.token_emb.weight)
        model.model.norm.weight.copy_(network.norm.weight)
        for theirs, own in zip(model.model.layers, network.blocks):
            attention, mlp = theirs.self_attn, theirs.mlp
            q, k, v = own.attn.qkv.weight.split(sizes)
            for place, part in ((attention.q_proj, q), (attention.k_proj, k)):  # interleaved planes to halves
                halves = part.reshape(-1, config.head_dim // 2, 2, config.d_model).transpose(1, 2)
                place.weight.copy_(halves.reshape(-1, config.d_model))
            attention.v_proj.weight.copy_(v)
            attention.o_proj.weight.copy_(own.attn.proj.weight)
            mlp.gate_proj.weight.copy_(own.mlp.gate_up.weight.chunk(2)[0])
            mlp.up_proj.weight.copy_(own.mlp.gate_up.weight.chunk(2)[1])
            mlp.down_proj.weight.copy_(own.mlp.down.weight)
            theirs.input_layernorm.weight.copy_(own.norm1.weight)
            theirs.post_attention_layernorm.weight.copy_(own.norm2.weight)
    return model


@torch.inference_mode()
def trace_ratio(lm: LanguageModel, ids: list[int], rounds: int) -> float:
    """Time of a trace with the next token's probabilities by that of a bare pass; their logits agree."""
    batch = torch.tensor([ids])
    last = lm.trace_ids(ids)._logits(slice(-1, None))
    torch.testing.assert_close(last, bare_pass(lm, batch), atol=2e-3, rtol=1e-3)
    return in_turn(rounds, lambda: lm.trace_ids(ids).probabilities(), lambda: bare_pass(lm, batch))


def generation_ratio(lm: LanguageModel, rounds: int) -> float:
    """Our time for NEW greedy tokens by theirs; the tokens are the same."""
    model, ids = in_transformers(lm), torch.tensor([lm.encode(PROMPT)])
    lm.tokenizer.ends = frozenset()  # neither stops early

    def theirs():
        with torch.inference_mode():
            return model.generate(ids, max_new_tokens=NEW, do_sample=False)[0, ids.shape[1] :].tolist()

    def ours():
        return lm.generate(PROMPT, NEW, temperature=0)

    assert ours() == lm.tokenizer.decode(theirs(), continues=True)
    return in_turn(rounds, ours, theirs)


def kept_megabytes(trace: Trace) -> float:
    """What a trace holds."""
    storages = {
        value.untyped_storage().data_ptr(): value.untyped_storage().nbytes() for value in trace._record.values.values()
    }
    return sum(storages.values()) / 1e6


def process_megabytes() -> float:
    """The largest resident size of a fresh process that loads the model, traces LONG tokens and draws a map."""
    code = (
        f"import resource, tlmviz; lm = tlmviz.load({NAME!r}); trace = "
        f"lm.trace_ids(lm.tokenizer.encode({TEXT!r})[:{LONG}]);trace.pooled(18, 6); trace.probabilities(); "
        "trace.loss_per_token();print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return int(run.stdout) / 1e3


def measure(rounds: int) -> dict[str, float]:
    """Every figure, printed as it comes."""
    figures = {}

    def say(name: str, value: float) -> None:
        figures[name] = value
        verdict = "" if value <= BARS[name] else "  FAILS"
        print(f"{name:55} {value:9.2f}   bar {BARS[name]:8.2f}{verdict}", flush=True)

    tlmviz.load(NAME)  # files are read from the disk once
    say("load, s", min(seconds(lambda: tlmviz.load(NAME)) for _ in range(3)))
    lm = tlmviz.load(NAME)
    ids = lm.tokenizer.encode(TEXT)
    for length in LENGTHS:
        say(f"trace / bare pass, T = {length}", trace_ratio(lm, ids[:length], rounds))
    trace = lm.trace_ids(ids[: LENGTHS[-1]])
    say("kept at T = 1024, MB", kept_megabytes(trace))
    say("process at T = 2048, MB", process_megabytes())
    say("generation, transformers / tlmviz tokens per second", generation_ratio(lm, rounds))
    return figures


def main() -> int:
    """Measure and compare with the bars."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", type=Path, help="write the figures here")
    options = parser.parse_args()
    figures = measure(options.rounds)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")
    print(f"peak of this process {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:.0f} MB")
    return int(any(value > BARS[name] for name, value in figures.items()))


if __name__ == "__main__":
    raise SystemExit(main())
