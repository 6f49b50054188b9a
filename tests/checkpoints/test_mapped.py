"""Weights that processes share: the same numbers, one file, and no memory of a process's own."""

import subprocess
import sys

import pytest
import torch

import tlmviz
from tlmviz.checkpoints import mapped
from tlmviz.checkpoints.registry import checkpoint_folder

NAMES = (
    "stories-rope",
    "eng-fra",
    "eng-fra-dot",
    "digits-perceiver-4",
    "stories-mtp",
    "words-cbow",
    "stories-sentinel",
)
# Prints how many kB of a mapped model's weights are copies of the process's own.
PRIVATE = """
import re, sys, tlmviz
lm = tlmviz.load(sys.argv[1])
lm.trace("Once upon a time")
maps = re.split(r"\\n(?=[0-9a-f]+-[0-9a-f]+ )", open("/proc/self/smaps").read())
ours = [each for each in maps if ".weights" in each.partition("\\n")[0]]
print(len(ours), sum(int(re.search(r"Anonymous: +(\\d+)", each)[1]) for each in ours))
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(mapped.FOLDER, str(tmp_path))
    return tmp_path


def weights(model):
    return [tensor.clone() for tensor in mapped._tensors(model)]


@pytest.mark.parametrize("name", NAMES)
def test_the_numbers_and_strides_stay(name, tmp_path, monkeypatch):
    own = tlmviz.load(name)
    monkeypatch.setenv(mapped.FOLDER, str(tmp_path))
    shared = tlmviz.load(name)
    pairs = list(zip(mapped._tensors(own), mapped._tensors(shared), strict=True))
    assert pairs
    for a, b in pairs:
        assert torch.equal(a, b) and a.stride() == b.stride() and a.dtype == b.dtype


def test_the_same_pass(folder):
    text = "Once upon a time there was a"
    shared = tlmviz.load("stories-rope").trace(text).logits_at(-1)
    assert list(folder.glob("stories-rope-*.weights"))
    mapped_free = tlmviz.load("stories-rope")
    assert torch.equal(mapped_free.trace(text).logits_at(-1), shared)
    assert len(list(folder.glob("*.weights"))) == 1  # the second load wrote nothing


def test_a_checkpoint_written_anew_is_another_file(folder, tmp_path_factory):
    source = checkpoint_folder("stories-rope")
    copy = tmp_path_factory.mktemp("models") / "mine"
    copy.mkdir()
    for file in source.iterdir():
        if file.is_file():
            (copy / file.name).write_bytes(file.read_bytes())
    tlmviz.load(copy)
    (copy / "config.json").touch()
    tlmviz.load(copy)
    assert len(list(folder.glob("mine-*.weights"))) == 2


def test_a_write_reaches_no_other_process(folder):
    first, second = tlmviz.load("stories-rope"), tlmviz.load("stories-rope")
    before = weights(second)
    with torch.no_grad():
        mapped._tensors(first)[0].add_(1)
    assert all(torch.equal(a, b) for a, b in zip(before, mapped._tensors(second)))


def test_nothing_is_written_unless_asked(tmp_path, monkeypatch):
    monkeypatch.delenv(mapped.FOLDER, raising=False)
    mapped.shared(tlmviz.load("stories-rope"), checkpoint_folder("stories-rope"))
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_process_keeps_no_copy(folder):
    for _ in range(2):  # the process that writes the file, and one that finds it
        said = subprocess.run(
            [sys.executable, "-c", PRIVATE, "stories-rope"], capture_output=True, text=True, check=True
        )
        maps, private = map(int, said.stdout.split())
        assert maps and private == 0
