"""A survey on a local Ray cluster of two workers, of which one dies in the middle: the tables of the local run, byte
for byte.

Texts of 200 tokens, cut from the stories at DATA, through stories-rope: once by processes of this machine, then on the
cluster with a worker's node killed, with a worker's process killed, and with the survey itself stopped and started
again. It ends with status 1 where a table differs or a shard is lost or counted twice. Needs `pip install
"tlmviz[ray]"`; a node takes one core and 200 MB.

    python benchmarks/survey_ray.py DATA [--texts 480]
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ.update(
    OMP_NUM_THREADS="1",
    RAY_USAGE_STATS_ENABLED="0",
    PYTHONPATH=os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),  # workers import tlmviz
)
from ray.cluster_utils import Cluster

from benchmarks.survey import LENGTH, MODEL, texts
from tlmviz.analysis.workbench.survey import survey
from tlmviz.analysis.workbench.survey.results import COLUMNS

NODE = {"object_store_memory": 200_000_000, "include_dashboard": False}


class Stopped(BaseException):
    """The survey, ended from outside."""


def kill_node(cluster: Cluster) -> None:
    """End a worker's node as a machine ends that loses its power."""
    cluster.remove_node(sorted(cluster.worker_nodes, key=lambda node: node.unique_id)[0], allow_graceful=False)


def kill_process(cluster: Cluster) -> None:
    """End the process that computes shards on one of the nodes."""
    raylets = [node.all_processes["raylet"][0].process.pid for node in cluster.worker_nodes]
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            if parent in raylets and b"ray::Map" in (path / "cmdline").read_bytes():
                os.kill(int(path.name), signal.SIGKILL)
                return
        except OSError:  # it ended meanwhile
            continue
    raise RuntimeError("no worker's process was found to kill")


def stop(cluster: Cluster) -> None:
    """End the survey."""
    raise Stopped


def on_cluster(corpus: Path, out: Path, harm: Callable[[Cluster], None]) -> list[int]:
    """A survey on a cluster of its own, harmed when a third is done; documents done at each call of `progress`."""
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **NODE})
    done: list[int] = []
    harmed = False

    def progress(now: int, total: int) -> None:
        nonlocal harmed
        done.append(now)
        if now >= total / 3 and not harmed:
            harmed = True
            harm(cluster)

    try:
        for _ in range(2):
            cluster.add_node(num_cpus=1, **NODE)
        cluster.wait_for_nodes()
        try:
            survey(MODEL, corpus, out, None, LENGTH, progress, ray=cluster.address)
        except Stopped:
            done.clear()
            survey(MODEL, corpus, out, None, LENGTH, progress, ray=cluster.address)
    finally:
        cluster.shutdown()
    return done


def main() -> int:
    """Print what was checked; 1 where anything differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--texts", type=int, default=480)
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        corpus, local = Path(folder) / "texts.jsonl", Path(folder) / "local"
        lines = [json.dumps({"text": text}) for text in texts(options.data, options.texts)]
        corpus.write_text("\n".join(lines), encoding="utf-8")
        start = time.perf_counter()
        survey(MODEL, corpus, local, 2, LENGTH)
        print(f"{'two processes':22} {time.perf_counter() - start:5.1f} s")
        for name, harm in [
            ("a node killed", kill_node),
            ("a process killed", kill_process),
            ("stopped, started again", stop),
        ]:
            out = Path(folder) / name
            start = time.perf_counter()
            done = on_cluster(corpus, out, harm)
            seconds = time.perf_counter() - start
            same = [(local / f"{t}.parquet").read_bytes() == (out / f"{t}.parquet").read_bytes() for t in COLUMNS]
            shards = len(list((out / "shards").iterdir()))
            wanted = len(list((local / "shards").iterdir()))
            once = done == sorted(done) and done[-1] == len(lines)
            failed |= not (all(same) and shards == wanted and once)
            print(
                f"{name:22} {seconds:5.1f} s; tables the same, byte for byte: {sum(same)} of {len(same)}; "
                f"shards {shards} of {wanted}; every document counted once: {'yes' if once else 'NO'}",
                flush=True,
            )
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
