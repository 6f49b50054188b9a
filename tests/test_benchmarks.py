"""Every script in benchmarks/ runs at its smallest size: what it imports and calls is still there. No time is looked
at."""

import importlib.util
import json
import logging
import os
import re
import subprocess
import sys
from types import ModuleType

import pytest
import torch

from .test_layering import ROOT

FOLDER = ROOT / "benchmarks"
# Script -> its smallest run: its constants in small, and its arguments.
SMALL = {
    "browser": ({"SHAPES": ((8, 8, 8),), "LONG": 96}, "--rounds 1 --no-browser"),
    "decode": ({"WRITTEN": 4, "PEERS": 4, "LENGTHS": (16,)}, "--rounds 1"),
    "kernels_cpu": ({"LENGTHS": (16,), "MASKED": 64, "POOLED": {128: 400.0}}, "--rounds 1"),
    "learning": ({"STEPS": 1}, "--rounds 1"),
}
# What needs a browser, a server with visitors, a model that is fetched, or a GPU:
# its imports and its arguments.
READ = ("controls", "first_picture", "gpu", "hall", "live", "real")
ALONE = (
    "doctor",
    "natural_faults",
    "outside_faults",
    "planted_faults",
    "ported_faults",
    "press",
    "report",
    "trace",
    "watch",
)  # tests of their own below, and what others import


@pytest.fixture
def load(monkeypatch):
    """Imports a script as if it had been started; what it sets stays with the test."""
    threads, environment, quiet = torch.get_num_threads(), dict(os.environ), logging.root.manager.disable
    monkeypatch.setattr(sys, "path", [str(FOLDER), str(ROOT), *sys.path])
    # Processes that a script starts begin by importing what was started, which tests of pages leave to be one of those.
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))

    def loaded(name, **small):
        # By its own name, by which the processes that it starts import it.
        spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, spec.name, module)
        spec.loader.exec_module(module)
        for constant, value in small.items():
            assert hasattr(module, constant)
            monkeypatch.setattr(module, constant, value)
        return module

    yield loaded
    torch.set_num_threads(threads)
    logging.disable(quiet)  # scripts silence what is written beside their table
    os.environ.clear()
    os.environ.update(environment)
    for name in [each for each in sys.modules if (FOLDER / f"{each}.py").is_file()]:
        if getattr(sys.modules[name], "__file__", "") == str(FOLDER / f"{name}.py"):
            del sys.modules[name]


def run(module, monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", [module.__file__, *map(str, arguments)])
    return module.main()


def test_every_script_is_run_here():
    assert sorted([*SMALL, *READ, *ALONE]) == sorted(path.stem for path in FOLDER.glob("*.py"))


@pytest.mark.parametrize("name", SMALL)
def test_a_small_run(name, load, monkeypatch, capsys):
    small, arguments = SMALL[name]
    assert run(load(name, **small), monkeypatch, *arguments.split()) in (None, 0, 1)  # 1: a bar is missed
    assert re.search(r"\d\.\d", capsys.readouterr().out)


@pytest.fixture
def a_page_ran(monkeypatch):
    """What Streamlit's tests of an app leave behind: a page is what was started."""
    page = ModuleType("__main__")
    page.__file__ = str(ROOT / "pages/attention/explorer/page.py")
    monkeypatch.setitem(sys.modules, "__main__", page)


def test_a_process_begins_where_a_page_ran_before(a_page_ran, load):
    assert load("kernels_cpu").in_a_fresh_process(64, "max") >= 0


@pytest.mark.parametrize("name", READ)
def test_the_arguments(name, load, monkeypatch, capsys):
    with pytest.raises(SystemExit) as ended:
        run(load(name), monkeypatch, "--help")
    assert ended.value.code == 0 and "usage: " in capsys.readouterr().out


def test_a_press_costs_no_more_than_at_the_commit_before():
    """Started as it is: what it measures are servers of two checkouts."""
    pages = ("explorer", "norms", "serving", "patch")
    command = [sys.executable, FOLDER / "press.py", "HEAD^", *pages, "--presses", "6"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert len(re.findall(r"\d ms, +\d+ there: +\d+\.\d\d x", ended.stdout)) == len(pages) + 1


def test_without_a_gpu_the_one_of_kernels_says_so(load, monkeypatch, capsys):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert run(load("gpu"), monkeypatch) == 1
    assert capsys.readouterr().out == "This benchmark needs an NVIDIA GPU, and torch finds none here.\n"


def test_doctor(load, monkeypatch, capsys, tmp_path):
    module = load("doctor")
    monkeypatch.setattr(module, "MODELS", (("zoo-gqa", torch.float32),))
    monkeypatch.setattr(module, "FAULTS", dict(list(module.FAULTS.items())[:2]))
    monkeypatch.setattr(module, "HEALTHY", dict(list(module.HEALTHY.items())[:1]))
    monkeypatch.setattr(module, "NATURAL", dict(list(module.NATURAL.items())[:2]))
    monkeypatch.setattr(module, "PORTED", dict(list(module.PORTED.items())[1:2]))
    monkeypatch.setattr(module, "NAMELESS", dict(list(module.NAMELESS.items())[:1]))
    run(module, monkeypatch, "--json", tmp_path / "x.json")
    told = json.loads((tmp_path / "x.json").read_text())
    assert [line["where"] for line in told["natural"]] == ["one layer", "all layers"] * 3
    assert {line["verdict"] for line in told["natural"] + told["ported"]} == {"right"}
    assert told["faults"] and {line["verdict"] for line in told["healthy"]} == {"right"}


def test_planted_faults(load, monkeypatch, capsys):
    """All can be planted; where a line that one of them quotes was written anew, planted_faults.toml quotes the new
    one."""
    assert run(load("planted_faults"), monkeypatch, "--check") == 0, capsys.readouterr().out


def test_trace(load, monkeypatch, capsys, tmp_path):
    module = load("trace", ROUNDS={16: 1}, LAYERS=4, WIDTH=64, HIDDEN=64, CONTEXT=128, MAP_AT=64, OVERVIEW_AT=64)
    ended = subprocess.CompletedProcess([], 1, "", "memory is measured by another test")
    monkeypatch.setattr(module.subprocess, "run", lambda *arguments, **options: ended)
    assert run(module, monkeypatch, "--rounds", "1", "--json", tmp_path / "x.json") in (0, 1)
    rows = json.loads((tmp_path / "x.json").read_text())["rows"]
    assert {"tlmviz trace", "bare SDPA", "HF GPT-2 eager, all maps"} <= {row["what"] for row in rows}
    assert module.tokenizer().vocab_size == module.VOCAB


def test_the_memory_of_a_trace(load, monkeypatch):
    assert load("trace", CONTEXT=128).peak_memory("bare")["peak_mb"] >= 0


@pytest.mark.parametrize("way", ["plain", "watched", "eager"])
def test_watch(load, way):
    shape = dict(
        num_hidden_layers=1,
        hidden_size=16,
        num_attention_heads=2,
        num_key_value_heads=1,
        intermediate_size=16,
        vocab_size=64,
    )
    found = load("watch", SHAPE=shape).measure(way, 16, 1)
    assert found["seconds"] > 0 and (way == "plain") == (found["kept"] == 0)
