"""Which format a path has, where models are found by name, and that foreign readers are asked when they are needed."""

import json
import os
import sys
import types

import pytest
from tokenizers import Tokenizer as HFTokenizer
from tokenizers import decoders, models

import tlmviz
from tests import tiny
from tests.real import write_gguf
from tests.tiny import sentence
from tlmviz.checkpoints import folders, native
from tlmviz.checkpoints.formats import FORMATS, format_of
from tlmviz.checkpoints.registry import language_config
from tlmviz.errors import BadCheckpoint, UnknownName


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TLMVIZ_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def foreign(tmp_path, monkeypatch):
    """A folder as Hugging Face writes it, and a reader that stands in for the one of its families."""
    folder = tmp_path / "foreign"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"model_type": "llama", "architectures": ["L"], "eos_token_id": 1}))
    inner = HFTokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
    inner.decoder = decoders.ByteLevel()
    inner.save(str(folder / "tokenizer.json"))
    config = tiny.config(vocab_size=8, description="From elsewhere.")
    reader = types.ModuleType("huggingface")
    reader.read_config = lambda folder: config
    reader.read_network = lambda folder, config: tiny.network(vocab_size=config.vocab_size)
    reader.recognises = lambda folder: (folder / "tokenizer.json").is_file() and folder.name == "foreign"
    monkeypatch.setitem(sys.modules, "tlmviz.checkpoints.huggingface", reader)
    monkeypatch.setattr("tlmviz.checkpoints.huggingface", reader, raising=False)  # where it was imported before
    return folder


class TestFormats:
    def test_each_path_has_one(self, tmp_path, tokenizer, foreign):
        native.save_network(tmp_path / "ours", tiny.network(vocab_size=tokenizer.vocab_size), tokenizer)
        file = write_gguf(tmp_path / "tiny.gguf")
        found = {name: kind for name, kind in FORMATS.items()}
        assert format_of(tmp_path / "ours") is found["native"] and format_of(foreign) is found["huggingface"]
        assert format_of(file) is found["gguf"]

    def test_a_folder_with_one_gguf_file_is_that_file(self, tmp_path):
        (tmp_path / "model").mkdir()
        write_gguf(tmp_path / "model" / "tiny.gguf")
        assert tlmviz.load(tmp_path / "model").name == "model"
        write_gguf(tmp_path / "model" / "other.gguf")
        with pytest.raises(BadCheckpoint) as error:
            tlmviz.load(tmp_path / "model")
        assert "2 .gguf files" in sentence(error)

    @pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json", "tiny.gguf"])
    def test_a_pipe_is_not_waited_for(self, tmp_path, tokenizer, name):
        folder = tmp_path / "ours"
        native.save_network(folder, tiny.network(vocab_size=tokenizer.vocab_size), tokenizer)
        (folder / name).unlink(missing_ok=True)
        os.mkfifo(folder / name)
        for path in (folder, folder / name):
            with pytest.raises(BadCheckpoint, match=f"^{name} is a pipe, a socket or a device and no file") as error:
                format_of(path)
            sentence(error)

    def test_a_foreign_folder_is_read_by_its_reader(self, foreign):
        lm = tlmviz.load(foreign)
        assert lm.encode("ab") == [2] and lm.tokenizer.begin is None and lm.tokenizer.ends == {1}
        assert language_config(foreign).description == "From elsewhere."

    def test_a_tokenizer_of_another_model_is_refused(self, foreign):
        inner = HFTokenizer(models.BPE({chr(97 + i): i for i in range(9)}, []))
        inner.decoder = decoders.ByteLevel()
        inner.save(str(foreign / "tokenizer.json"))
        with pytest.raises(BadCheckpoint) as error:
            tlmviz.load(foreign)
        assert "embedding" in sentence(error)


class TestNames:
    def test_what_is_installed_is_listed_and_loaded(self, cache):
        folders.installed_folder("little").mkdir(parents=True)
        write_gguf(folders.installed_folder("little") / "model.gguf")
        assert "2 layers" in tlmviz.list_models()["little"] and "little" in tlmviz.list_models("language")
        assert "little" not in tlmviz.list_models("translation")
        assert tlmviz.load("little").name == language_config("little").name == "little"

    def test_what_is_damaged_or_unfinished_is_not_listed(self, cache):
        for name in ("broken", ".unfinished"):
            folders.installed_folder(name).mkdir(parents=True)
            (folders.installed_folder(name) / "model.gguf").write_bytes(b"GGUF")
        assert not {"broken", ".unfinished"} & tlmviz.list_models().keys()
        with pytest.raises(BadCheckpoint) as error:
            tlmviz.load("broken")
        assert "again" in sentence(error)
        with pytest.raises(UnknownName):
            tlmviz.load(".unfinished")

    def test_opened_paths_get_names(self, tmp_path, monkeypatch):
        paths = [tmp_path / "a" / "own.gguf", tmp_path / "b" / "own.gguf", tmp_path / "stories-rope.gguf"]
        for path in paths:
            path.parent.mkdir(exist_ok=True)
            write_gguf(path)
        monkeypatch.setenv("TLMVIZ_OPEN", ":".join(map(str, paths)))
        assert list(folders.opened_models()) == ["own", "own-2", "stories-rope-2"]
        assert {"own", "own-2"} <= tlmviz.list_models().keys()
        assert tlmviz.load("own-2").name == "own-2"

    def test_the_cache_folder(self, monkeypatch, tmp_path):
        monkeypatch.setenv("TLMVIZ_CACHE", str(tmp_path))
        assert folders.cache_folder() == tmp_path
        monkeypatch.delenv("TLMVIZ_CACHE")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
        assert folders.cache_folder() == tmp_path / "x" / "tlmviz"
        monkeypatch.delenv("XDG_CACHE_HOME")
        monkeypatch.setenv("HOME", str(tmp_path))
        assert folders.cache_folder() == tmp_path / ".cache" / "tlmviz"
