"""The app on every machine of a Ray cluster, behind one address: what `tlmviz serve --ray` starts and stops.

Each machine runs a pool of processes (tlmviz.cli.process_pool), with its weights once and its limits. Visitors stay
with a machine by a cookie's hash, as they stay with a process there by another one.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tlmviz.analysis.workbench.survey.cluster import connected
from tlmviz.errors import Error
from tlmviz.hosting import nginx

from .server import PATIENCE, free_port, is_ready

LOOK = 2.0  # seconds between two looks at the machines
GRACE = 15.0  # seconds that a machine is given to end its processes


class Machine:
    """A pool on the machine where Ray runs this; made an actor by `Machines`."""

    def start(self, arguments: list[str], processes: int) -> str:
        """Serve; returns HOST:PORT once visitors can be let in. Raises Error where it does not start."""
        import ray

        port = free_port()
        host = ray.util.get_node_ip_address()
        # It ends with this process, which Ray ends with its cluster.
        command = [sys.executable, "-m", "tlmviz.cli.held", "serve", "--port", str(port)]
        self.pool = subprocess.Popen([*command, "--processes", str(processes), *arguments], stdin=subprocess.PIPE)
        began = time.monotonic()
        while not is_ready(f"http://{host}:{port}/"):
            if self.pool.poll() is not None or time.monotonic() - began > PATIENCE:
                raise Error(f"The app did not start at {host}; `tlmviz serve` there says why.")
            time.sleep(0.1)
        return f"{host}:{port}"

    def status(self) -> int | None:
        """None while it serves."""
        return self.pool.poll()

    def stop(self) -> None:
        """End its processes."""
        self.pool.terminate()
        self.pool.wait(GRACE)


@dataclass
class Machines:
    """nginx at `port` of this machine, before a pool on every machine of the cluster at `address`.

    A machine that joins gets a pool, one whose pool has ended a new one; visitors of a machine that is gone go on at
    another, from their links. `arguments` are those of `tlmviz serve` on each of them.
    """

    address: str
    port: int
    arguments: list[str]
    proxies: tuple[str, ...] = ()  # as a pool's
    bind: str = ""  # as a pool's
    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="tlmviz-machines-")))
    pools: dict[str, tuple[Any, str]] = field(default_factory=dict)  # by node: its actor, its HOST:PORT
    front: subprocess.Popen[bytes] | None = None
    stopping: bool = False

    def run(self) -> None:
        """Serve until SIGTERM or SIGINT. Raises Error where Ray or nginx is missing, or no machine serves."""

        def stop(*_: Any) -> None:
            self.stopping = True

        binary = nginx.executable()
        with connected(self.address):
            import ray

            self.arguments = [*self.arguments, f"--proxy={ray.util.get_node_ip_address()}"]
            for each in (signal.SIGTERM, signal.SIGINT):
                signal.signal(each, stop)
            try:
                self.look()
                if not self.pools:
                    raise Error("No machine of the cluster serves the app; `ray status` lists them.")
                self.front = nginx.start(binary, self.folder)
                print(
                    f"{len(self.pools)} machines at http://localhost:{self.port}; Ctrl+C ends them.",
                    file=sys.stderr,
                    flush=True,
                )
                while not self.stopping:
                    time.sleep(LOOK)
                    self.look()
            finally:
                self.stop()

    def look(self) -> None:
        """Forget machines that are gone, start where there is no pool, and tell nginx what has changed."""
        import ray

        alive = {node["NodeID"]: node for node in ray.nodes() if node["Alive"]}
        before = {address for _, address in self.pools.values()}
        for node in list(self.pools):
            if node not in alive or not self._serves(node):
                del self.pools[node]
        for node, facts in alive.items():
            if node not in self.pools and not self.stopping:
                self._start(node, max(1, int(facts["Resources"].get("CPU", 0))))
        addresses = {address for _, address in self.pools.values()}
        if addresses and addresses != before:
            nginx.write(self.folder, self.port, sorted(addresses), nginx.MACHINE, self.proxies, bind=self.bind)
            if self.front is not None:
                self.front.send_signal(signal.SIGHUP)

    def _serves(self, node: str) -> bool:
        import ray

        try:
            return ray.get(self.pools[node][0].status.remote(), timeout=LOOK) is None
        except ray.exceptions.GetTimeoutError:  # busy, not gone
            return True
        except ray.exceptions.RayError:
            return False

    def _start(self, node: str, processes: int) -> None:
        """A pool on a machine, one process for each of its cores. One that cannot start is said, and tried again
        later."""
        import ray
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        there = NodeAffinitySchedulingStrategy(node, soft=False)
        actor = ray.remote(Machine).options(num_cpus=0, scheduling_strategy=there).remote()
        try:
            self.pools[node] = actor, ray.get(actor.start.remote(self.arguments, processes), timeout=PATIENCE)
        except ray.exceptions.RayError as error:
            print(f"A machine does not serve: {str(error).strip().splitlines()[-1]}", file=sys.stderr, flush=True)
            ray.kill(actor)

    def stop(self) -> None:
        """End nginx and every pool."""
        import ray

        if self.front is not None:
            self.front.terminate()
            self.front.wait()
        ending = [actor.stop.remote() for actor, _ in self.pools.values()]
        if ending:
            ray.wait(ending, num_returns=len(ending), timeout=GRACE)
        shutil.rmtree(self.folder, ignore_errors=True)
