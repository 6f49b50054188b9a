"""Several app processes behind one address, kept running: what `tlmviz serve` starts and stops."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from prometheus_client.multiprocess import mark_process_dead

from tlmviz.checkpoints import mapped
from tlmviz.errors import Error
from tlmviz.parent import end_with_parent

from . import metrics, nginx, rooms
from .addresses import BELIEVED, believed
from .limits import VARIABLE, Limits
from .server import LOOPBACK, PATIENCE, app_file, arguments, free_port, host_of, is_ready

LOOK = 0.5  # seconds between two looks at the processes
GRACE = 10.0  # seconds that a process is given to end by itself


@dataclass
class ProcessPool:
    """App processes at ports of the loopback interface, and nginx before them where there are several.

    Each process computes with one thread: two torch calls that share cores are slower than one after the other. Weights
    lie in one file in `folder` that all of them map (tlmviz.checkpoints.mapped), so that a real model is in memory
    once; the rooms of classes in another, so that a class may be spread over all of them.
    """

    processes: int
    port: int
    limits: Limits
    host: str = ""  # the name that visitors use, where it is not this machine's own
    bind: str = ""  # the address that visitors come to; all of this machine's without one
    proxies: tuple[str, ...] = ()  # addresses or networks of servers before it, whose word on who asks is believed
    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="tlmviz-pool-")))
    apps: dict[int, subprocess.Popen[bytes]] = field(default_factory=dict)  # by port
    front: subprocess.Popen[bytes] | None = None
    restarts: int = 0
    stopping: bool = False

    def start(self) -> None:
        """Start everything; returns when visitors can be let in, or at SIGTERM and SIGINT. Raises Error where one does
        not."""

        def stop(*_: int | FrameType | None) -> None:
            self.stopping = True

        for each in (signal.SIGTERM, signal.SIGINT):  # before there is something that they would leave behind
            signal.signal(each, stop)
        for name in ("weights", "metrics", "rooms"):
            (self.folder / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder.chmod(0o711)  # nginx that root starts works as another user, and keeps its files below
        self._secret = secrets.token_hex()
        alone = self.processes == 1
        binary = "" if alone else nginx.executable()
        for port in [self.port] if alone else [free_port() for _ in range(self.processes)]:
            self.apps[port] = self._app(port)
        self._wait()
        if not alone:
            apps = [f"{LOOPBACK}:{port}" for port in self.apps]
            tabs = self.limits.tabs * self.processes
            nginx.write(self.folder / "nginx", self.port, apps, proxies=self.proxies, tabs=tabs, bind=self.bind)
            self.front = nginx.start(binary, self.folder / "nginx")

    @property
    def _bound(self) -> str:
        """The address that the app processes listen at: behind nginx that of this machine alone."""
        return self.bind if self.processes == 1 else LOOPBACK

    def _app(self, port: int) -> subprocess.Popen[bytes]:
        # Every press is a thread, and glibc would keep what each of them freed in an arena of its own.
        environment = (
            {"MALLOC_ARENA_MAX": "2"}
            | os.environ
            | {
                "OMP_NUM_THREADS": "1",
                "STREAMLIT_SERVER_COOKIE_SECRET": self._secret,
                mapped.FOLDER: str(self.folder / "weights"),
                metrics.FOLDER: str(self.folder / "metrics"),
                rooms.FOLDER: str(self.folder / "rooms"),
                VARIABLE: self.limits.as_json(),
                # Behind nginx, that is the one who asks, and it has a list of its own.
                BELIEVED: believed(self.proxies if self.processes == 1 else ()),
            }
        )
        quiet = ["--logger.hideWelcomeMessage", "true"]
        command = [sys.executable, "-m", "streamlit", *arguments(app_file(), port, self.host, self._bound), *quiet]
        # It writes what fails to standard output: to our standard error.
        return subprocess.Popen(command, env=environment, stdout=2, preexec_fn=end_with_parent)

    def _wait(self) -> None:
        """Until every process has warmed up."""
        began = time.monotonic()
        host = host_of(self._bound or LOOPBACK)
        for port, process in self.apps.items():
            while not self.stopping and not is_ready(f"http://{host}:{port}/"):
                if process.poll() is not None:
                    raise Error(f"An app process ended with status {process.returncode}; `tlmviz run` shows why.")
                if time.monotonic() - began > PATIENCE:
                    raise Error(f"The app processes were not ready within {PATIENCE:.0f} s.")
                time.sleep(0.05)

    def look(self) -> None:
        """Start again what has ended by itself. Raises Error where nginx has."""
        if self.front is not None and self.front.poll() is not None:
            log = self.folder / "nginx" / "nginx.log"
            said = log.read_text().strip().splitlines()[-1:] if log.exists() else []
            raise Error(f"nginx ended with status {self.front.returncode}: {' '.join(said) or 'no word'}")
        for port, process in self.apps.items():
            if process.poll() is not None:
                # Else the gauges went on counting what was open in it.
                mark_process_dead(process.pid, str(self.folder / "metrics"))  # type: ignore[no-untyped-call]
                self.apps[port] = self._app(port)
                self.restarts += 1

    def run(self) -> None:
        """Look after everything until SIGTERM or SIGINT."""
        while not self.stopping:
            self.look()
            time.sleep(LOOK)

    def stop(self) -> None:
        """End everything: the app processes finish what they answer, then nginx goes. The folder is removed."""
        everything = [*self.apps.values(), *([self.front] if self.front else [])]
        for process in everything:
            process.terminate()
        for process in everything:
            try:
                process.wait(GRACE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
