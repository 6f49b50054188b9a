"""A command of tlmviz that ends with the process that holds its standard input, however that one ended: `run` of a
window."""

from __future__ import annotations

import os
import signal
import sys
import threading

from .main import main


def end_with_the_holder() -> None:
    """Wait until nobody can write to standard input any more, then end this process as `kill` would."""
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    threading.Thread(target=end_with_the_holder, daemon=True).start()
    raise SystemExit(main(sys.argv[1:]))
