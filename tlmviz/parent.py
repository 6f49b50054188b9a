"""Processes that end with the one that started them, however that one ended: a server that was killed leaves nothing
behind."""

from __future__ import annotations

import contextlib
import ctypes
import signal

PDEATHSIG = 1  # of Linux's prctl(2)


def end_with_parent() -> None:
    """SIGTERM to this process when the thread that started it is gone. Linux; else nothing.

    For `subprocess.Popen(preexec_fn=...)`, and for the first call in a process of a pool.
    """
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PDEATHSIG, signal.SIGTERM)
