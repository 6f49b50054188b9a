"""Where surveys are found: in the folder that TLMVIZ_SURVEYS names, and beside models."""

import pytest

from tlmviz.checkpoints.folders import CACHE, SURVEYS, models_folder, survey_folders

SHIPPED = {"stories-rope": models_folder() / "stories-rope" / "survey"}


@pytest.fixture(autouse=True)
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv(CACHE, str(tmp_path / "cache"))


def survey_in(folder):
    folder.mkdir(parents=True)
    (folder / "settings.json").write_text("{}")
    return folder


def test_beside_bundled_and_installed_models(tmp_path):
    assert survey_folders() == SHIPPED
    installed = survey_in(tmp_path / "cache" / "models" / "mine" / "survey")
    assert survey_folders() == {**SHIPPED, "mine": installed}


def test_a_folder_or_the_folders_in_it_come_first(tmp_path, monkeypatch):
    one, other = survey_in(tmp_path / "own" / "one"), survey_in(tmp_path / "own" / "stories-rope")
    (tmp_path / "own" / "empty").mkdir()
    monkeypatch.setenv(SURVEYS, str(tmp_path / "own"))
    assert list(survey_folders().items()) == [("one", one), ("stories-rope", other)]
    monkeypatch.setenv(SURVEYS, str(one))
    assert list(survey_folders().items()) == [("one", one), *SHIPPED.items()]
    for nothing in (tmp_path / "nowhere", tmp_path / ("x" * 300), one / "settings.json"):
        monkeypatch.setenv(SURVEYS, str(nothing))
        assert survey_folders() == SHIPPED
