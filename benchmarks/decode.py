"""Decoding with caches: `python benchmarks/decode.py [--rounds 9] [--json FILE]`.

One run, contestants in turn, medians and 95th percentiles, float32, batch 1, greedy. The exit status is 1 when a bar
is missed. The peer (transformers' `generate`) is left out, with a line on stderr, where it is not installed.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]

import report
import torch
from report import compare

import tlmviz
from tlmviz.caches import LatentCache
from tlmviz.checkpoints.native import for_inference
from tlmviz.config import notes_preset
from tlmviz.networks.transformer import TransformerLM

SHAPE = dict(vocab_size=2048, n_layers=6, n_heads=8, d_model=256, d_ff=1024, context=1024)
PROMPT = torch.arange(1, 9)[None]
WRITTEN, PEERS = 256, 128  # tokens written with and without a cache, and beside transformers
LENGTHS = (512, 1024, 2048)  # of the cache that one step reads; the first one beside 64


@torch.inference_mode()
def greedy(network, ids: torch.Tensor, count: int, cached: bool = True) -> torch.Tensor:
    """`count` tokens after `ids` [1, T]; without a cache every step reads everything again."""
    cache = network.new_cache() if cached else None
    last = ids
    for _ in range(count):
        token = network(last, cache)[:, -1:].argmax(-1)
        ids = torch.cat((ids, token), 1)
        last = token if cached else ids
    return ids


def with_and_without(rounds: int):
    network = tlmviz.load("stories-rope").network
    assert torch.equal(greedy(network, PROMPT, 12), greedy(network, PROMPT, 12, cached=False))
    yield compare(
        f"stories-rope, {WRITTEN} tokens: cache, no cache",
        5.0,
        lambda: greedy(network, PROMPT, WRITTEN),
        lambda: greedy(network, PROMPT, WRITTEN, cached=False),
        max(3, rounds // 3),
        at_least=True,
    )


def peer(rounds: int):
    try:
        from transformers import GenerationConfig, GPT2Config, GPT2LMHeadModel
    except ImportError as error:
        print(f"transformers left out: {error}", file=sys.stderr)
        return
    torch.manual_seed(0)
    ours = for_inference(TransformerLM(notes_preset(**SHAPE)))
    config = GPT2Config(
        vocab_size=SHAPE["vocab_size"],
        n_positions=SHAPE["context"],
        n_embd=SHAPE["d_model"],
        n_layer=SHAPE["n_layers"],
        n_head=SHAPE["n_heads"],
        n_inner=SHAPE["d_ff"],
        activation_function="gelu",
        tie_word_embeddings=False,
        bos_token_id=0,
        eos_token_id=None,
        pad_token_id=0,
    )
    theirs = GPT2LMHeadModel(config).eval()
    plan = GenerationConfig(max_new_tokens=PEERS, do_sample=False, use_cache=True, eos_token_id=None, pad_token_id=0)

    @torch.inference_mode()
    def generate():
        ids = theirs.generate(PROMPT, generation_config=plan, attention_mask=torch.ones_like(PROMPT))
        assert ids.shape[1] == PROMPT.shape[1] + PEERS

    name = f"6 layers, d 256, {PEERS} tokens: tlmviz, transformers generate"
    yield compare(name, 0.65, lambda: greedy(ours, PROMPT, PEERS), generate, rounds)


def growth(rounds: int):
    network = tlmviz.load("stories-rope").network
    token = torch.tensor([[5]])

    def stepper(length: int):
        with torch.inference_mode():
            cache = network.new_cache()
            network(torch.randint(1, 2000, (1, length)), cache)

        @torch.inference_mode()
        def step():
            network(token, cache)

        return step

    long, short = LENGTHS[0], 64
    yield compare(f"stories-rope, one step: T = {long}, T = {short}", 1.3, stepper(long), stepper(short), 3 * rounds)


def absorbing(rounds: int):
    network = tlmviz.load("zoo-mla").network
    token = torch.tensor([[5]])
    for length in LENGTHS:

        def stepper(absorbed: bool, length: int = length):
            with torch.inference_mode():
                cache = LatentCache(network.config.n_layers, absorbed=absorbed)
                network(torch.randint(1, 2000, (1, length)), cache)

            @torch.inference_mode()
            def step():
                network(token, cache)

            return step

        yield compare(
            f"zoo-mla, one step at T = {length}: absorbed, naive", 1.0, stepper(True), stepper(False), 3 * rounds
        )


def main() -> int:
    options = report.options(__doc__, rounds=9)

    def text(row: dict) -> str:
        sign = ">=" if row["at_least"] else "<="
        times = f"{row['ours']:9.2f} {row['p95']:9.2f} {row['theirs']:9.2f} {row['measured']:7.2f}"
        return f"{row['name']:<64} {times}  {sign} {row['bar']:g}  {'ok' if row['passed'] else 'MISSED'}"

    head = f"{'what':<64} {'ms':>9} {'p95':>9} {'other ms':>9} {'ratio':>7}  bar"
    status = report.table((with_and_without, peer, growth, absorbing), options, head, text)
    print(report.machine())
    return status


if __name__ == "__main__":
    raise SystemExit(main())
