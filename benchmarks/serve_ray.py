"""`tlmviz serve --ray` on a local Ray cluster of two nodes, of which one is lost and one joins: `python
benchmarks/serve_ray.py`.

Students open a page each; it prints how many of them each machine serves, how long a page takes, and what happens to
them when a node ends as a machine that loses its power, and when another one joins. It ends with status 1 where a
student is left without a page. Needs `pip install "tlmviz[ray]"` and nginx; loopback only.
"""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ.update(
    RAY_USAGE_STATS_ENABLED="0", PYTHONPATH=os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
)
from ray.cluster_utils import Cluster

from benchmarks.hall import Record, Student, summary
from tlmviz.cli.server import free_port, is_ready

NODE = {"num_cpus": 1, "object_store_memory": 200_000_000, "include_dashboard": False}
STUDENTS, PATIENCE = 20, 120.0
SERVES = re.compile(rb"held\0serve\0--port\0(\d+)\0--processes")


def machines() -> dict[int, int]:
    """The port of every machine's process pool -> browser tabs that it serves, as its own /metrics says."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            port = SERVES.search(path.read_bytes())
        except OSError:
            continue
        if port:
            found[int(port[1])] = tabs(int(port[1]))
    return found


def tabs(port: int) -> int:
    """Browser tabs that are open at a process pool."""
    try:
        text = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5).read().decode()
    except OSError:
        return 0
    return round(sum(float(line.split()[-1]) for line in text.splitlines() if line.startswith("tlmviz_sessions ")))


def until(true: Callable[[], bool], what: str) -> float:
    """Wait for something; how many seconds it took. Ends the script where it does not come."""
    began = time.monotonic()
    while not true():
        if time.monotonic() - began > PATIENCE:
            sys.exit(f"{what} did not come within {PATIENCE:.0f} s")
        time.sleep(0.5)
    return time.monotonic() - began


async def opened(port: int, students: list[Student], page: str) -> str:
    """All open a page, one after the other; the times."""
    record = students[0].record
    record.presses.clear()
    for student in students:
        await student.open(page)
    if len(record.presses) != len(students):
        sys.exit(f"{len(students) - len(record.presses)} students have no page: {dict(record.errors)}")
    return summary(record.times())


async def lecture(cluster: Cluster, port: int) -> None:
    """Two machines, one of them lost, another one joined."""
    record = Record()
    students = [Student(port, number, record) for number in range(STUDENTS)]
    print("two machines:", await opened(port, students, "explorer"), "; tabs by machine:", sorted(machines().values()))
    lost = cluster.list_all_nodes()[-1]
    cluster.remove_node(lost, allow_graceful=False)
    until(lambda: len(machines()) == 1, "the end of the pool that was lost")
    print("one is lost:", await opened(port, students, "rope_planes"), "; came back by their link:", record.returns)
    cluster.add_node(**NODE)
    took = until(lambda: sum(map(is_there, machines())) == 2, "the pool of the machine that joined")
    for student in students:
        await student.leave()
    print(f"another one joins: it serves after {took:.0f} s;", await opened(port, students, "kv_cache"))
    print("tabs by machine:", sorted(machines().values()), "; errors:", dict(record.errors) or "none")


def is_there(port: int) -> bool:
    """Whether a pool lets visitors in."""
    return is_ready(f"http://127.0.0.1:{port}/")


def main() -> None:
    """Start the cluster and the server, and print what happens."""
    cluster = Cluster(initialize_head=True, head_node_args=NODE)
    cluster.add_node(**NODE)
    port = free_port()
    server = subprocess.Popen(
        [sys.executable, "-m", "tlmviz", "serve", "--port", str(port), "--ray", cluster.address, "--requests", "0"]
    )
    try:
        took = until(lambda: is_there(port), "the server")
        print(f"served after {took:.0f} s")
        asyncio.run(lecture(cluster, port))
    finally:
        server.terminate()
        server.wait()
        cluster.shutdown()


if __name__ == "__main__":
    main()
