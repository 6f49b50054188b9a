"""Where models lie: bundled ones, those installed in the user's cache, those that `tlmviz run` was given, and any
path."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from . import wheels

PACKAGE = Path(__file__).resolve().parents[1]
VARIABLE = "TLMVIZ_MODELS"  # the environment variable that names another folder of models
CACHE = "TLMVIZ_CACHE"  # the one that names another cache folder
OPENED = "TLMVIZ_OPEN"  # the one by which `tlmviz run PATH...` tells the app what to offer; never filled from a link
UPLOADS = "TLMVIZ_UPLOADS"  # "1" lets visitors upload models and traces; a hosted demo leaves it unset
UPLOADED = "TLMVIZ_UPLOADED"  # by which a process tells itself, and those it starts, of uploads
SURVEYS = "TLMVIZ_SURVEYS"  # the one that names a survey, or a folder of them; never filled from a link
RUNS = "TLMVIZ_RUNS"  # the one by which `tlmviz run` names monitored trainings; never filled from a link
SURVEY = "survey"  # the folder beside a model that holds a survey of it
HEADS = "heads.parquet"  # the file that tells a monitored run
RUN = "run"  # the folder beside a model that holds what tlmviz.monitor wrote of its training
STEPS = "steps"  # the folder beside a model that holds its weights at steps of its training
AT = "@"  # between a model's name and such a step
SUFFIX = ".gguf"
TRACE = ".safetensors"  # of a file with one pass, see docs/dump.md


def models_folders() -> list[Path]:
    """Where models are looked up by name, in this order: TLMVIZ_MODELS alone when set.

    Else the models in the wheel of tlmviz, or in the repository, and then those of wheels that hold nothing else.
    """
    own = os.environ.get(VARIABLE)
    if own:
        return [Path(own).expanduser()]
    bundled = PACKAGE / "_models"
    return [bundled if bundled.is_dir() else PACKAGE.parent / "models", *wheels.folders()]


def models_folder() -> Path:
    """The first of `models_folders`: that of the zoo's table, where a recipe puts what it has trained."""
    return models_folders()[0]


def model_folders() -> list[Path]:
    """Every checkpoint folder in `models_folders`, by name; the first of a name counts."""
    found = {
        path.parent.name: path.parent for folder in reversed(models_folders()) for path in folder.glob("*/config.json")
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
    """What `tlmviz run` was given: name -> path. The name is the file's or the folder's; a second one of a name gets a
    number."""
    paths = given_paths(OPENED)
    return dict(zip(_numbered(path.name.removesuffix(SUFFIX) for path in paths), paths))


def uploaded_models() -> dict[str, Path]:
    """What visitors have uploaded to this process: name -> path. No other model has the name (ui.uploads)."""
    return {path.name.removesuffix(SUFFIX): path for path in given_paths(UPLOADED)}


def given_paths(variable: str) -> list[Path]:
    """The paths that an environment variable holds."""
    return [Path(text) for text in os.environ.get(variable, "").split(os.pathsep) if text]


def _numbered(stems: Iterable[str]) -> list[str]:
    """Names that differ from each other and from those of bundled models, by numbers behind them."""
    found: list[str] = []
    for stem in stems:
        name, count = stem, 2
        while name in found or (model_folder(name) / "config.json").is_file():
            name, count = f"{stem}-{count}", count + 1
        found.append(name)
    return found


def added_models() -> dict[str, Path]:
    """The models that are no part of tlmviz, by name: opened ones, then installed ones, then uploaded ones."""
    return uploaded_models() | installed_models() | opened_models()


def survey_folders() -> dict[str, Path]:
    """Surveys by name: first what TLMVIZ_SURVEYS names, that folder or the ones in it, then those beside models, by the
    model's.

    A folder that holds a `settings.json` is one, whether the survey was finished or not; the first of a name counts.
    """
    found: dict[str, Path] = {}
    if own := os.environ.get(SURVEYS):
        folder = Path(own).expanduser()
        found = {path.name: path for path in (folder, *_folders_in(folder))}
    models = {path.name: path for path in model_folders()} | added_models()
    found = {**found, **{name: path / SURVEY for name, path in models.items() if name not in found}}
    return {name: path for name, path in found.items() if _holds_survey(path)}


def run_folders() -> dict[str, Path]:
    """Monitored trainings by name: first those that `tlmviz run` was given, then those beside models, by the model's
    name."""
    given = given_paths(RUNS)
    models = {path.name: path for path in model_folders()} | added_models()
    beside = {name: path / RUN for name, path in models.items()}
    named = _numbered(path.name for path in given)
    return {name: path for name, path in [*zip(named, given), *beside.items()] if holds_run(path)}


def holds_run(folder: Path) -> bool:
    """Whether a folder is what `tlmviz.monitor` was given as out=."""
    return _holds(folder, HEADS)


def _holds_survey(folder: Path) -> bool:
    return _holds(folder, "settings.json")


def _holds(folder: Path, file: str) -> bool:
    try:
        return (folder / file).is_file()
    except OSError:
        return False


def _folders_in(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.is_dir())
    except OSError:
        return []


def steps_of(name: str) -> tuple[int, ...]:
    """The steps of its training at which the weights of a bundled or opened model were kept; none for most models."""
    folder = named_path(name.partition(AT)[0])
    kept = folder.glob(f"{STEPS}/*.safetensors") if folder is not None and folder.is_dir() else ()
    return tuple(sorted(int(path.stem) for path in kept if path.stem.isdecimal()))


def step_path(name: str) -> Path | None:
    """The weights that a name like stories-induction@400 means; None where it names no step that was kept."""
    base, at, step = name.partition(AT)
    if not at or not step.isdecimal() or len(step) > 9 or int(step) not in steps_of(base):
        return None
    folder = named_path(base)
    assert folder is not None  # it has steps
    return folder / STEPS / f"{int(step):06}.safetensors"


def kind_of(folder: Path) -> str:
    """The `kind` that a folder's config.json states; "" for a language model, which has none, and for an unreadable
    file."""
    return str(config_values(folder).get("kind", ""))


def config_values(folder: Path) -> dict[str, object]:
    """What a folder's config.json holds; nothing where it cannot be read as an object."""
    try:
        values = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def named_path(text: str) -> Path | None:
    """The path of a bundled name, else of an opened or installed one, else a folder or a file; None for nothing of
    these."""
    try:
        if Path(text).name == text and (model_folder(text) / "config.json").is_file():
            return model_folder(text)
        added = added_models().get(text)
        if added is not None:
            return added
        if (step := step_path(text)) is not None:
            return step
        path = Path(text).expanduser()
        return path if path.is_dir() or (path.suffix in (SUFFIX, TRACE) and path.is_file()) else None
    except (OSError, RuntimeError, ValueError):  # too long a name, a null byte, or the home of nobody
        return None
