"""What watching a model of transformers costs: kept memory and time beside eager maps and beside nothing.

A random model of SmolLM2-135M's shape reads T tokens with its own SDPA attention, watched, and with eager attention
that returns every map. Each way runs in a process of its own, so that peaks are its own, one after another in one run.

    python benchmarks/watch.py [--tokens 1024] [--rounds 3] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
WAYS = {"plain": "plain SDPA", "watched": "watched", "eager": "eager, output_attentions"}
BAR = 1.5  # time of head_statistics by that of the pass
SHAPE = dict(
    num_hidden_layers=30,
    hidden_size=576,
    num_attention_heads=9,
    num_key_value_heads=3,
    intermediate_size=1536,
    vocab_size=49152,
    max_position_embeddings=8192,
    tie_word_embeddings=True,
)


def peak() -> int:
    """The most memory this process ever held, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measure(way: str, tokens: int, rounds: int) -> dict[str, float]:
    """Seconds of a forward pass (median), bytes kept when it is done, and how far it raised the peak.

    Watched, also `statistics`: the median over rounds of the time of `head_statistics` by that of the pass before it.
    """
    import torch
    import transformers

    import tlmviz

    transformers.logging.set_verbosity_error()
    torch.manual_seed(0)
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**SHAPE)).eval()
    if way == "eager":
        model.set_attn_implementation("eager")
    ids = torch.randint(0, SHAPE["vocab_size"], (1, tokens))
    options = dict(output_attentions=True) if way == "eager" else {}

    def forward() -> object:
        return model(ids, logits_to_keep=1, use_cache=False, **options)

    with torch.no_grad():
        model(ids[:, :8])
        before, seconds, ratios, kept, highest = peak(), [], [], 0, 0
        for _ in range(rounds):
            start = time.perf_counter()
            if way == "watched":
                with tlmviz.watch(model, check=False) as watched:
                    start = time.perf_counter()  # switching costs once per with block, not per token
                    forward()
                seconds.append(time.perf_counter() - start)
                layers = watched.recorder.stacks["decoder"].layers
                parts = [part for layer in layers for name in ("q", "k", "v", "lse") for part in getattr(layer, name)]
                kept = sum(part.untyped_storage().nbytes() for part in parts)
                highest = max(highest, peak() - before)
                trace = watched.trace
                start = time.perf_counter()
                trace.head_statistics()
                ratios.append((time.perf_counter() - start) / seconds[-1])
                del watched, layers, parts, trace
            else:
                out = forward()
                seconds.append(time.perf_counter() - start)
                kept = sum(part.nbytes for part in out.attentions or ())
                del out
    found = {"seconds": statistics.median(seconds), "kept": kept, "peak": highest or peak() - before}
    return found | ({"statistics": statistics.median(ratios)} if ratios else {})


def main() -> None:
    """Run every way in turn and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path, help="write the figures here too")
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.way:
        print(json.dumps(measure(given.way, given.tokens, given.rounds)))
        return
    print(f"{given.tokens} tokens, SmolLM2-135M's shape, float32, median of {given.rounds}")
    print(f"{'':26}{'seconds':>9}{'kept MB':>10}{'peak +MB':>10}")
    figures = {}
    for way, words in WAYS.items():
        command = [sys.executable, __file__, "--way", way]
        command += ["--tokens", str(given.tokens), "--rounds", str(given.rounds)]
        figures[way] = found = json.loads(
            subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1]
        )
        print(f"{words:26}{found['seconds']:9.2f}{found['kept'] / 1e6:10.1f}{found['peak'] / 1e6:10.1f}", flush=True)
    ratio = figures["watched"]["statistics"]
    print(f"head_statistics by the watched pass: {ratio:.2f} (bar {BAR}){'' if ratio <= BAR else ' MISSED'}")
    if given.json:
        given.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
