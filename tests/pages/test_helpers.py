"""What tests of pages lean on: caches that are given back as they were."""

from tests import tiny
from tlmviz.ui import compute

from .helpers import only_models


def test_models_of_a_test_are_forgotten_and_the_others_are_not(tokenizer, tmp_path):
    lm, offered = compute.model("stories-rope"), compute.models()
    for layers in (1, 2):
        network = tiny.network(vocab_size=tokenizer.vocab_size, n_layers=layers)
        with only_models({"tiny": network}, tokenizer, tmp_path / str(layers)):
            assert "tiny" in compute.models() and compute.model("tiny").config.n_layers == layers
            assert compute.size("tiny") == compute.size.__wrapped__("tiny")
    assert compute.model("stories-rope") is lm and compute.models() == offered
    assert "tiny" not in offered
