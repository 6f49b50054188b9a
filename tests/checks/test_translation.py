"""The identities of translating hold on healthy models, and each notices what it is there to notice."""

from dataclasses import replace

import numpy as np
import pytest
import torch

import tlmviz
from tests import tiny
from tlmviz import __main__ as commands
from tlmviz import checks
from tlmviz.caches import ContiguousCache
from tlmviz.checkpoints import native as zoo
from tlmviz.checks import translation, translation_cases
from tlmviz.decoding import beam, penalties
from tlmviz.errors import BadText
from tlmviz.kernels import AttentionMask
from tlmviz.layers.attention import Attention
from tlmviz.networks.seq2seq import Seq2Seq

TEXT = "Lily had a red ball."
KINDS = pytest.mark.parametrize("kind", tiny.TRANSLATORS)


@pytest.fixture(scope="module")
def translators(tokenizer):
    return {kind: tiny.translator(tokenizer, kind) for kind in tiny.TRANSLATORS}


def failed(mt, text=TEXT):
    return {
        result.name
        for result in checks.measure(translation, *translation_cases.translated(mt, text))
        if not result.passed
    }


@KINDS
@pytest.mark.parametrize("text", [TEXT, "a", "<b> 😀 $x$ <|endoftext|>"], ids=repr)
def test_every_kind_passes(translators, kind, text):
    assert not failed(translators[kind], text)


def test_the_command_runs_them_all_on_a_sentence_of_its_own(tokenizer, tmp_path, capsys):
    zoo.save_network(
        tmp_path / "tiny", tiny.translation_network(vocab_size=tokenizer.vocab_size, context=64), tokenizer
    )
    assert commands.main(["check", str(tmp_path / "tiny")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(checks.applicable(tlmviz.load(tmp_path / "tiny"))) and all(
        line.startswith("ok ") for line in lines
    )
    assert commands.main(["check", str(tmp_path / "tiny"), ""]) == 2
    assert "empty" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "Lily " * 300])
def test_a_sentence_that_cannot_be_read_is_one_sentence(translators, text):
    with pytest.raises(BadText) as error:
        checks.run_all(translators["transformer"], text)
    tiny.sentence(error)


@pytest.mark.quality
@pytest.mark.parametrize("name", tlmviz.list_models("translation"))
def test_the_bundled_models_pass(name):
    assert not failed(tlmviz.load(name), "She never eats meat.")


def test_a_cache_that_is_not_reordered_is_noticed(translators, monkeypatch):
    honest = ContiguousCache.reorder
    monkeypatch.setattr(ContiguousCache, "reorder", lambda self, rows: honest(self, rows * 0))
    assert "Reordering is neutral" in failed(translators["transformer"])


def test_scores_that_add_up_wrongly_are_noticed(translators, monkeypatch):
    honest = beam._Run._add

    def wrong(self, parent, token, logp, *rest):
        return honest(self, parent, token, logp + 0.01, *rest)

    monkeypatch.setattr(beam._Run, "_add", wrong)
    assert {"Score = read again", "Wide = exhaustive"} <= failed(translators["general"])


def test_maps_that_are_not_normalised_are_noticed(translators):
    mt = translators["dot"]
    given = translation_cases.translation(mt, TEXT)
    best = replace(given.best, attention=given.best.attention * np.float32(1.01))
    assert not translation.rows_sum_to_one(mt, replace(given, best=best)).passed
    assert not translation.score_is_read_again(mt, replace(given, best=best)).passed


def test_a_beam_that_takes_the_second_best_is_noticed(translators, monkeypatch):
    monkeypatch.setattr(translation, "greedy", lambda stepper, length: [*beam.greedy(stepper, length)][1:])
    assert "Width 1 = greedy" in failed(translators["dot"])


@pytest.mark.parametrize(
    "name, wrong, found",
    [
        ("length_penalty", lambda count, alpha, kind="gnmt": count**alpha, "Penalties by hand"),
        ("end_penalty", lambda count, source, gamma: gamma * source / count, "Penalties by hand"),
        ("token_coverage", lambda covered, floor: np.log(np.maximum(covered, floor)), "Penalties by hand"),
        ("coverage_penalty", lambda a, beta, floor: 0.0, "Penalties by hand"),
        ("coverage_loss", lambda a: np.maximum(a, 0.5 * a.cumsum(0)).sum(1), "Overlap = distance"),
    ],
)
def test_wrong_penalties_are_noticed(translators, monkeypatch, name, wrong, found):
    monkeypatch.setattr(penalties, name, wrong)
    assert found in failed(translators["transformer"])


def test_a_decoder_that_looks_ahead_is_noticed(tokenizer):
    """Without the mask, read in one pass, the future is seen; the search, which writes token by token, has none to
    see."""
    mt = tiny.translator(tokenizer)
    for block in mt.network.decoder:
        block.attn.causal = False
    assert {"Mask hides the future", "Score = read again"} <= failed(mt)


def test_a_mask_that_hides_nothing_worth_hiding_is_noticed(translators, monkeypatch):
    """Removing the mask must be seen in the loss: a check that could not see it would prove nothing."""
    honest = Attention.spec
    monkeypatch.setattr(
        Attention, "spec", lambda self, positions: replace(honest(self, positions), mask=AttentionMask())
    )
    assert "Mask hides the future" in failed(translators["transformer"])


def test_a_recurrent_decoder_that_peeks_is_noticed(translators, monkeypatch):
    honest = Seq2Seq.forward

    def peeking(self, source, target):
        logits, paid = honest(self, source, target)
        return logits + 0.01 * target[:, -1:, None].float() * torch.eye(logits.shape[-1])[0], paid

    monkeypatch.setattr(Seq2Seq, "forward", peeking)
    assert "Mask hides the future" in failed(translators["additive"])
