"""What `trace.save_html` takes for a model of SmolLM2-135M's shape: seconds, CPU seconds, megabytes, and the error it
states.

With `tlmviz get smollm2-135m` the trace is that model's on a text of this repository, else one of random queries and
keys.

    python benchmarks/save_html.py [--tokens 512] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
LAYERS, HEADS, GROUPS, WIDTH = 30, 9, 3, 64
BARS = {"seconds": 5.0, "megabytes": 10.0}  # of 512 tokens


def traced(tokens: int):
    """A trace of 30 layers of 9 heads, and whose it is."""
    import torch

    import tlmviz

    try:
        model = tlmviz.load("smollm2-135m")
        ids = model.tokenizer.encode((ROOT / "README.md").read_text(encoding="utf-8"))[:tokens]
        return model.trace_ids(ids), "smollm2-135m"
    except tlmviz.errors.UnknownName:
        generator = torch.Generator().manual_seed(0)
        q = torch.randn(LAYERS, HEADS, tokens, WIDTH, generator=generator)
        k = torch.randn(LAYERS, GROUPS, tokens, WIDTH, generator=generator)
        return tlmviz.Trace.from_arrays(q, k, [f"t{place}" for place in range(tokens)]), "random q and k"


def main() -> None:
    """Write one file and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, default=512)
    parser.add_argument("--json", type=Path, help="write the figures here too")
    given = parser.parse_args()
    trace, whose = traced(given.tokens)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.html"
        start, cpu = time.perf_counter(), time.process_time()
        trace.save_html(path)
        found = {"seconds": time.perf_counter() - start, "cpu seconds": time.process_time() - cpu}
        found["megabytes"] = path.stat().st_size / 1e6
        [error] = re.findall(r"lie within ([0-9.e-]+) of the trace", path.read_text(encoding="utf-8"))
    found["stated error"] = float(error)
    print(f"{trace.n_layers} layers of {trace.n_heads} heads over {len(trace)} tokens, {whose}")
    for name, value in found.items():
        bar = BARS.get(name) if given.tokens == 512 else None
        missed = " MISSED" if bar is not None and value > bar else ""
        print(f"{name:14}{value:10.4g}" + ("" if bar is None else f"  bar {bar:g}{missed}"))
    if given.json:
        given.json.write_text(json.dumps(found | {"trace": whose}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
