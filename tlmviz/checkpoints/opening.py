"""What may be opened in the app: a path is looked at, and offered to the menus of this process."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from tlmviz.dump import open_trace
from tlmviz.errors import UnknownName
from tlmviz.trace_file import TraceFile

from . import folders
from .formats import format_of

ALLOWED = "a checkpoint folder, a .gguf file, or a file that trace.save wrote"


def checked(text: str) -> Path:
    """The absolute path of a model, whose weights are not read, or of a file with one pass. Raises Error."""
    path = Path(text).expanduser().absolute()
    if not path.exists():
        raise UnknownName(f"There is nothing at {path}; give the path of {ALLOWED}.")
    if path.is_file() and path.suffix not in (folders.SUFFIX, folders.TRACE):
        raise UnknownName(f"{path.name} is no model; give the path of {ALLOWED}.")
    if os.pathsep in str(path):
        raise UnknownName(f"The path {path} holds {os.pathsep!r}, which separates paths; rename the folder.")
    form = format_of(path)
    form.read_config(path)
    if form.task(path) == TraceFile.task:
        open_trace(path)  # small beside a model: what is damaged in it is said here
    return path


def offer(paths: Sequence[Path]) -> None:
    """Add paths to what the menus offer, for this process and those that it starts."""
    given = [text for text in os.environ.get(folders.OPENED, "").split(os.pathsep) if text]
    os.environ[folders.OPENED] = os.pathsep.join(dict.fromkeys([*given, *map(str, paths)]))
