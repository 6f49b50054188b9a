"""`tlmviz <command>`, also as `python -m tlmviz <command>`; tlmviz/cli has a module per command."""

from __future__ import annotations

from .cli.main import main

__all__ = ["main"]

if __name__ == "__main__":
    raise SystemExit(main())
