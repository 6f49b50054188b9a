"""Where models lie: the folder of bundled models, and what a checkpoint folder says it holds."""

from __future__ import annotations

import json
import os
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
VARIABLE = "TLMVIZ_MODELS"  # the environment variable that names another folder of models


def models_folder() -> Path:
    """The folder of models that are loaded by name: TLMVIZ_MODELS when set, else the installed wheel's, else the repository's."""
    own = os.environ.get(VARIABLE)
    if own:
        return Path(own).expanduser()
    bundled = PACKAGE / "_app" / "models"
    return bundled if bundled.is_dir() else PACKAGE.parent / "models"


def model_folders() -> list[Path]:
    """Every checkpoint folder in `models_folder`, by name."""
    return sorted(path.parent for path in models_folder().glob("*/config.json"))


def kind_of(folder: Path) -> str:
    """The `kind` that a folder's config.json states; "" for a language model, which has none, and for an unreadable file."""
    try:
        values = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return ""
    return str(values.get("kind", "")) if isinstance(values, dict) else ""


def named_folder(text: str) -> Path | None:
    """The folder of a bundled name, else of a path on disk; None when there is neither."""
    try:
        bundled = models_folder() / text
        if Path(text).name == text and (bundled / "config.json").is_file():
            return bundled
        folder = Path(text).expanduser()
        return folder if folder.is_dir() else None
    except (OSError, RuntimeError, ValueError):  # too long a name, a null byte, or the home of nobody
        return None
