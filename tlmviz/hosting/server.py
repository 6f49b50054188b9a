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

from tlmviz.checkpoints import wheels
from tlmviz.checkpoints.folders import UPLOADS
from tlmviz.errors import Error
from tlmviz.extras import require

from . import token as tokens

PACKAGE = Path(__file__).resolve().parents[1]
PAGES = (
    "tlmviz_app"  # the namespace package of the wheel tlmviz-app, in which app.py and pages/ lie as in the repository
)
LOOPBACK = "127.0.0.1"  # which only this machine reaches
EVERYWHERE = ("", "0.0.0.0", "::")  # all addresses of this machine
LARGEST_UPLOAD = 4096  # MB, where uploads are allowed
PATIENCE = 300.0  # seconds until a server must answer: a busy machine is slow


def app_file() -> Path:
    """app.py, which `streamlit run` takes. Raises Error where tlmviz was installed without its pages."""
    for place in (PACKAGE.parent, *wheels.places(PAGES)):
        if (place / "app.py").is_file() and (place / "pages").is_dir():
            return place / "app.py"
    raise Error('The pages of the app are not installed here; run `pip install "tlmviz[app]"`.')


def require_app() -> None:
    """Raise MissingExtra where what the app runs on is not installed."""
    require("streamlit", "app", "The app")


def arguments(app: Path, port: int, host: str = "", bind: str = "") -> list[str]:
    """The arguments of `streamlit`. It reads .streamlit/config.toml from the folder of the app.

    `host` is the name by which visitors reach the server. Without one Streamlit would ask a foreign server for it.
    `bind` is the address to listen at; all of this machine's without one.
    """
    sizes = ["--server.maxUploadSize", str(LARGEST_UPLOAD)] if os.environ.get(UPLOADS) == "1" else []
    # An app with a token is for the user of this machine, in the window that asked for it.
    alone = ["--server.headless", "true"] if os.environ.get(tokens.VARIABLE) else []
    where = LOOPBACK if alone else bind
    address = ["--server.address", where] if where else []
    named = ["--browser.serverAddress", host or "localhost"]
    return ["run", str(app), "--server.port", str(port), *named, *address, *alone, *sizes]


def require_address(bind: str) -> None:
    """Raise Error for what is no address of this machine that a server can listen at."""
    try:
        if not bind:  # which the system takes for all
            raise OSError
        with socket.socket(_family(bind)) as candidate:
            candidate.bind((bind, 0))
    except OSError:
        raise Error(
            f"{bind!r} is no address of this machine; give one with --bind, such as {LOOPBACK}, or 0.0.0.0 for all."
        ) from None


def host_of(bind: str) -> str:
    """What listens at an address, as a link on this machine says it."""
    return "localhost" if bind in EVERYWHERE else f"[{bind}]" if ":" in bind else bind


def _family(bind: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in bind else socket.AF_INET


def port_is_free(port: int, bind: str = "") -> bool:
    """Whether a server can listen at this port of an address, or of all."""
    with socket.socket(_family(bind)) as candidate:
        candidate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            candidate.bind((bind, port))
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

    `command` starts it and is given `--port N`; `python -m tlmviz run` unless named. With a `token`
    (tlmviz.hosting.token) the server listens at the loopback interface alone and asks for it. `options` go to
    `subprocess.Popen`. Raises Error when it ends at once or is not ready within PATIENCE.
    """
    require_app()
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
