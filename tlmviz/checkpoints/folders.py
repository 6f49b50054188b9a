"""Where models lie: bundled ones, those installed in the user's cache, those that `tlmviz run` was given, and any path."""

from __future__ import annotations

import json
import os
from pathlib import Path

from . import wheels

PACKAGE = Path(__file__).resolve().parents[1]
VARIABLE = "TLMVIZ_MODELS"  # the environment variable that names another folder of models
CACHE = "TLMVIZ_CACHE"  # the one that names another cache folder
OPENED = "TLMVIZ_OPEN"  # the one by which `tlmviz run PATH...` tells the app what to offer; never filled from a link
UPLOADS = "TLMVIZ_UPLOADS"  # "1" lets visitors upload models and traces; a hosted demo leaves it unset
SURVEYS = "TLMVIZ_SURVEYS"  # the one that names a survey, or a folder of them; never filled from a link
SURVEY = "survey"  # the folder beside a model that holds a survey of it
SUFFIX = ".gguf"
TRACE = ".safetensors"  # of a file with one pass, see docs/dump.md


def models_folders() -> list[Path]:
    """Where models are looked up by name, in this order: TLMVIZ_MODELS alone when set.

    Else the models in the wheel of tlmviz, or in the repository, and then those of wheels that hold nothing else.
    """
    own = os.environ.get(VARIABLE)
    if own:
        return [Path(own).expanduser()]
    bundled = PACKAGE / "_app" / "models"
    return [bundled if bundled.is_dir() else PACKAGE.parent / "models", *wheels.folders()]


def models_folder() -> Path:
    """The first of `models_folders`: that of the zoo's table, where a recipe puts what it has trained."""
    return models_folders()[0]


def model_folders() -> list[Path]:
    """Every checkpoint folder in `models_folders`, by name; the first of a name counts."""
    found = {
        path.parent.name: path.parent
        for folder in reversed(models_folders())
        for path in folder.glob("*/config.json")
    }
    return [found[name] for name in sorted(found)]


def model_folder(name: str) -> Path:
    """The folder of a bundled model, or where it would be in `models_folder`."""
    places = [folder / name for folder in models_folders()]
    return next((place for place in places if (place / "config.json").is_file()), places[0])


def cache_folder() -> Path:
    """The user's cache folder of tlmviz: TLMVIZ_CACHE when set, else tlmviz in XDG_CACHE_HOME, else ~/.cache/tlmviz."""
    own = os.environ.get(CACHE)
    if own:
        return Path(own).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "tlmviz"


def installed_folder(name: str) -> Path:
    """Where `tlmviz get` keeps the model of a name, whether it is there or not."""
    return cache_folder() / "models" / name


def installed_models() -> dict[str, Path]:
    """What `tlmviz get` has installed: name -> folder. Folders whose names begin with a point are unfinished."""
    try:
        folders = sorted(path for path in installed_folder("").iterdir() if path.is_dir())
    except OSError:
        return {}
    return {path.name: path for path in folders if not path.name.startswith(".")}


def opened_models() -> dict[str, Path]:
    """What `tlmviz run` was given: name -> path. The name is the file's or the folder's; a second one of a name gets a number."""
    found: dict[str, Path] = {}
    for text in filter(None, os.environ.get(OPENED, "").split(os.pathsep)):
        path = Path(text)
        stem = path.name.removesuffix(SUFFIX)
        name, count = stem, 2
        while name in found or (model_folder(name) / "config.json").is_file():
            name, count = f"{stem}-{count}", count + 1
        found[name] = path
    return found


def added_models() -> dict[str, Path]:
    """The models that are no part of tlmviz, by name: opened ones, then installed ones."""
    return installed_models() | opened_models()


def survey_folders() -> dict[str, Path]:
    """Surveys by name: first what TLMVIZ_SURVEYS names, that folder or the ones in it, then those beside models, by the model's.

    A folder that holds a `settings.json` is one, whether the survey was finished or not; the first of a name counts.
    """
    found: dict[str, Path] = {}
    if own := os.environ.get(SURVEYS):
        folder = Path(own).expanduser()
        found = {path.name: path for path in (folder, *_folders_in(folder))}
    models = {path.name: path for path in model_folders()} | added_models()
    found = {**found, **{name: path / SURVEY for name, path in models.items() if name not in found}}
    return {name: path for name, path in found.items() if _holds_survey(path)}


def _holds_survey(folder: Path) -> bool:
    try:
        return (folder / "settings.json").is_file()
    except OSError:
        return False


def _folders_in(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.is_dir())
    except OSError:
        return []


def kind_of(folder: Path) -> str:
    """The `kind` that a folder's config.json states; "" for a language model, which has none, and for an unreadable file."""
    return str(config_values(folder).get("kind", ""))


def config_values(folder: Path) -> dict[str, object]:
    """What a folder's config.json holds; nothing where it cannot be read as an object."""
    try:
        values = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def named_path(text: str) -> Path | None:
    """The path of a bundled name, else of an opened or installed one, else a folder or a file; None for nothing of these."""
    try:
        if Path(text).name == text and (model_folder(text) / "config.json").is_file():
            return model_folder(text)
        added = added_models().get(text)
        if added is not None:
            return added
        path = Path(text).expanduser()
        return path if path.is_dir() or (path.suffix in (SUFFIX, TRACE) and path.is_file()) else None
    except (OSError, RuntimeError, ValueError):  # too long a name, a null byte, or the home of nobody
        return None
