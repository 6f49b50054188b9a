"""Folders of word vectors: a round trip, and what is said of a damaged one."""

import numpy as np
import pytest
import torch

import tlmviz
from tests import tiny
from tests.tiny import sentence
from tlmviz.checkpoints.words import save_words
from tlmviz.errors import BadCheckpoint
from tlmviz.facades.word_vectors import Snapshots


@pytest.fixture(params=tiny.WORDS)
def folder(request, tmp_path):
    wv = tiny.word_vectors(request.param)
    words, c = 4, wv.config.d_model
    wv.snapshots = Snapshots(
        tuple(wv.vocabulary[:words]),
        np.random.rand(3, words, 2).astype(np.float32),
        np.eye(2, c, dtype=np.float32),
        np.zeros(c, np.float32),
        np.array([0.5, 0.2], np.float32),
        np.array([0.0, 10, 20]),
        np.ones((5, 3)),
    )
    save_words(tmp_path / "own", wv)
    return tmp_path / "own", wv


def test_a_round_trip(folder):
    path, wv = folder
    again = tlmviz.load(path)
    assert again.config == wv.config and again.vocabulary == wv.vocabulary and (again.counts == wv.counts).all()
    for name, weight in wv.network.state_dict().items():
        assert torch.equal(again.network.state_dict()[name], weight.half().float())
    film, kept = again.snapshots, wv.snapshots
    assert film.vocabulary == kept.vocabulary and (film.coordinates == kept.coordinates.astype(np.float16)).all()
    for name in ("axes", "mean", "variance", "words_read", "curve"):
        assert (getattr(film, name) == getattr(kept, name)).all()


def test_a_film_is_not_needed(folder):
    path, wv = folder
    (path / "snapshots.safetensors").unlink()
    assert tlmviz.load(path).snapshots is None


DAMAGE = {
    "no vocabulary": (lambda path: (path / "vocabulary.tsv").unlink(), "vocabulary.tsv"),
    "a word too few": (lambda path: (path / "vocabulary.tsv").write_text("the\t3\n"), "1 different"),
    "no counts": (lambda path: (path / "vocabulary.tsv").write_text("the\n"), "vocabulary.tsv"),
    "no text": (lambda path: (path / "vocabulary.tsv").write_bytes(b"\xff\xfe"), "vocabulary.tsv"),
    "cut weights": (lambda path: (path / "model.safetensors").write_bytes(b"x"), "model.safetensors"),
    "cut film": (lambda path: (path / "snapshots.safetensors").write_bytes(b"x"), "snapshots.safetensors"),
    "another method": (
        lambda path: (path / "config.json").write_text(
            (path / "config.json").read_text().replace('"method": "', '"method": "x')
        ),
        "method",
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_one_sentence(folder, damage):
    path, _ = folder
    harm, said = DAMAGE[damage]
    harm(path)
    with pytest.raises(BadCheckpoint) as error:
        tlmviz.load(path)
    assert said in sentence(error)
