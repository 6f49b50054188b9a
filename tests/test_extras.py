"""What needs a package of an extra says which extra, in one sentence, where the package is missing."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import torch

import tlmviz
from tests.tiny import sentence
from tlmviz import digits, figures
from tlmviz.analysis.words.projection import tsne
from tlmviz.analysis.workbench.doctor import presets
from tlmviz.analysis.workbench.survey import Survey, survey
from tlmviz.checkpoints.folders import models_folder
from tlmviz.cli.main import main
from tlmviz.errors import MissingExtra

ROOT = Path(__file__).resolve().parents[1]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]


def of_digits():
    digits._all.cache_clear()
    digits.held_out()


def a_survey(folder):
    survey("zoo-rope", folder / "texts.txt", folder / "out")


NEEDS = {
    "a figure": ("plotly", "app", lambda _: figures.figure([], {})),
    "digits": ("sklearn", "app", lambda _: of_digits()),
    "t-SNE": ("sklearn", "app", lambda _: tsne(torch.eye(5))),
    "a survey": ("pyarrow", "survey", a_survey),
    "a survey that is read": ("pyarrow", "survey", lambda _: Survey(models_folder() / "stories-rope" / "survey").heads),
    "a preset": (
        "transformers",
        "transformers",
        lambda _: presets.PRESETS["transformers"](tlmviz.load("zoo-rope"), [1, 2, 3]),
    ),
}


@pytest.mark.parametrize("package, extra, act", NEEDS.values(), ids=NEEDS)
def test_a_call_names_the_extra(package, extra, act, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, package, None)  # as where it is not installed
    (tmp_path / "texts.txt").write_text("Tom saw a dog.")
    with pytest.raises(MissingExtra) as error:
        act(tmp_path)
    assert f'`pip install "tlmviz[{extra}]"`' in sentence(error) and package in sentence(error)
    assert extra in EXTRAS and isinstance(error.value, ImportError)


@pytest.mark.parametrize("arguments", [["run"], ["serve"], ["shot", "/explorer", "--out", "a.svg"]])
def test_a_command_names_the_extra(arguments, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "streamlit", None)
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert err == 'The app needs streamlit, which is not installed here; run `pip install "tlmviz[app]"`.\n' and not out


@pytest.mark.slow
def test_the_library_works_without_what_extras_bring():
    """Loading, tracing, checking, translating and a file for the browser, where no package of an extra can be
    imported."""
    names = [line.split(">=")[0].split("[")[0] for lines in EXTRAS.values() for line in lines]
    modules = {
        "scikit-learn": "sklearn",
        "pillow": "PIL",
        "prometheus-client": "prometheus_client",
        "pywebview": "webview",
    }
    code = f"""
import sys
sys.modules.update(dict.fromkeys({[modules.get(name, name) for name in names]}))
import tlmviz
from tlmviz import checks
from tlmviz.cli.main import main
lm = tlmviz.load("zoo-rope")
trace = lm.trace("Tom saw a dog.")
trace.head_statistics(), trace._repr_html_(), tlmviz.compare(trace, trace), tlmviz.diagnose(trace, trace)
tlmviz.load("eng-fra").translate("I am cold.", beam=2)
assert all(result.passed for result in checks.run_all(lm, lm.default_text))
for command in (["list"], ["trace", "zoo-rope", "Tom saw a dog."], ["check", "zoo-rope"]):
    assert main(command) == 0
picture, survey = ["shot", "/explorer", "--out", "a.svg"], ["survey", "zoo-rope", ".", "--out", "x"]
for command in (["run"], ["run", "--window"], ["serve"], picture, survey):
    assert main(command) == 2
"""
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    said = [line for line in ended.stderr.splitlines() if "pip install" in line]
    assert [line.split('"')[1] for line in said] == [*["tlmviz[app]"] * 4, "tlmviz[survey]"]
