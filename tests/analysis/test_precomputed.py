"""Results shipped beside a model: found by question, and only for the very model that answered."""

import numpy as np
import pytest
import torch

import tlmviz
from tests import tiny
from tlmviz.analysis import precomputed
from tlmviz.checkpoints.folders import models_folder

ASKED = (1, 2, 3), "YaRN", 3.0


@pytest.fixture
def lm(tokenizer, tmp_path, monkeypatch):
    """A model of its own, whose answers lie in the test's folder."""
    monkeypatch.setenv("TLMVIZ_MODELS", str(tmp_path))
    made = tiny.language_model(tokenizer, seed=7)
    (tmp_path / made.name).mkdir()
    with precomputed.collection() as answers:
        precomputed.ready(
            made, "a question", ASKED, lambda: {"loss": np.arange(3.0), "text": np.frombuffer(b"ab", np.uint8)}
        )
    precomputed.write(tmp_path / made.name, made, answers)
    return made


def refuse():
    raise AssertionError("computed although it is shipped")


def test_an_answer_is_found_again_and_another_question_is_computed(lm):
    found = precomputed.ready(lm, "a question", ASKED, refuse)
    assert list(found["loss"]) == [0, 1, 2] and found["text"].tobytes() == b"ab"
    other = {"loss": np.ones(1)}
    for what, asked in (("another", ASKED), ("a question", ((1, 2), "YaRN", 3.0)), ("a question", (*ASKED[:2], 2.0))):
        assert precomputed.ready(lm, what, asked, lambda: other) is other


def test_nothing_is_used_where_the_model_differs(lm, tokenizer):
    same = tiny.language_model(tokenizer, seed=7)
    assert precomputed.answer(same, "a question", ASKED)
    changed = tiny.language_model(tokenizer, seed=7)
    with torch.no_grad():
        next(changed.network.parameters()).view(-1)[0] += 1e-3
    assert precomputed.answer(changed, "a question", ASKED) is None
    rescaled = tiny.language_model(tokenizer, seed=7, context=lm.config.context + 1)
    rescaled.network.load_state_dict(lm.network.state_dict())
    assert precomputed.answer(rescaled, "a question", ASKED) is None


def test_a_damaged_file_is_as_none(lm, tmp_path):
    (tmp_path / lm.name / precomputed.FILE).write_bytes(b"no safetensors")
    assert precomputed.answer(lm, "a question", ASKED) is None


def test_while_answers_are_collected_nothing_shipped_is_used(lm):
    with precomputed.collection() as answers:
        precomputed.ready(lm, "a question", ASKED, lambda: {"loss": np.zeros(1)})
    [answer] = answers.values()
    assert list(answer["loss"]) == [0]


def test_the_bundled_answers_are_of_the_bundled_model():
    lm = tlmviz.load("stories-rope")
    made_by, answers = precomputed._read(models_folder() / lm.name / precomputed.FILE, 0)
    assert made_by == precomputed.fingerprint(lm), "run `python -m docs.ship_defaults`"
    assert len(answers) == 10
