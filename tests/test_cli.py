"""The command lines: what they print and the status they return."""

import pytest
import torch

import tlmviz
from tlmviz import __main__ as commands
from tlmviz import checks
from tlmviz.checkpoints import native as zoo
from tlmviz.training import __main__ as training

from . import tiny


@pytest.fixture
def folder(tokenizer, tmp_path):
    zoo.save_network(tmp_path / "tiny", tiny.network(context=64), tokenizer)
    return str(tmp_path / "tiny")


def said(capsys):
    """The one sentence on the error stream, and nothing on the other."""
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and err.endswith(".\n") and "Traceback" not in err
    return err


class TestCheck:
    def test_prints_every_identity(self, folder, capsys):
        assert commands.main(["check", folder, "Lily had a red ball."]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) == len(checks.applicable(tlmviz.load(folder)))
        assert all(line.startswith("ok ") and "allowed" in line for line in lines)
        # one of each subject: maps, long texts, the family, RoPE, its scalings, caches, serving
        for name in (
            "Map = softmax",
            "Tiled = full",
            "G = H is MHA, G = 1 MQA",
            "Norms stay",
            "PI = θ(t/s)",
            "Every cache = full pass",
            "Paged = contiguous",
        ):
            assert sum(f" {name} " in line for line in lines) == 1

    def test_its_own_text_fits_the_bundled_models(self, capsys):
        assert commands.main(["check", "stories-rope"]) == 0
        out = capsys.readouterr().out
        assert "FAIL" not in out and "Tiled = full" in out and "Top-T = dense" in out

    def test_the_list_names_every_identity_and_measures_none(self, folder, capsys, monkeypatch):
        monkeypatch.setattr(checks.Identity, "__call__", None)
        assert commands.main(["check", "--list"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert [line[: len(name)] for line, name in zip(lines, checks.IDENTITIES, strict=True)] == list(
            checks.IDENTITIES
        )
        assert any("1e-04" in line and line.endswith("[attention]") for line in lines)
        assert commands.main(["check", "--list", folder]) == 0
        assert len(capsys.readouterr().out.splitlines()) == len(checks.applicable(tlmviz.load(folder)))

    def test_a_failure_is_status_one(self, folder, capsys, monkeypatch):
        entry = checks.IDENTITIES["Rows sum to 1"]
        wrong = checks.Identity(
            lambda lm, trace: 1.0, "Wrong", "one is two", 0.5, "max abs", entry.applies, entry.inputs, False
        )
        monkeypatch.setitem(checks.IDENTITIES, "Wrong", wrong)
        assert commands.main(["check", folder, "Lily"]) == 1
        assert "FAIL  Wrong" in capsys.readouterr().out

    @pytest.mark.parametrize(
        "model, text, word",
        [("no-such", "a", "no-such"), (None, "", "empty"), (None, "Lily " * 99, "at most 64")],
    )
    def test_bad_input_is_status_two_and_a_sentence(self, folder, capsys, model, text, word):
        assert commands.main(["check", model or folder, text]) == 2
        assert word in said(capsys)

    def test_a_damaged_checkpoint_is_status_two(self, folder, tmp_path, capsys):
        (tmp_path / "tiny" / "model.safetensors").write_bytes(b"")
        assert commands.main(["check", folder]) == 2
        assert "tiny/model.safetensors" in said(capsys)


def test_list_names_every_bundled_model(capsys):
    assert commands.main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(zoo.list_models())
    assert "stories-rope" in zoo.list_models()


@pytest.mark.parametrize("arguments", [[], ["chekc"], ["check"]])
def test_unknown_commands_show_the_usage(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        commands.main(arguments)
    assert stop.value.code == 2 and "usage" in capsys.readouterr().err


class TestTraining:
    @pytest.fixture(autouse=True)
    def threads(self, monkeypatch):
        """The command takes every core, which would last beyond this test."""
        monkeypatch.setattr(torch, "set_num_threads", lambda count: None)

    def test_an_unknown_recipe(self, tmp_path, capsys):
        assert training.main(["no-such", "--data", str(tmp_path), "--runs", str(tmp_path / "runs")]) == 2
        text = said(capsys)
        assert "no-such" in text and "stories-rope" in text and not (tmp_path / "runs").exists()

    def test_missing_data(self, tmp_path, capsys):
        assert training.main(["stories-rope", "--data", str(tmp_path), "--runs", str(tmp_path / "runs")]) == 2
        assert "stories.txt" in said(capsys) and not (tmp_path / "runs").exists()

    def test_too_little_data(self, tmp_path, capsys):
        (tmp_path / "stories.txt").write_text("One story.")
        assert training.main(["stories-rope", "--data", str(tmp_path), "--runs", str(tmp_path / "runs")]) == 2
        assert "1 different stories" in said(capsys)
