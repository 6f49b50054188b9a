"""Processes that end with the one that started them, however that one ended: a server that was killed leaves nothing behind."""

from __future__ import annotations

import contextlib
import ctypes
import signal

PDEATHSIG = 1  # of Linux's prctl(2)


def end_with_parent() -> None:
    """For `subprocess.Popen(preexec_fn=...)`: SIGTERM when the thread that starts the process is gone. Linux; else nothing."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PDEATHSIG, signal.SIGTERM)
