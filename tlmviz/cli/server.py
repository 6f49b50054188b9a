"""The app as a process: where it lies, and a server on a free port that lasts as long as a `with` block."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tlmviz.checkpoints.folders import UPLOADS
from tlmviz.errors import Error
from tlmviz.hosting import token as tokens

PACKAGE = Path(__file__).resolve().parents[1]
PLACES = (PACKAGE / "_app", PACKAGE.parent)  # in an installed wheel; in the repository
LARGEST_UPLOAD = 4096  # MB, where uploads are allowed
PATIENCE = 300.0  # seconds until a server must answer: a busy machine is slow


def app_file() -> Path:
    """app.py, which `streamlit run` takes. Raises Error where tlmviz was installed without its app."""
    for place in PLACES:
        if (place / "app.py").is_file() and (place / "pages").is_dir():
            return place / "app.py"
    raise Error(
        "This installation of tlmviz has no app; install it from the repository with `pip install .`."
    )


def arguments(app: Path, port: int) -> list[str]:
    """The arguments of `streamlit`. It reads .streamlit/config.toml from the folder of the app."""
    sizes = ["--server.maxUploadSize", str(LARGEST_UPLOAD)] if os.environ.get(UPLOADS) == "1" else []
    # An app with a token is for the user of this machine, in the window that asked for it.
    alone = (
        ["--server.address", "127.0.0.1", "--server.headless", "true"]
        if os.environ.get(tokens.VARIABLE)
        else []
    )
    return ["run", str(app), "--server.port", str(port), *alone, *sizes]


def port_is_free(port: int) -> bool:
    """Whether a server can listen at this port."""
    with socket.socket() as candidate:
        candidate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            candidate.bind(("", port))
        except OSError:
            return False
    return True


def free_port() -> int:
    """A port at which nobody listens."""
    with socket.socket() as candidate:
        candidate.bind(("", 0))
        return int(candidate.getsockname()[1])


@dataclass(frozen=True)
class Server:
    """A server that accepts visitors: its address with a final slash, its process, when the process began."""

    url: str
    port: int
    process: subprocess.Popen[bytes]
    started: float  # time.time()

    def memory(self) -> float:
        """Resident memory in MB (Linux)."""
        statm = Path(f"/proc/{self.process.pid}/statm").read_text()
        return int(statm.split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


@contextlib.contextmanager
def serve(command: list[str] | None = None, token: str = "", **options: object) -> Iterator[Server]:
    """A server of the app at a free port, ready when the block begins and stopped when it ends.

    `command` starts it and is given `--port N`; `python -m tlmviz run` unless named. With a `token` (tlmviz.hosting.token) the
    server listens at the loopback interface alone and asks for it. `options` go to `subprocess.Popen`. Raises Error when it ends
    at once or is not ready within PATIENCE.
    """
    port, started = free_port(), time.time()
    command = command or [sys.executable, "-m", "tlmviz", "run"]
    settings = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": PACKAGE.parent, **options}
    if token:  # by the environment: other users of this machine see command lines
        settings["env"] = os.environ | {tokens.VARIABLE: token}
    process = subprocess.Popen([*command, "--port", str(port)], **settings)  # type: ignore[call-overload]
    # By number where there is a token: somebody else may listen at the other address that the name stands for.
    server = Server(f"http://{'127.0.0.1' if token else 'localhost'}:{port}/", port, process, started)
    try:
        while not is_ready(server.url, token):
            if process.poll() is not None:
                raise Error(f"The server ended with status {process.returncode}; `tlmviz run` shows why.")
            if time.time() - started > PATIENCE:
                raise Error(f"The server was not ready within {PATIENCE:.0f} s; `tlmviz run` shows why.")
            time.sleep(0.02)
        yield server
    finally:
        process.terminate()
        process.wait()


def is_ready(url: str, token: str = "") -> bool:
    """Whether the server at this address has warmed up and accepts visitors."""
    token = token or os.environ.get(tokens.VARIABLE, "")
    with contextlib.suppress(OSError, ValueError):
        request = urllib.request.Request(url + "health", headers=tokens.cookie(token) if token else {})
        return bool(json.load(urllib.request.urlopen(request, timeout=1)) == {"status": "ok"})
    return False
