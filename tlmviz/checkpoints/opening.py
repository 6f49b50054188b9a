"""What may be opened in the app: a path is looked at, and offered to the menus of this process."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from tlmviz.errors import UnknownName
from tlmviz.tracing.dump import open_trace
from tlmviz.tracing.trace_file import TraceFile

from . import folders
from .formats import format_of

ALLOWED = "a checkpoint folder, a .gguf file, a file that trace.save wrote, or the folder of a monitored training"


def checked(text: str) -> Path:
    """The absolute path of a model, whose weights are not read, of a file with one pass, or of a monitored run. Raises
    Error."""
    path = Path(text).expanduser().absolute()
    if not path.exists():
        raise UnknownName(f"There is nothing at {path}; give the path of {ALLOWED}.")
    if path.is_file() and path.suffix not in (folders.SUFFIX, folders.TRACE):
        raise UnknownName(f"{path.name} is no model; give the path of {ALLOWED}.")
    if os.pathsep in str(path):
        raise UnknownName(f"The path {path} holds {os.pathsep!r}, which separates paths; rename the folder.")
    if folders.holds_run(path):
        return path
    form = format_of(path)
    form.read_config(path)
    if form.task(path) == TraceFile.task:
        open_trace(path)  # small beside a model: what is damaged in it is said here
    return path


def offer(paths: Sequence[Path]) -> None:
    """Add paths to what the menus offer, for this process and those that it starts."""
    runs = [path for path in paths if folders.holds_run(path)]
    for variable, new in ((folders.OPENED, [path for path in paths if path not in runs]), (folders.RUNS, runs)):
        if every := [*folders.given_paths(variable), *new]:
            os.environ[variable] = os.pathsep.join(dict.fromkeys(map(str, every)))
