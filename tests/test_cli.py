"""The command lines: what they print and the status they return."""

import json
import shutil
import socket
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import tlmviz
from tlmviz import __main__ as commands
from tlmviz import checks, cli
from tlmviz.checkpoints import folders, opening, registry
from tlmviz.checkpoints import native as zoo
from tlmviz.checkpoints.folders import opened_models
from tlmviz.cli import window
from tlmviz.cli.main import INTERRUPTED
from tlmviz.hosting import server
from tlmviz.training import __main__ as training

from . import tiny
from .real import write_gguf


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

    def test_as_json_it_is_a_list_of_what_was_measured(self, folder, capsys, monkeypatch):
        assert commands.main(["check", folder, "Lily had a red ball.", "--json"]) == 0
        rows = json.loads(capsys.readouterr().out)
        assert len(rows) == len(checks.applicable(tlmviz.load(folder)))
        assert all(row["passed"] and row["error"] <= row["tolerance"] and row["claim"] for row in rows)
        assert commands.main(["check", "--list", "--json"]) == 0
        assert [row["name"] for row in json.loads(capsys.readouterr().out)] == list(checks.IDENTITIES)

    @pytest.mark.slow
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
        "model, text, word", [("no-such", "a", "no-such"), (None, "", "empty"), (None, "Lily " * 99, "at most 64")]
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
    assert [line.split()[0] for line in lines] == list(registry.list_models())
    assert "stories-rope" in registry.list_models()


