"""Files that are whole or not there: a full disk, a folder that is none, an interrupt, a device."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_trace_arrays import example, tokens
from tests.tiny import sentence
from tlmviz import Trace
from tlmviz.errors import BadFile
from tlmviz.files import whole
from tlmviz.notebook import parts
from tlmviz.shots import files

ROOT = Path(__file__).resolve().parents[1]


def test_it_is_there_at_the_end_and_not_before(tmp_path):
    path = tmp_path / "x"
    path.write_text("before")
    with whole(path) as beside:
        beside.write_text("after")
        assert path.read_text() == "before"
    assert path.read_text() == "after" and list(tmp_path.iterdir()) == [path]
    for error in (KeyboardInterrupt, OSError(28, "No space left on device")):
        with pytest.raises((KeyboardInterrupt, BadFile)), whole(path) as beside:
            beside.write_text("half")
            raise error
        assert path.read_text() == "after" and list(tmp_path.iterdir()) == [path]


def test_a_link_and_a_device_stay_what_they_are(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "x")
    with whole(tmp_path / "link") as beside:
        beside.write_text("new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "x").read_text() == "new"
    with whole(os.devnull) as beside:
        beside.write_text("nothing")
    assert not os.path.isfile(os.devnull)


@pytest.mark.parametrize("place", ["nowhere/x.html", "file/x.html", "", "."])
def test_what_is_no_place_for_a_file_is_a_sentence(tmp_path, monkeypatch, place):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(BadFile) as error:
        parts.write_file(place, "text")
    assert sentence(error).endswith("; name a file in a folder that exists and has room.")


WRITERS = {
    "trace.save": lambda path: Trace.from_arrays(*example(), tokens(9)).save(path),
    "save_html": lambda path: parts.write_file(path, "x" * 10_000),
    "shot": lambda path: files.write(path, b"x" * 10_000),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_a_disk_that_fills_leaves_nothing_and_is_a_sentence(tmp_path, writer):
    """In a process that may write 1,000 bytes to a file: to it, the disk is full then."""
    path = tmp_path / "x"
    code = f"from tests.test_files import WRITERS; WRITERS[{writer!r}]({str(path)!r})"
    full = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))  # noqa: E731
    ended = subprocess.run(
        [sys.executable, "-B", "-c", code],  # bytecode that is cut off would be read by others
        preexec_fn=full,
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    said = ended.stderr.splitlines()[-1]
    assert said.endswith("(File too large); name a file in a folder that exists and has room.")
    assert not list(tmp_path.iterdir())
