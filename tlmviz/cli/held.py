"""The server of a window: `tlmviz run`, which ends with the process that holds its standard input, however that one ended."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading

from . import run


def end_with_the_window() -> None:
    """Wait until nobody can write to standard input any more, then end this process as `kill` would."""
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    threading.Thread(target=end_with_the_window, daemon=True).start()
    parser = argparse.ArgumentParser()
    run.add_arguments(parser)
    raise SystemExit(run.run(parser.parse_args()))
