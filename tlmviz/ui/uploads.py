"""Opening a model or a trace by uploading it: only where the server's owner allows it by TLMVIZ_UPLOADS=1."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import streamlit as st

from tlmviz.checkpoints import opening
from tlmviz.checkpoints.folders import SUFFIX, TRACE, UPLOADS, opened_models
from tlmviz.errors import BadFile, Error

from . import fetching, frame, texts

TYPES = ["gguf", "safetensors", "json", "jinja", "txt"]
WHOLE = "config.json"  # what makes several files one checkpoint folder


class Uploaded(Protocol):
    """A file as Streamlit hands it over."""

    name: str

    def getbuffer(self) -> memoryview:
        """Its bytes."""


@st.cache_resource(show_spinner=False)
def folder() -> Path:
    """Where this process keeps what was uploaded; gone when it ends."""
    return Path(tempfile.mkdtemp(prefix="tlmviz-uploads-"))


def box() -> None:
    """A box for the files of one model or one trace, which is then shown; nothing where uploads are not allowed."""
    if os.environ.get(UPLOADS) != "1":
        return
    files = st.file_uploader(
        "Open your own",
        type=TYPES,
        accept_multiple_files=True,
        help=texts.UPLOAD_HELP,
    )
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

    Names from outside never become paths: only their last part is used. The same files are kept once.
    """
    names = [Path(file.name.replace("\\", "/")).name for file in files]
    digest = hashlib.sha256()
    for name, file in sorted(zip(names, files), key=lambda pair: pair[0]):
        digest.update(name.encode() + b"\0")
        digest.update(file.getbuffer())
    home = folder() / digest.hexdigest()[:16]
    path = home / _title(names)
    if not path.exists():
        try:
            _write(path, dict(zip(names, files)))
            opening.offer([opening.checked(str(path))])
        except BaseException:
            shutil.rmtree(home, ignore_errors=True)  # nothing unfit is left to be offered
            raise
    return next(name for name, opened in opened_models().items() if opened == path)


def _title(names: Sequence[str]) -> str:
    """The name of the file, or of the folder that several are written into. Raises BadFile."""
    if WHOLE in names:
        return "uploaded"
    if len(names) == 1 and names[0].endswith((SUFFIX, TRACE)):
        return names[0]
    raise BadFile(texts.no_model_files(", ".join(names)[:120], SUFFIX, TRACE, WHOLE))


def _write(path: Path, files: dict[str, Uploaded]) -> None:
    target = path if WHOLE in files else path.parent
    target.mkdir(parents=True, exist_ok=True)
    for name, file in files.items():
        (target / name).write_bytes(file.getbuffer())
