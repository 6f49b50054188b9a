"""Weights at steps of a training: kept in 8 bits, found by names such as model@400, else refused in a sentence."""

import pytest
import torch

import tlmviz
from tests import tiny
from tests.tiny import sentence
from tlmviz.checkpoints import folders, native, registry, steps
from tlmviz.errors import BadCheckpoint, UnknownName

IDS = torch.tensor([[1, 5, 9, 200]])


@pytest.fixture(scope="module")
def early(tokenizer):
    return tiny.language_model(tokenizer, seed=1)


@pytest.fixture
def kept(lm, early, tmp_path, monkeypatch):
    """A folder of models with one that has weights at steps 0 and 400."""
    native.save_network(tmp_path / "tiny", lm.network, lm.tokenizer)
    for step in (400, 0):
        steps.write_step(tmp_path / "tiny", step, early.network)
    monkeypatch.setenv(folders.VARIABLE, str(tmp_path))
    return tmp_path / "tiny"


def test_a_step_is_loaded_by_its_name_and_is_the_network_of_then(kept, early, lm):
    assert folders.steps_of("tiny") == (0, 400)
    then = tlmviz.load("tiny@400")
    assert then.name == "tiny@400" and then.config == early.config
    rounded, other = ((then(IDS) - of(IDS)).abs().mean() for of in (early, lm))
    assert rounded < other / 10
    assert then.encode("Lily") == lm.encode("Lily")
    assert registry.list_models("language").keys() == {"tiny"}  # steps are no models of their own
    assert registry.language_config("tiny@400") == early.config


def test_each_row_is_within_half_a_step_of_its_scale(kept, early):
    read = steps.read_step(folders.step_path("tiny@400"))
    for name, value in native.own_weights(early.network).items():
        scale = value.abs().amax(-1, keepdim=True) / 127 if value.ndim > 1 else torch.zeros(1)
        allowed = scale * (0.5 + 127 * 2**-11)  # a scale is rounded to 11 bits
        assert bool(((read[name] - value).abs() <= allowed).all()), name
    size = folders.step_path("tiny@400").stat().st_size
    assert size < 1.2 * early.n_parameters + 20_000


def test_a_path_names_a_step_as_a_name_does(kept, early):
    torch.testing.assert_close(tlmviz.load(f"{kept}@0")(IDS), tlmviz.load("tiny@0")(IDS))


@pytest.mark.parametrize("name", ["tiny@399", "tiny@", "tiny@-1", "tiny@4e2", "tiny@" + "9" * 400, "none@400", "@400"])
def test_a_step_that_was_not_kept_is_no_model(kept, name):
    with pytest.raises(UnknownName) as error:
        tlmviz.load(name)
    assert "no model" in sentence(error)


def test_a_broken_file_is_said(kept):
    path = folders.step_path("tiny@400")
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(BadCheckpoint) as error:
        tlmviz.load("tiny@400")
    assert "tiny/steps/000400.safetensors" in sentence(error)


def test_weights_of_another_network_are_refused(kept, tokenizer):
    steps.write_step(kept, 400, tiny.language_model(tokenizer, d_ff=24).network)
    with pytest.raises(BadCheckpoint):
        tlmviz.load("tiny@400")
