"""The survey and the losses of muted experts, against plain counting."""

import numpy as np
import pytest

import tlmviz
from tests import tiny
from tests.tiny import SENTENCES, TEXT
from tlmviz.analysis.experts import edits, losses, survey
from tlmviz.errors import BadCheckpoint, BadText


@pytest.fixture(scope="module")
def moe(tokenizer):
    part = dict(count=4, chosen=2, hidden=20, score="sigmoid", bias=True)
    return tiny.language_model(tokenizer, experts=part)


def test_the_survey_counts_what_experts_read(moe):
    found = survey.survey(moe, SENTENCES * 3)
    reads, total = {}, 0
    for document in SENTENCES * 3:
        trace = moe.trace(document)
        total += len(trace)
        for token, chosen in zip(trace.tokens, trace.routing(1).chosen.tolist()):
            for expert in chosen:
                reads.setdefault((expert, token), []).append(1)
    assert found.tokens == total
    answers = [answer for expert in found.experts[1] for answer in expert.answers]
    assert answers
    for number, expert in enumerate(found.experts[1]):
        for answer in expert.answers:
            assert answer.count == len(reads[number, answer.token]) and answer.share > expert.load
    with pytest.raises(BadText):
        survey.survey(moe, [])
    with pytest.raises(BadCheckpoint) as error:
        survey.read("stories-rope")
    assert "survey.json" in tiny.sentence(error)


def test_the_loss_of_muted_experts(moe):
    trace = moe.trace(TEXT)
    found = losses.ablation(moe, trace)
    muted = moe.trace(TEXT, edit=edits.mute_experts(moe.config, [(1, 3)]))
    expected = float(muted.loss_per_token().mean() - trace.loss_per_token().mean())
    assert found.shape == (2, 4) and found[1, 3] == pytest.approx(expected, abs=1e-5)
    assert np.abs(found).max() > 1e-3
    assert not losses.ablation(moe, moe.trace_ids([3])).any()


def test_no_log_is_one_sentence():
    from tlmviz.analysis.experts import training

    for read in (training.curves, training.moments):
        with pytest.raises(BadCheckpoint) as error:
            read("zoo-rope")
        assert "stories-moe" in tiny.sentence(error)
    assert "zoo-rope" in tlmviz.list_models("language")
