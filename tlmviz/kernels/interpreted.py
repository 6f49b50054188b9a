"""The Triton attention kernel on a machine without a card: run in Triton's interpreter, by a process of its own.

TRITON_INTERPRET=1 must stand in the environment before triton is imported, and then holds for the whole process: hence
another one. It is started once, waits for the next call, and ends with its parent or after IDLE seconds without work.
Arrays travel through its pipes as .npz files, each behind its length in 8 bytes.
"""

from __future__ import annotations

import io
import os
import select
import struct
import subprocess
import sys
import threading
from importlib import util
from pathlib import Path
from typing import IO

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from tlmviz.errors import BadBackend

IDLE = 600.0  # seconds
PATIENCE = 120.0  # seconds for one call, its start included: far more than it takes where the machine has time
Arrays = dict[str, np.ndarray]


class Interpreter:
    """Runs the Triton attention kernel in Triton's interpreter. Calls from several threads wait for one another."""

    def __init__(self, patience: float = PATIENCE):
        self.patience = patience
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def start(self) -> None:
        """Start the process where none runs, without waiting for it. Raises BadBackend where triton is not
        installed."""
        if util.find_spec("triton") is None:
            raise BadBackend("The Triton kernel needs the package triton, which is not installed here.")
        if self._process is None or self._process.poll() is not None:
            root = str(Path(__file__).resolve().parents[2])
            paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
            own = {"TRITON_INTERPRET": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(paths)}
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, **own},
            )

    def attention(
        self,
        q: Float[Tensor, "b h t d"],
        k: Float[Tensor, "b g s d"],
        v: Float[Tensor, "b g s e"],
        *,
        scale: float,
        window: int | None = None,
        slopes: Float[Tensor, " h"] | None = None,
    ) -> tuple[Float[Tensor, "b h t e"], Float[Tensor, "b h t"]]:
        """Causal `kernels.attention(..., backend="triton")` of float32 tensors on the CPU: out and lse.

        Raises BadBackend where triton is not installed, and where the process ends or takes too long; the next call
        starts another one.
        """
        arrays = {name: part.numpy() for name, part in (("q", q), ("k", k), ("v", v))}
        arrays |= {"scale": np.array(scale, np.float64)}
        arrays |= {} if window is None else {"window": np.array(window)}
        arrays |= {} if slopes is None else {"slopes": slopes.numpy()}
        with self._lock:
            found = self._ask(arrays)
        return torch.from_numpy(found["out"]), torch.from_numpy(found["lse"])

    def stop(self) -> None:
        """End the process; the next call starts another one."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _ask(self, arrays: Arrays) -> Arrays:
        self.start()
        process = self._process
        assert process is not None and process.stdin is not None and process.stdout is not None
        deadline = threading.Timer(self.patience, process.kill)
        deadline.start()
        try:
            _write(process.stdin, arrays)
            found = _read(process.stdout)
        except OSError:
            found = None
        finally:
            deadline.cancel()
        if found is None:
            self.stop()
            raise BadBackend(
                "The process that interprets the kernel ended before it answered; run it again to start a new one."
            )
        return found


def _write(stream: IO[bytes], arrays: Arrays) -> None:
    file = io.BytesIO()
    np.savez(file, **arrays)  # type: ignore[arg-type]  # its stub takes keywords for options
    stream.write(struct.pack("<Q", file.tell()) + file.getvalue())
    stream.flush()


def _read(stream: IO[bytes]) -> Arrays | None:
    """The next arrays; None at the end of the stream."""
    head = stream.read(8)
    body = stream.read(struct.unpack("<Q", head)[0]) if len(head) == 8 else b""
    if not body:
        return None
    with np.load(io.BytesIO(body), allow_pickle=False) as file:
        return dict(file)


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answer calls until the requests end, or none comes for IDLE seconds."""
    from .attention import attention

    small = torch.ones(1, 1, 1, 16)
    attention(small, small, small, backend="triton")  # imports triton before the first call
    while select.select([requests], [], [], IDLE)[0]:
        asked = _read(requests)
        if asked is None:
            return
        q, k, v = (torch.from_numpy(asked[name]) for name in ("q", "k", "v"))
        window = int(asked["window"]) if "window" in asked else None
        slopes = torch.from_numpy(asked["slopes"]) if "slopes" in asked else None
        out, lse = attention(q, k, v, scale=float(asked["scale"]), window=window, slopes=slopes, backend="triton")
        _write(answers, {"out": out.numpy(), "lse": lse.numpy()})


def main() -> None:
    """What the process does: answers go to what was its standard output, which from then on is the log."""
    torch.set_num_threads(1)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    with torch.inference_mode():
        serve(os.fdopen(0, "rb"), answers)  # one call at a time: between calls its buffer is empty


if __name__ == "__main__":
    main()
