"""Opening a model or a trace by uploading it: only where the server's owner allows it by TLMVIZ_UPLOADS=1."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import streamlit as st

from tlmviz.checkpoints import opening
from tlmviz.checkpoints.folders import SUFFIX, TRACE, UPLOADED, UPLOADS, given_paths, named_path, uploaded_models
from tlmviz.errors import BadFile, Error

from . import fetching, frame, texts

TYPES = ["gguf", "safetensors", "json", "jinja", "txt"]
KEPT = 8  # uploads of all visitors; each may be as large as the server's owner lets a file be
_ONE = threading.Lock()
WHOLE = "config.json"  # what makes several files one checkpoint folder


class Uploaded(Protocol):
    """A file as Streamlit hands it over."""

    name: str

    def getbuffer(self) -> memoryview:
        """Its bytes."""


@functools.cache
def folder() -> tempfile.TemporaryDirectory[str]:
    """Where this process keeps what was uploaded; gone when it ends."""
    return tempfile.TemporaryDirectory(prefix="tlmviz-uploads-")


def box() -> None:
    """A box for the files of one model or one trace, which is then shown; nothing where uploads are not allowed."""
    if os.environ.get(UPLOADS) != "1":
        return
    files = st.file_uploader("Open your own", type=TYPES, accept_multiple_files=True, help=texts.UPLOAD_HELP)
    if not files:
        return
    try:
        name = keep(files)
    except Error as error:
        st.error(frame.worded(error))
        return
    st.button(f"Show {name}", on_click=fetching.switch_to, args=(name,), width="stretch", type="primary")


def keep(files: Sequence[Uploaded]) -> str:
    """Write the files, look at them, and offer them in the menus under the name that is returned. Raises Error.

    Names from outside never become paths: only their last part is used. The same files are kept once, and the oldest of
    KEPT give way.
    """
    names = [Path(file.name.replace("\\", "/")).name for file in files]
    digest = hashlib.sha256()
    for name, file in sorted(zip(names, files), key=lambda pair: pair[0]):
        digest.update(name.encode() + b"\0")
        digest.update(file.getbuffer())
    home = Path(folder().name) / digest.hexdigest()[:16]
    with _ONE:
        known = next((name for name, path in uploaded_models().items() if path.parent == home), None)
        if known is not None:
            return known
        name, path = _free(home, _title(names))
        try:
            _write(path, dict(zip(names, files)))
            opening.checked(str(path))
        except BaseException:
            shutil.rmtree(home, ignore_errors=True)  # nothing unfit is left to be offered
            raise
        paths = [*given_paths(UPLOADED), path]
        for old in paths[:-KEPT]:  # what is read of it is in memory, or open
            shutil.rmtree(old.parent, ignore_errors=True)
        os.environ[UPLOADED] = os.pathsep.join(map(str, paths[-KEPT:]))
        return name


def _free(home: Path, title: str) -> tuple[str, Path]:
    """The title as a model's name and its path, with a number in it where there is another model of that name."""
    stem, suffix = os.path.splitext(title)
    name, path, count = title.removesuffix(SUFFIX), home / title, 2
    while named_path(name) is not None:
        path, count = home / f"{stem}-{count}{suffix}", count + 1
        name = path.name.removesuffix(SUFFIX)
    return name, path


def _title(names: Sequence[str]) -> str:
    """The name of the file, or of the folder that several are written into. Raises BadFile."""
    if WHOLE in names:
        return "uploaded"
    if len(names) == 1 and names[0].endswith((SUFFIX, TRACE)):
        return names[0]
    raise BadFile(texts.no_model_files(", ".join(names)[:120], SUFFIX, TRACE, WHOLE))


def _write(path: Path, files: dict[str, Uploaded]) -> None:
    targets = [path / name if WHOLE in files else path for name in files]
    targets[0].parent.mkdir(parents=True, exist_ok=True)
    for target, file in zip(targets, files.values()):
        target.write_bytes(file.getbuffer())
