"""The app with the models of tlmviz's own wheel alone: every page opens, and says which wheel holds what it would
show."""

import json
import subprocess
import sys

import pytest

from pages import ALL
from tlmviz.checkpoints import wheels

from .helpers import ROOT

CODE = """
import json, sys
from pathlib import Path
from tlmviz.checkpoints import folders
folders.PACKAGE = Path(sys.argv[1])
from pages import ALL
from tests.pages.helpers import open_page
def said(page):
    app = open_page(page.folder)
    return [bool(app.exception), sorted({each.value for each in (*app.error, *app.info)})]
print(json.dumps({page.folder: said(page) for page in ALL}))
"""


@pytest.mark.slow
def test_every_page_opens_or_names_the_wheel(tmp_path, monkeypatch):
    monkeypatch.delenv("TLMVIZ_MODELS", raising=False)
    models = tmp_path / "_models"
    models.mkdir(parents=True)
    for name in (*wheels.CORE, "zoo.csv"):
        (models / name).symlink_to(ROOT / "models" / name)
    command = [sys.executable, "-c", CODE, str(tmp_path)]
    told = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    assert told.keys() == {page.folder for page in ALL}
    assert not [page for page, (failed, _) in told.items() if failed]
    sentences = {page: said for page, (_, said) in told.items() if said}
    assert 8 <= len(sentences) <= 12  # most pages need no more than these models
    for said in sentences.values():
        assert len(said) == 1 and "which is not installed; run `pip install tlmviz-models" in said[0], said
