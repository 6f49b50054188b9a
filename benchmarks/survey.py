"""A survey of a corpus: minutes with one and with two processes in one run, and the most memory a process ever held.

1,000 texts of 200 tokens, cut from the stories at DATA, through stories-rope. Memory is read when a quarter and when
all of the shards are done: what the largest process holds then.

    python benchmarks/survey.py DATA [--texts 1000] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import tlmviz
from tlmviz.analysis.workbench.survey import documents, survey

MODEL, LENGTH, BAR, RATIO = "stories-rope", 200, 5.0, 1.8


def texts(data: Path, count: int) -> list[str]:
    """So many texts of LENGTH tokens, one behind another."""
    lm = tlmviz.load(MODEL)
    ids: list[int] = []
    for document in documents(data):
        ids += lm.tokenizer.encode(document.text)
        if len(ids) >= count * (LENGTH - 1):
            break
    parts = (ids[start : start + LENGTH - 1] for start in range(0, len(ids), LENGTH - 1))
    return [lm.tokenizer.decode(part) for part in islice(parts, count)]


def megabytes() -> float:
    """What the largest process of the survey holds now, this one or a worker."""
    sizes = []
    for pid in (os.getpid(), *(child.pid for child in multiprocessing.active_children())):
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        sizes.append(int(status.split("VmRSS:")[1].split()[0]) / 1024)
    return max(sizes)


def main() -> None:
    """Print minutes and memory for one and two processes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--texts", type=int, default=1000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "texts.jsonl"
        lines = (json.dumps({"text": text}) for text in texts(options.data, options.texts))
        corpus.write_text("\n".join(lines), encoding="utf-8")
        for workers in (2, 1):
            at: dict[int, float] = {}

            def progress(done: int, total: int, at: dict[int, float] = at) -> None:
                at[4 * done // total] = megabytes()

            start = time.perf_counter()
            survey(MODEL, corpus, Path(folder) / str(workers), workers, LENGTH, progress)
            found[f"minutes, {workers}"] = (time.perf_counter() - start) / 60
            found[f"MB of the largest process at a quarter, {workers}"] = at.get(1, float("nan"))
            found[f"MB of the largest process at the end, {workers}"] = at.get(4, float("nan"))
    found["one by two"] = found["minutes, 1"] / found["minutes, 2"]
    for name, value in found.items():
        print(f"{name:45} {value:8.2f}")
    print(f"bars: {BAR} minutes with two: {'met' if found['minutes, 2'] <= BAR else 'MISSED'}; ", end="")
    print(f"two at least {RATIO} x one: {'met' if found['one by two'] >= RATIO else 'MISSED'}")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
