"""Custom components: files that are read and changed apart, and travel as one ES module and its style."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import streamlit as st

MOUNT = Path(__file__).parent / "mount.js"


def module(folder: Path, names: Iterable[str]) -> str:
    """The files `names` of a `folder` and what mounts their view, in one module: top-level names are theirs together."""
    return "\n".join(path.read_text(encoding="utf-8") for path in (*(folder / name for name in names), MOUNT))


def component(name: str, folder: Path, names: Iterable[str]) -> Callable:
    """Register the view of a `folder`: its `module` with the folder's view.css. Called once, when a view is imported."""
    style = (folder / "view.css").read_text(encoding="utf-8")
    return st.components.v2.component(name, css=style, js=module(folder, names))
