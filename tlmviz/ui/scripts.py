"""The JavaScript of a custom component: files that are read and changed apart, and travel as one ES module."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

MOUNT = Path(__file__).parent / "mount.js"


def module(folder: Path, names: Iterable[str]) -> str:
    """The files `names` of a `folder` and what mounts their view, in one module: top-level names are theirs together."""
    return "\n".join(path.read_text(encoding="utf-8") for path in (*(folder / name for name in names), MOUNT))
