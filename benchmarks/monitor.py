"""What `tlmviz.monitor(every=200)` costs a training: seconds of its steps by those of the same steps without it.

Two copies of a small Llama are trained on the same batches, one of them monitored, a step of each in turn, so that what
the machine does meanwhile meets both. A round is 200 steps, of which one measures; the losses must be the same numbers.

    python benchmarks/monitor.py [--rounds 5] [--probes 1] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

import torch
import transformers

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import tlmviz

BAR = 1.02  # seconds of a round with the monitor by those without
EVERY, BATCH, TOKENS = 200, 8, 64
SHAPE = dict(
    num_hidden_layers=4,
    hidden_size=128,
    num_attention_heads=4,
    num_key_value_heads=4,
    intermediate_size=512,
    vocab_size=2048,
    max_position_embeddings=512,
    tie_word_embeddings=False,
)


class Training:
    """One of the two: a model, its optimizer, its seconds and its losses."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**SHAPE))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), 1e-3)
        self.seconds: list[float] = []
        self.losses: list[float] = []

    def step(self, ids: torch.Tensor) -> None:
        """One step, timed."""
        start = time.perf_counter()
        loss = self.model(ids, labels=ids).loss
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.losses.append(loss.item())
        self.seconds.append(time.perf_counter() - start)


def measure(rounds: int, probes: int) -> dict[str, float]:
    """Medians over rounds: seconds with the monitor by those without, and of the one measurement by a plain step."""
    plain, watched = Training(), Training()
    generator = torch.Generator().manual_seed(0)

    def batch(rows: int) -> torch.Tensor:
        return torch.randint(0, SHAPE["vocab_size"], (rows, TOKENS), generator=generator)

    with (
        tempfile.TemporaryDirectory() as folder,
        tlmviz.monitor(watched.model, EVERY, folder, [batch(probes)]) as monitor,
    ):
        for number in range(rounds * EVERY):
            ids = batch(BATCH)
            for one in (plain, watched) if number % 2 else (watched, plain):
                one.step(ids)
    if plain.losses != watched.losses or monitor.events and monitor.events[0].rule == "not measured":
        raise SystemExit("The monitored training is not the plain one, or was not measured.")
    ratios, measurements = [], []
    for first in range(0, rounds * EVERY, EVERY):
        a, b = (one.seconds[first : first + EVERY] for one in (plain, watched))
        ratios.append(sum(b) / sum(a))
        measurements.append((b[-1] - a[-1]) / statistics.median(a))
    return {
        "ratio": statistics.median(ratios),
        "lowest": min(ratios),
        "highest": max(ratios),
        "step": statistics.median(plain.seconds),
        "measurement": statistics.median(measurements),
    }


def main() -> int:
    """Print the table; 1 where the bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--probes", type=int, default=1, help="texts that are read, of as many tokens as the batch's")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    given = parser.parse_args()
    transformers.logging.set_verbosity_error()
    found = measure(given.rounds, given.probes)
    print(f"{BATCH} x {TOKENS} tokens a step, {given.probes} probe(s), every={EVERY}, median of {given.rounds} rounds")
    print(f"a step: {found['step'] * 1e3:.1f} ms; a measurement: {found['measurement']:.1f} steps")
    said = f"{found['ratio']:.4f} ({found['lowest']:.4f} to {found['highest']:.4f})"
    print(f"with by without: {said}, by the measurement alone {1 + found['measurement'] / EVERY:.4f} (bar {BAR})")
    if given.json:
        given.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    return int(found["ratio"] > BAR)


if __name__ == "__main__":
    sys.exit(main())
