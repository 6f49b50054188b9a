"""What a visitor's browser reads texts with: the files of bundled models, and the script that runs them.

A picture then follows typing without the server, whose own picture of the text comes when typing rests
(tlmviz/ui/components/canvas/ahead.js).
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response

from tlmviz.checkpoints.folders import model_folders, models_folders
from tlmviz.checkpoints.native import FILES
from tlmviz.checkpoints.registry import list_models
from tlmviz.hosting import limits
from tlmviz.ui.components.scripts import module

TASKS = ("language", "translation")  # of the models that the browser's engine reads texts by
MOST = 16_000_000  # bytes of weights that a visit fetches
PLACE = "engine"  # before every address
SCRIPT = f"/{{under:path}}{PLACE}/{{digest}}.js"
WEIGHTS = f"/{{under:path}}{PLACE}/{{name}}/{{stamp}}/{{file}}"
# Each address holds what its content is of: other content has another address.
KEPT = {"Cache-Control": "public, max-age=31536000, immutable"}
_scripts: dict[str, str] = {}  # those that were offered, by their digests
PAUSE = "400ms"  # in typing, until the server is asked: the picture is there meanwhile


def offer(
    name: str, text: str, reader: Path, follows: Sequence[str] = (), box: str = "text", **given: Any
) -> dict[str, Any] | None:
    """For a picture of a `text`: where the browser finds what reads others by the same model; None where it cannot.

    `reader` is the script that makes pictures with it. It is `given` what they depend on beside the text and where the
    user is in the picture; of what `follows` names in that another value is another picture. `box` is the key of the
    text's box.
    """
    if not can_read(name):
        return None
    folder = _folders()[name]
    return {
        "script": f"{PLACE}/{_digest(reader)}.js",
        "model": f"{PLACE}/{name}/{_stamp(folder)}/",
        "text": text,
        "box": box,
        "most": limits.current().characters,
        "follows": list(follows),
        "given": given,
    }


def can_read(name: str) -> bool:
    """Whether the browser's engine reads texts by this model: a bundled one of TASKS, of at most MOST bytes of
    weights."""
    return name in _folders()


def pause(name: str) -> dict[str, str]:
    """For the box of a text that is read by this model: how long typing rests until the server is asked."""
    return {"live": PAUSE} if can_read(name) else {}


def script(request: Request) -> Response:
    """A script that was offered, in whatever folder the app is mounted."""
    text = _scripts.get(request.path_params["digest"])
    if text is None:
        return PlainTextResponse("No such script.", 404)
    return Response(text, media_type="text/javascript", headers=KEPT)


def weights(request: Request) -> Response:
    """A file of a model."""
    name, stamp, file = (request.path_params[part] for part in ("name", "stamp", "file"))
    folder = _folders().get(name)
    if folder is None or file not in FILES or stamp != _stamp(folder):
        return PlainTextResponse("No such file.", 404)
    return FileResponse(folder / file, headers=KEPT, media_type="application/octet-stream")


def _folders() -> dict[str, Path]:
    """The folders of the models that browsers are offered, by name."""
    return _offered(tuple(models_folders()))


@functools.cache
def _offered(_places: tuple[Path, ...]) -> dict[str, Path]:
    folders = {folder.name: folder for folder in model_folders()}
    offered = {name: folders[name] for task in TASKS for name in list_models(task) if name in folders}
    return {name: folder for name, folder in offered.items() if (folder / FILES[1]).stat().st_size <= MOST}


@functools.cache
def _stamp(folder: Path) -> str:
    """What tells a folder's files from those that were there before."""
    found = [(folder / name).stat() for name in FILES]
    return hashlib.sha256(repr([(each.st_size, each.st_mtime_ns) for each in found]).encode()).hexdigest()[:12]


@functools.cache
def _digest(reader: Path) -> str:
    text = module(reader.parent, reader.name)
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    _scripts[digest] = text
    return digest
