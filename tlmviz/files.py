"""Files that are whole or not there: what is written lies beside its place until it is."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path

from .errors import BadFile, Error


@contextlib.contextmanager
def whole(path: str | os.PathLike[str], refusal: type[Error] = BadFile) -> Iterator[Path]:
    """Where to write the file at `path`: beside it, and in its place at the end of the block.

    A disk that fills and a key that interrupts leave what was there before. Raises `refusal` for an OSError of the
    block.
    """
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{os.getpid()}-{threading.get_ident()}.part")
    if target.exists() and not target.is_file():  # a device or a pipe stays what it is
        beside = target
    try:
        yield beside
        if beside != target:
            beside.replace(target)
    except OSError as error:
        raise refusal(
            f"{path} cannot be written ({error.strerror or error}); name a file in a folder that exists and has room."
        ) from error
    finally:
        if beside != target:
            with contextlib.suppress(OSError):
                beside.unlink()
