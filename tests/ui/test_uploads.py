"""Uploads: only where they are allowed, looked at before they are offered, and never a path of the visitor's."""

import os
import subprocess
import sys
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

import tlmviz
from tests.pages.helpers import anew, open_page
from tests.real import write_gguf
from tlmviz.checkpoints import folders
from tlmviz.errors import BadCheckpoint, BadFile, Error
from tlmviz.hosting import server
from tlmviz.ui import uploads


@dataclass
class File:
    name: str
    content: bytes

    def getbuffer(self):
        return memoryview(self.content)


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv(folders.OPENED, "")
    monkeypatch.setenv(folders.UPLOADED, "")
    monkeypatch.setattr(uploads, "folder", lambda: SimpleNamespace(name=tmp_path / "kept"))
    with anew():
        yield tmp_path / "kept"


def kept(home):
    return [path for path in home.rglob("*") if path.is_file()] if home.exists() else []


def test_a_model_is_offered_under_its_name(home, tmp_path):
    content = write_gguf(tmp_path / "x.gguf").read_bytes()
    assert uploads.keep([File("../../etc/little.gguf", content)]) == "little"
    assert uploads.keep([File("little.gguf", content)]) == "little"
    assert len(kept(home)) == 1 and home in kept(home)[0].parents
    assert "little" in tlmviz.list_models("language") and tlmviz.load("little").name == "little"


def test_another_file_of_the_same_name_gets_a_name_of_its_own(home, tmp_path):
    one, other = (write_gguf(tmp_path / f"{kind}.gguf", kind).read_bytes() for kind in ("llama", "qwen2"))
    assert [uploads.keep([File("x.gguf", content)]) for content in (one, other, one)] == ["x", "x-2", "x"]


def test_an_upload_takes_the_name_of_no_other_model(home, tmp_path, monkeypatch):
    content = write_gguf(tmp_path / "x.gguf").read_bytes()
    monkeypatch.setenv(folders.CACHE, str(tmp_path / "cache"))
    (tmp_path / "cache" / "models" / "installed").mkdir(parents=True)
    monkeypatch.setenv(folders.OPENED, str(tmp_path / "x.gguf"))
    assert uploads.keep([File("installed.gguf", content)]) == "installed-2"
    assert uploads.keep([File("x.gguf", content)]) == "x-2"
    assert folders.named_path("x") == tmp_path / "x.gguf"
    assert folders.named_path("installed") == folders.installed_folder("installed")


def test_the_oldest_gives_way_and_the_others_keep_their_names(home, tmp_path, monkeypatch):
    monkeypatch.setattr(uploads, "KEPT", 2)
    contents = [write_gguf(tmp_path / "x.gguf", kind).read_bytes() for kind in ("llama", "qwen2", "qwen3")]
    assert [uploads.keep([File("x.gguf", content)]) for content in contents] == ["x", "x-2", "x-3"]
    assert folders.uploaded_models().keys() == {"x-2", "x-3"} and len(kept(home)) == 2
    assert uploads.keep([File("x.gguf", contents[1])]) == "x-2" and tlmviz.load("x-3")


def test_what_was_uploaded_is_gone_with_its_process():
    code = "from tlmviz.ui import uploads; print(uploads.folder().name)"
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert "tlmviz-uploads-" in said.stdout and not os.path.exists(said.stdout.strip())


def test_what_somebody_uploads_is_not_what_others_meet(home, tmp_path):
    begins = open_page("attention/explorer", query={"text": "Tom"}).selectbox("_model")
    uploads.keep([File("aaa.gguf", write_gguf(tmp_path / "x.gguf").read_bytes())])
    with anew():
        menu = open_page("attention/explorer", query={"text": "Tom"}).selectbox("_model")
    assert menu.value == begins.value and menu.options[-1].startswith("aaa") and menu.options[-1].endswith("uploaded")
    assert not folders.opened_models()  # by which the page Start gives way to the explorer


def test_the_files_of_a_folder_are_one_model(home, stories):
    source = folders.models_folder() / "stories-rope"
    files = [
        File(path.name, path.read_bytes()) for path in source.iterdir() if path.suffix in (".json", ".safetensors")
    ]
    name = uploads.keep(files)
    assert tlmviz.load(name).generate("Tom", 5, temperature=0) == stories.generate("Tom", 5, temperature=0)


def test_a_trace_is_offered(home, stories, tmp_path):
    stories.trace("Tom saw a dog.").save(tmp_path / "x.safetensors")
    name = uploads.keep([File("x.safetensors", (tmp_path / "x.safetensors").read_bytes())])
    assert name in tlmviz.list_models("trace")


@pytest.mark.parametrize(
    "files, error",
    [
        ([File("notes.txt", b"hello")], BadFile),
        ([File("a.gguf", b"GGUF"), File("b.gguf", b"GGUF")], BadFile),
        ([File("broken.gguf", b"GGUF")], BadCheckpoint),
        ([File("config.json", b"[" * 9000)], Error),
        ([File("x.safetensors", b"\0" * 40)], Error),
    ],
)
def test_what_is_unfit_is_said_and_not_kept(home, files, error):
    with pytest.raises(error) as raised:
        uploads.keep(files)
    assert "\n" not in str(raised.value) and len(str(raised.value)) < 400
    assert not kept(home) and not os.environ[folders.UPLOADED]


def test_a_hosted_demo_has_no_box(monkeypatch):
    monkeypatch.delenv(folders.UPLOADS, raising=False)
    assert not open_page("kernels/flash_attention").get("file_uploader")
    assert "--server.maxUploadSize" not in server.arguments(server.app_file(), 80)


def test_where_they_are_allowed_there_is_a_box(monkeypatch):
    monkeypatch.setenv(folders.UPLOADS, "1")
    assert len(open_page("kernels/flash_attention").get("file_uploader")) == 1
    assert "--server.maxUploadSize" in server.arguments(server.app_file(), 80)
