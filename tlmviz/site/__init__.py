"""A static site of the pages that run in a visitor's browser, for any host: `tlmviz site OUT`.

A page is a page of the app with a `site.js` beside its `view.js`: it makes by the engine (tlmviz/browser) what Python
makes for the app. Scripts are modules of their own, models files of their own, and a service worker keeps what was
visited.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable
from pathlib import Path

from tlmviz.errors import BadFile

from .documents import START, written
from .models import Model, chosen
from .pages import site_pages

SERVICE = Path(__file__).parent / "service.js"


def write_site(out: Path, names: Iterable[str] | None = None) -> dict[str, bytes]:
    """Write a site into a folder that is new, empty, or holds one; returns its files. `names` are its models, all
    unless given.

    Raises BadFile where the folder holds something else or cannot be written, UnknownName and BadShape for a model that
    is not there or that no browser runs, MissingExtra where the app is not installed.
    """
    models = chosen(names)
    pages = [page for page in site_pages() if page.page.path == START or page.runs_with(models)]
    files = {name: text.encode() for name, text in written(pages, models).items()}
    files[SERVICE.name] = _service(files, models)
    for model in models:
        files |= {f"{model.folder}/{name}": content for name, content in model.files.items()}
    try:
        _empty(out)
        for name, content in files.items():
            path = out / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    except OSError as error:
        raise BadFile(f"{out} cannot be written ({error.strerror}); give another folder.") from error
    return files


# --- parts ---------------------------------------------------------------------------------------


def _service(files: dict[str, bytes], models: Iterable[Model]) -> bytes:
    """The service worker. Its version is of all that it keeps: any change makes browsers fetch it anew."""
    total = hashlib.sha256()
    for name, content in sorted(files.items()):
        total.update(name.encode() + b"\0" + hashlib.sha256(content).digest())
    site = {
        "version": total.hexdigest()[:12],
        "files": sorted({name.removesuffix("index.html") or "./" for name in files}),
        "models": [model.folder for model in models],
    }
    return f"self.SITE = {json.dumps(site)};\n{SERVICE.read_text(encoding='utf-8')}".encode()


def _empty(out: Path) -> None:
    """Take an earlier site away; nothing else is ever touched. Raises BadFile."""
    if not out.exists():
        return
    if not out.is_dir() or (any(out.iterdir()) and not (out / SERVICE.name).is_file()):
        raise BadFile(f"{out} exists and is not a site of tlmviz; give a new or an empty folder.")
    for path in out.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
