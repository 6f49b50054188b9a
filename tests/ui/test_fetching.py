"""Fetching a model: what a job keeps, and what is offered."""

import threading

import pytest

from tests.pages.helpers import anew, assert_healthy, open_page
from tests.real import write_gguf
from tlmviz.checkpoints import download, folders
from tlmviz.errors import BadDownload
from tlmviz.ui import fetching

NAME = "smollm2-135m"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv(folders.CACHE, str(tmp_path))
    with anew():
        yield tmp_path


def test_a_job_keeps_how_far_it_is_and_ends(monkeypatch):
    def get(name, progress):
        progress(0.25, f"Fetching {name}")

    monkeypatch.setattr(download, "get", get)
    job = fetching.Job()
    job.run(NAME)
    assert (job.share, job.text, job.error, job.ended) == (0.25, f"Fetching {NAME}", "", True)


def test_a_failure_is_kept_as_its_sentence(monkeypatch):
    def get(name, progress):
        raise BadDownload("The package index could not be reached.")

    monkeypatch.setattr(download, "get", get)
    job = fetching.Job()
    job.run(NAME)
    assert job.error == "The package index could not be reached." and job.ended


def test_two_who_ask_share_one_download(monkeypatch):
    begun, go_on = [], threading.Event()

    def get(name, progress):
        begun.append(name)
        go_on.wait(30)

    monkeypatch.setattr(download, "get", get)
    fetching.start(NAME)
    fetching.start(NAME)
    go_on.set()
    assert len(begun) <= 1 and NAME in fetching.jobs()


def labels(app):
    """The buttons that fetch or show a model."""
    return [button.label for button in app.button if button.label.startswith(("Get ", "Show "))]


def test_nothing_is_fetched_unless_it_is_asked_for(monkeypatch):
    monkeypatch.setattr(download, "get", lambda *args: pytest.fail("fetched"))
    app = open_page("kernels/flash_attention")
    assert_healthy(app)
    assert "Get SmolLM2-135M-Instruct" in labels(app)
    said = " ".join(part.value for part in app.caption)
    assert "93 MB" in said and "Apache-2.0" in said


def test_a_host_can_take_the_button_away(monkeypatch):
    monkeypatch.setenv(fetching.VARIABLE, "0")
    assert not labels(open_page("kernels/flash_attention"))


def test_a_failed_download_is_said_and_can_be_tried_again(monkeypatch):
    job = fetching.Job(error="There is no room.", ended=True)
    monkeypatch.setattr(fetching, "jobs", lambda: {NAME: job})
    app = open_page("kernels/flash_attention")
    assert [error.value for error in app.error] == ["There is no room."]
    assert "Get SmolLM2-135M-Instruct" in labels(app)


def test_an_installed_model_is_offered_and_shown(cache, monkeypatch):
    folder = folders.installed_folder(NAME)
    folder.mkdir(parents=True)
    write_gguf(folder / "tiny.gguf")
    monkeypatch.setattr(download, "installed", lambda name: folder)
    app = open_page("kernels/flash_attention")
    next(button for button in app.button if button.label == "Show SmolLM2-135M-Instruct").click().run()
    assert_healthy(app)
    assert app.selectbox(key="_model").value == NAME
    assert "Show SmolLM2-135M-Instruct" not in labels(app)
