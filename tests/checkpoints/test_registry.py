"""The table of kinds, where models are found, the device they are put on, and what loading does not cost."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import tlmviz
from tests import tiny
from tests.tiny import sentence
from tlmviz.checkpoints import devices, native, wheels
from tlmviz.checkpoints.folders import PACKAGE, model_folder, model_folders, models_folder, models_folders
from tlmviz.checkpoints.registry import KINDS, checkpoint_folder, language_config
from tlmviz.errors import BadBackend, BadCheckpoint, UnknownName
from tlmviz.networks.base import Network

ROOT = Path(__file__).resolve().parents[2]


class TestKinds:
    def test_a_row_agrees_with_its_classes(self):
        for name, kind in KINDS.items():
            own = getattr(kind.config, "kind", "")
            assert name == own or (own and name.startswith(f"{own}-"))  # scenes, and scenes-turned
            assert kind.facade is None or (kind.facade.task == kind.task and issubclass(kind.network, Network))

    def test_every_task_is_listed(self):
        tasks = {kind.task for kind in KINDS.values()}
        listed = {task: set(tlmviz.list_models(task)) for task in tasks}
        assert (
            all(listed[task] for task in ("language", "translation", "words"))
            and "stories-rope-indexer" in listed["index"]
        )
        named = [name for task in tasks - {"index"} for name in listed[task]]
        assert sorted(named) == sorted(tlmviz.list_models())

    @pytest.mark.parametrize("kind", ["perceiver", "", 7])
    def test_an_unknown_kind_is_refused(self, tmp_path, kind, tokenizer):
        native.save_network(tmp_path / "tiny", tiny.network(vocab_size=tokenizer.vocab_size), tokenizer)
        path = tmp_path / "tiny" / "config.json"
        path.write_text(path.read_text().replace('"name"', f'"kind": "{kind}",\n  "name"', 1))
        with pytest.raises(BadCheckpoint) as error:
            tlmviz.load(tmp_path / "tiny")
        assert "tiny" in sentence(error)

    def test_a_configuration_is_read_without_weights(self):
        assert language_config("stories-rope") == tlmviz.load("stories-rope").config
        with pytest.raises(BadCheckpoint):
            language_config("eng-fra")


class TestFolders:
    def test_the_repositorys_models(self, monkeypatch):
        monkeypatch.delenv("TLMVIZ_MODELS", raising=False)
        assert models_folder() == ROOT / "models"

    def test_the_wheels_models_come_first(self, monkeypatch, tmp_path):
        monkeypatch.delenv("TLMVIZ_MODELS", raising=False)
        monkeypatch.setattr("tlmviz.checkpoints.folders.PACKAGE", tmp_path)
        assert models_folder() == tmp_path.parent / "models"
        (tmp_path / "_models").mkdir(parents=True)
        assert models_folder() == tmp_path / "_models"
        monkeypatch.setenv("TLMVIZ_MODELS", str(PACKAGE))
        assert models_folder() == PACKAGE

    def test_a_wheel_of_models_is_looked_through_after_tlmvizs_own(self, monkeypatch, tmp_path):
        monkeypatch.delenv("TLMVIZ_MODELS", raising=False)
        for name in ("stories-rope", "mine"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "config.json").write_text("{}")
        monkeypatch.setattr(wheels, "folders", lambda: (tmp_path,))
        assert model_folder("stories-rope") == ROOT / "models" / "stories-rope"
        assert model_folder("mine") == tmp_path / "mine" == checkpoint_folder("mine")
        assert tmp_path / "mine" in model_folders() and tmp_path / "stories-rope" not in model_folders()
        monkeypatch.setenv("TLMVIZ_MODELS", str(ROOT / "models"))
        assert models_folders() == [ROOT / "models"]

    def test_the_wheels_are_found_where_python_finds_their_package(self, monkeypatch, tmp_path):
        (tmp_path / wheels.SPACE / "mine").mkdir(parents=True)
        wheels.places.cache_clear()
        try:
            assert wheels.folders() == ()
            monkeypatch.syspath_prepend(tmp_path)
            wheels.places.cache_clear()
            assert wheels.folders() == (tmp_path / wheels.SPACE,)
        finally:
            wheels.places.cache_clear()

    @pytest.mark.parametrize(
        "name, wheel",
        [
            ("zoo-mla", "tlmviz-models-zoo"),
            ("stories-mtp", "tlmviz-models"),
            ("eng-fra-dot", "tlmviz-models-translation"),
        ],
    )
    def test_a_model_of_a_wheel_that_is_not_installed(self, monkeypatch, tmp_path, name, wheel):
        monkeypatch.delenv("TLMVIZ_MODELS", raising=False)
        monkeypatch.setattr("tlmviz.checkpoints.folders.PACKAGE", tmp_path)
        (tmp_path / "_models").mkdir(parents=True)
        with pytest.raises(UnknownName) as error:
            tlmviz.load(name)
        assert f"{name} comes with the package {wheel}, which is not installed; run `pip install {wheel}`." == sentence(
            error
        )
        monkeypatch.setenv("TLMVIZ_MODELS", str(tmp_path))  # somebody's own folder, which no package fills
        with pytest.raises(UnknownName) as error:
            tlmviz.load(name)
        assert "pip" not in sentence(error)

    def test_without_models_the_sentence_says_what_to_set(self, monkeypatch, tmp_path):
        monkeypatch.setenv("TLMVIZ_MODELS", str(tmp_path / "nowhere"))
        assert tlmviz.list_models() == {}
        with pytest.raises(UnknownName) as error:
            tlmviz.load("stories-rope")
        assert "TLMVIZ_MODELS" in sentence(error) and "nowhere" in sentence(error)

    def test_models_are_listed_from_another_folder(self, tmp_path):
        code = "import tlmviz; print(len(tlmviz.list_models()))"
        env = {"PYTHONPATH": str(ROOT), "PATH": "", "TLMVIZ_CACHE": os.environ["TLMVIZ_CACHE"]}
        run = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True, check=True
        )
        assert int(run.stdout) == len(tlmviz.list_models()) > 20


class TestDevices:
    def test_the_best_there_is(self, monkeypatch):
        monkeypatch.setattr(devices, "DEVICES", {"cuda": lambda: False, "cpu": lambda: True})
        assert devices.choose_device() == torch.device("cpu")
        monkeypatch.setattr(devices, "DEVICES", {"cuda": lambda: True, "cpu": lambda: True})
        assert devices.choose_device() == devices.choose_device("cuda") == torch.device("cuda")
        assert devices.choose_device("cuda:1") == torch.device("cuda:1")
        assert devices.choose_device(torch.device("cpu")) == torch.device("cpu")

    @pytest.mark.parametrize("name", ["gpu", "meta", "cuda", "", "cpu:x"])
    def test_a_device_that_is_not_there(self, monkeypatch, name):
        monkeypatch.setattr(devices, "DEVICES", {"cuda": lambda: False, "cpu": lambda: True})
        with pytest.raises(BadBackend) as error:
            tlmviz.load("zoo-rope", device=name)
        assert "cpu" in sentence(error)

    @pytest.mark.parametrize("name", ["zoo-rope", "zoo-alibi", "zoo-mla", "zoo-window", "stories-hc"])
    def test_ids_are_brought_to_the_models_device(self, monkeypatch, name):
        """A meta tensor meets no tensor of the CPU: any that was made in the wrong place would raise.

        What the model hands out has left the device, which meta tensors cannot; tests/test_devices.py looks at that.
        """
        monkeypatch.setattr(devices, "DEVICES", {"meta": lambda: True, "cpu": lambda: True})
        lm = tlmviz.load(name)
        assert lm.device == torch.device("meta")
        assert lm.network(torch.tensor([[1, 2, 3]])).is_meta
        for rotated in (True, False):
            cache = lm.new_cache(rotated)
            lm.network(torch.tensor([[1, 2, 3]]), cache)
            assert lm.network(torch.tensor([[4]]), cache).is_meta

    def test_a_translators_ids_too(self, monkeypatch):
        monkeypatch.setattr(devices, "DEVICES", {"meta": lambda: True})
        mt = tlmviz.load("eng-fra")
        assert mt.device == torch.device("meta")
        assert mt.network(torch.tensor([[1, 2, 3]]), torch.tensor([[1, 2]])).is_meta
        writing = mt.network.start(torch.tensor([[1, 2, 3]]))
        assert mt.network.step(torch.tensor([1]), writing).is_meta


def test_loading_imports_no_compiler():
    code = (
        "import sys, tlmviz; [tlmviz.load(n) for n in ('stories-rope', 'eng-fra')]; print('torch._dynamo' in "
        "sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_what_is_loaded_has_the_buffers_of_a_fresh_network(tokenizer, tmp_path):
    network = tiny.network(vocab_size=tokenizer.vocab_size, positions="alibi")
    native.save_network(tmp_path / "alibi", network, tokenizer)
    loaded = tlmviz.load(tmp_path / "alibi").network
    assert torch.equal(loaded.positions.slopes, network.positions.slopes)