def test_list_as_json(capsys):
    assert commands.main(["list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == registry.list_models()


def test_without_a_command_the_help_is_printed(capsys):
    assert commands.main([]) == 0
    out, err = capsys.readouterr()
    assert not err and "usage: tlmviz" in out and all(f"\n    {name} " in out for name in cli.COMMANDS)


@pytest.mark.parametrize("option", ["-V", "--version"])
def test_the_version(option, capsys):
    with pytest.raises(SystemExit) as ended:
        commands.main([option])
    assert ended.value.code == 0 and capsys.readouterr().out == f"tlmviz {tlmviz.__version__}\n"


@pytest.mark.parametrize("name", cli.COMMANDS)
@pytest.mark.parametrize("raised, status", [(KeyboardInterrupt, INTERRUPTED), (BrokenPipeError, 0)])
def test_every_command_ends_quietly(name, raised, status, monkeypatch, capfd):
    class Ends:
        add_arguments = staticmethod(lambda parser: None)

        @staticmethod
        def run(options):
            raise raised

    monkeypatch.setattr("tlmviz.cli.main.command", lambda asked: Ends if asked == name else None)
    monkeypatch.setattr("tlmviz.cli.main.os.dup2", lambda *descriptors: None)  # the output of these tests goes on
    assert commands.main([name]) == status
    assert capfd.readouterr() == ("", "")


class TestTrace:
    TEXT = "Tom saw a dog. Tom saw a"

    def test_prints_tokens_and_heads(self, folder, capsys):
        assert commands.main(["trace", folder, self.TEXT]) == 0
        tokens, heads = capsys.readouterr().out.rstrip("\n").split("\n\n")
        trace = tlmviz.load(folder).trace(self.TEXT)
        assert len(tokens.splitlines()) == 1 + len(trace)
        assert all(repr(token) in line for token, line in zip(trace.tokens, tokens.splitlines()[1:]))
        last = trace.probabilities(-2)[trace.ids[-1]].item()
        assert tokens.splitlines()[-1].endswith(f"{last:.3f}")
        table = trace.head_statistics()
        assert len(heads.splitlines()) == 1 + len(table)
        assert heads.splitlines()[0].split() == list(table.columns)
        assert f"{table['entropy'].iloc[0]:.3f}" in heads.splitlines()[1]

    def test_one_head_says_what_each_token_attends_to(self, folder, capsys):
        assert commands.main(["trace", folder, self.TEXT, "--layer", "1", "--head", "2"]) == 0
        tokens, heads = capsys.readouterr().out.rstrip("\n").split("\n\n")
        assert heads.splitlines()[1].split()[:2] == ["1", "2"] and len(heads.splitlines()) == 2
        weights = tlmviz.load(folder).trace(self.TEXT).attention(1, 2).amax(-1)
        assert [line.split()[-1] for line in tokens.splitlines()[1:]] == [f"{w:.3f}" for w in weights.tolist()]

    def test_as_json_it_has_the_numbers_of_both_tables(self, folder, capsys):
        assert commands.main(["trace", folder, self.TEXT, "--layer", "1", "--head", "2", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        trace = tlmviz.load(folder).trace(self.TEXT)
        assert [row["token"] for row in told["tokens"]] == trace.tokens and told["tokens"][0]["probability"] is None
        last = trace.probabilities(-2)[trace.ids[-1]].item()
        assert told["tokens"][-1]["probability"] == pytest.approx(last, rel=1e-5)
        assert [row["attends to"] for row in told["tokens"]] == trace.attention(1, 2).argmax(-1).tolist()
        [head] = told["heads"]
        assert (head["layer"], head["head"]) == (1, 2)
        table = trace.head_statistics().set_index(["layer", "head"]).loc[(1, 2)]
        assert head["entropy"] == pytest.approx(table["entropy"], rel=1e-6)

    def test_one_layer_or_one_head_number(self, folder, capsys):
        for option, column in (("--layer", 0), ("--head", 1)):
            assert commands.main(["trace", folder, self.TEXT, option, "1"]) == 0
            heads = capsys.readouterr().out.split("\n\n")[1].splitlines()[1:]
            assert heads and all(line.split()[column] == "1" for line in heads)

    def test_saves_the_arrays(self, folder, tmp_path, capsys):
        path = tmp_path / "x.npz"
        options = ["--layer", "1", "--head", "0", "--save", str(path)]
        assert commands.main(["trace", folder, self.TEXT, *options]) == 0
        trace, arrays = tlmviz.load(folder).trace(self.TEXT), np.load(path)
        assert set(arrays) == {*trace.arrays(), "attention"}
        np.testing.assert_array_equal(arrays["attention"], trace.attention(1, 0).numpy())
        np.testing.assert_array_equal(arrays["blocks.0.attn.q"], trace.arrays()["blocks.0.attn.q"])

    def test_a_disk_that_fills_leaves_no_file(self, folder, tmp_path, capsys, monkeypatch):
        def full(file, **arrays):
            file.write(b"half of it")
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(np, "savez", full)
        saved = tmp_path / "saved"
        saved.mkdir()
        assert commands.main(["trace", folder, self.TEXT, "--save", str(saved / "x.npz")]) == 2
        assert "No space left" in capsys.readouterr().err and not list(saved.iterdir())

    @pytest.mark.parametrize(
        "model, options, word",
        [
            (None, ["--layer", "9"], "layers 0 to"),
            (None, ["--head", "-1"], "heads 0 to"),
            (None, ["--save", "no/such/folder/x.npz"], "no/such/folder/x.npz"),
            (None, ["--save", "x.foo"], ".npz"),
            ("eng-fra", [], "no language model"),
            ("no-such", [], "no-such"),
        ],
    )
    def test_bad_input_is_status_two_and_a_sentence(self, folder, capsys, model, options, word):
        assert commands.main(["trace", model or folder, self.TEXT, *options]) == 2
        captured = capsys.readouterr()
        assert word in captured.err and captured.err.count("\n") == 1 and captured.err.endswith(".\n")


class TestRun:
    @pytest.mark.parametrize("port", ["0", "-1", "70000"])
    def test_no_port(self, port, capsys):
        assert commands.main(["run", "--port", port]) == 2
        assert "1 to 65535" in said(capsys)

    def test_a_port_in_use(self, capsys):
        with socket.socket() as taken:
            taken.bind(("", 0))
            taken.listen()
            port = taken.getsockname()[1]
            assert commands.main(["run", "--port", str(port)]) == 2
        assert f"Port {port} is in use" in said(capsys)

    def test_streamlit_is_given_the_app(self, monkeypatch):
        runs = []
        monkeypatch.setattr(sys, "argv", ["tlmviz"])
        monkeypatch.setattr("runpy.run_module", lambda module, **options: runs.append((module, sys.argv)))
        port = server.free_port()
        assert commands.main(["run", "--port", str(port)]) == 0
        app = str(server.app_file())
        given = ["streamlit", "run", app, "--server.port", str(port), "--browser.serverAddress", "localhost"]
        assert runs == [("streamlit", [*given, "--server.address", "127.0.0.1"])]  # nobody else reaches it
        for option in ("--bind", "--host"):
            assert commands.main(["run", "--port", str(port), option, "0.0.0.0"]) == 0
            assert runs.pop() == ("streamlit", [*given, "--server.address", "0.0.0.0"])

    @pytest.mark.parametrize(
        "command, address",
        [
            *(("run", each) for each in ("nowhere.invalid", "192.0.2.1", "127.0.0.1:80", "")),
            *(("serve", each) for each in ("nowhere.invalid", "192.0.2.1", "127.0.0.1:80")),
        ],
    )
    def test_an_address_that_is_none_of_this_machine(self, command, address, capsys, monkeypatch):
        monkeypatch.setattr("runpy.run_module", lambda *args, **options: pytest.fail("served"))
        assert commands.main([command, "--bind", address]) == 2
        assert f"{address!r} is no address of this machine" in said(capsys)

    def test_paths_are_offered_in_the_app(self, monkeypatch, tmp_path, folder):
        monkeypatch.setattr("runpy.run_module", lambda module, **options: None)
        monkeypatch.setattr(sys, "argv", ["tlmviz"])
        monkeypatch.setenv("TLMVIZ_OPEN", "")
        file = write_gguf(tmp_path / "own.gguf")
        assert commands.main(["run", folder, str(file), "--port", str(server.free_port())]) == 0
        assert list(opened_models().values()) == [Path(folder), file]
        assert {"tiny", "own"} <= set(tlmviz.list_models("language")) and tlmviz.load("own").name == "own"

    @pytest.mark.parametrize("name", ["nowhere", "notes.txt", "empty", "broken.gguf"])
    def test_a_path_that_is_no_model(self, name, tmp_path, capsys, monkeypatch):
        monkeypatch.setattr("runpy.run_module", lambda *args, **options: pytest.fail("served"))
        (tmp_path / "empty").mkdir()
        (tmp_path / "notes.txt").write_text("no model")
        (tmp_path / "broken.gguf").write_bytes(b"GGUF")
        assert commands.main(["run", str(tmp_path / name)]) == 2
        assert name in said(capsys)

    def test_an_installation_without_the_app(self, monkeypatch, tmp_path, capsys):
        monkeypatch.setattr(server, "PACKAGE", tmp_path / "tlmviz")
        assert commands.main(["run", "--port", str(server.free_port())]) == 2
        assert 'pip install "tlmviz[app]"' in said(capsys)

    def test_a_server_that_ends_at_once(self):
        with pytest.raises(tlmviz.Error, match="status 3"), server.serve([sys.executable, "-c", "raise SystemExit(3)"]):
            pass


class TestWindow:
    """What is said before a server is started; tests/browser/test_window.py has the rest of --app."""

    @pytest.fixture(autouse=True)
    def no_server(self, monkeypatch):
        monkeypatch.setattr(window, "serve", lambda *args, **options: pytest.fail("served"))

    @pytest.mark.parametrize("option", ["--app", "--window"])
    def test_a_window_has_a_port_of_its_own(self, option, capsys):
        assert commands.main(["run", option, "--port", "8501"]) == 2
        assert "leave --port out" in said(capsys)

    def test_without_pywebview(self, monkeypatch, capsys):
        monkeypatch.setitem(sys.modules, "webview", None)
        assert commands.main(["run", "--window"]) == 2
        text = said(capsys)
        assert 'pip install "tlmviz[window]"' in text and "--app" in text

    def test_without_a_screen(self, monkeypatch):
        monkeypatch.delenv("DISPLAY", raising=False)
        monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
        with pytest.raises(tlmviz.Error, match="no screen"):
            window.check_screen()

    def test_without_a_browser(self, monkeypatch, tmp_path, capsys):
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.setattr(window, "PLACES", ())
        assert commands.main(["run", "--app"]) == 2
        assert "No Chromium, Chrome or Edge" in said(capsys)

    def test_a_browser_that_fails(self, monkeypatch, tmp_path):
        monkeypatch.setenv("TLMVIZ_CACHE", str(tmp_path))
        with pytest.raises(tlmviz.Error, match="status 1"):
            window.browser_window(shutil.which("false"))("http://127.0.0.1:1/?a=b")
        assert not list((tmp_path / "windows").iterdir())

    def test_the_start_page_leads_to_the_link(self, tmp_path):
        page = window.start_page(tmp_path, "http://127.0.0.1:1/?a=b&c=d").read_text()
        assert 'content="0;url=http://127.0.0.1:1/?a=b&amp;c=d"' in page


def test_version(capsys):
    with pytest.raises(SystemExit) as stop:
        commands.main(["--version"])
    assert stop.value.code == 0 and capsys.readouterr().out == f"tlmviz {tlmviz.__version__}\n"


@pytest.mark.parametrize("arguments", [["chekc"], ["check"], ["trace", "zoo-rope"], ["run", "--port", "x"]])
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


class TestRunWithPaths:
    def test_a_path_is_checked_and_made_absolute(self, folder, tmp_path, monkeypatch):
        tlmviz.load(folder).trace("Tom saw a dog.").save(tmp_path / "x.safetensors")
        monkeypatch.chdir(tmp_path)
        assert opening.checked("x.safetensors") == tmp_path / "x.safetensors"
        assert opening.checked("tiny") == tmp_path / "tiny"

    @pytest.mark.parametrize(
        "name, sentence", [("nothing.safetensors", "There is nothing at"), ("tiny/model.safetensors", "but no trace")]
    )
    def test_what_cannot_be_shown_is_said_before_the_server_starts(self, folder, name, sentence, tmp_path, capsys):
        assert commands.main(["run", str(tmp_path / name), "--port", str(server.free_port())]) == 2
        assert sentence in said(capsys)

    def test_a_monitored_training_is_offered_to_the_page_that_shows_it(self, tmp_path, monkeypatch):
        (tmp_path / "run").mkdir()
        (tmp_path / "run" / "heads.parquet").touch()
        for variable in (folders.OPENED, folders.RUNS):
            monkeypatch.setenv(variable, "")
        opening.offer([opening.checked(str(tmp_path / "run"))])
        assert folders.run_folders()["run"] == tmp_path / "run" and not folders.opened_models()

    def test_identities_need_a_network(self, folder, tmp_path, capsys):
        tlmviz.load(folder).trace("Tom saw a dog.").save(tmp_path / "x.safetensors")
        assert commands.main(["check", str(tmp_path / "x.safetensors")]) == 2
        assert "has no network" in said(capsys)
