"""The trainings that pages show: their folders by name, and what was measured of one."""

from __future__ import annotations

from pathlib import Path

from tlmviz import monitoring
from tlmviz.checkpoints.folders import run_folders
from tlmviz.errors import BadFile, UnknownName

from .language import N_


def folder_of(name: str) -> Path:
    """The folder of a training. Raises UnknownName where it is gone."""
    folder = run_folders().get(name)
    if folder is None:
        raise UnknownName(N_("There is no training “{name}” here any more; choose another one."), name=name[:60])
    return folder


def measured(folder: Path) -> monitoring.Run:
    """A training's record, as far as it goes. Raises BadFile for what is none, and while nothing was measured."""
    run = monitoring.read(folder)
    if run.heads.empty:
        raise BadFile(N_("Nothing was measured yet in {folder}; wait for its first step."), folder=folder.name)
    return run
