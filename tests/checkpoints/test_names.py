"""What `load` is said to return is what it returns, and an editor's checker knows it."""

import subprocess
import sys
from pathlib import Path
from typing import get_args, get_overloads, get_type_hints

import pytest

import tlmviz
from tlmviz.checkpoints import wheels
from tlmviz.checkpoints.download import AVAILABLE
from tlmviz.checkpoints.registry import load

ROOT = Path(__file__).resolve().parents[2]
SAID = {
    name: hints["return"]
    for each in get_overloads(load)
    for hints in [get_type_hints(each)]
    for name in get_args(hints["name_or_path"])
    if isinstance(name, str)
}
REVEALED = """
import tlmviz
from pathlib import Path
reveal_type(tlmviz.load("stories-rope").trace("a").attention(0, 0))
reveal_type(tlmviz.load("eng-fra").translate("a").text)
reveal_type(tlmviz.load("words-glove"))
reveal_type(tlmviz.load("digits-scenes-turned", device="cpu"))
reveal_type(tlmviz.load("a/folder"))
tlmviz.load("stories-rope").translate("a")
"""


def test_every_bundled_name_is_said_and_no_other():
    index = {"stories-rope-indexer"}  # which load refuses
    names = {*wheels.CORE, *(name for each in wheels.WHEELS.values() for name in each)} - index
    assert SAID.keys() == names | AVAILABLE.keys()


@pytest.mark.parametrize("name", sorted(SAID.keys() - AVAILABLE.keys()))
def test_what_is_said_is_what_is_loaded(name):
    assert type(tlmviz.load(name)) is SAID[name]


@pytest.mark.slow
def test_a_checker_knows_what_a_model_has(tmp_path):
    (tmp_path / "code.py").write_text(REVEALED)
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), str(tmp_path / "code.py")]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    kinds = [line.split('"')[1] for line in told.splitlines() if "Revealed type" in line]
    assert [kind.rpartition(".")[2] for kind in kinds[:4]] == ["Tensor", "str", "WordVectors", "PictureMarker"], told
    assert kinds[4].count("|") + kinds[4].count(",") >= 9  # one of all
    assert '"LanguageModel" has no attribute "translate"' in told
