"""A translation model learns, goes on from another's weights, and is asked to look at each word once."""

import pytest
import torch

from tests.tiny import tokenizer as make_tokenizer
from tlmviz.config import EncoderDecoderConfig, Seq2SeqConfig
from tlmviz.training import loop
from tlmviz.training.pairs import Pairs
from tlmviz.training.translation import RECIPES, TranslationRecipe, train

PAIRS = Pairs(
    [(f"Lily had {i} red balls.", f"{i} balls had Lily.") for i in range(20)],
    {"Tom saw a dog.": ["A dog saw Tom."]},
)
SCHEDULE = loop.Schedule(steps=4, batch_tokens=128, warmup=1, evaluate_every=2)
SIZES = dict(name="tiny", vocab_size=320, d_model=16, hidden=12, context=60)


def recipe(schedule=SCHEDULE, overlap=0.0, **changes):
    return TranslationRecipe(
        Seq2SeqConfig.of(**{**SIZES, "score": "additive", **changes}), schedule, overlap=overlap
    )


def weights(folder):
    return loop.read_weights(folder)


@pytest.mark.parametrize("kind", ["recurrent", "transformer"])
def test_a_run_logs_its_curve_and_resumes(tmp_path, kind):
    config = EncoderDecoderConfig.of(name="tiny", vocab_size=320, d_model=16, n_heads=2, d_ff=24, context=60)
    asked = recipe() if kind == "recurrent" else TranslationRecipe(config, SCHEDULE)
    log = train(asked, PAIRS, make_tokenizer(), tmp_path)
    assert [point["step"] for point in log["curve"]] == [2, 4]
    assert log["curve"][0]["valid_loss"] > log["curve"][1]["valid_loss"]
    assert train(asked, PAIRS, make_tokenizer(), tmp_path)["curve"] == log["curve"]  # nothing left to do


def test_it_goes_on_from_another_run(tmp_path):
    tokenizer = make_tokenizer()
    train(recipe(), PAIRS, tokenizer, tmp_path / "plain")
    still = loop.Schedule(steps=1, batch_tokens=128, learning_rate=0.0)
    train(recipe(still, coverage=True), PAIRS, tokenizer, tmp_path / "covered", tmp_path / "plain")
    before, after = weights(tmp_path / "plain"), weights(tmp_path / "covered")
    assert set(after) - set(before) == {"score.w.weight"} and not after["score.w.weight"].any()
    assert all(torch.equal(before[name], after[name]) for name in before)


def test_covloss_makes_it_look_elsewhere(tmp_path):
    tokenizer = make_tokenizer()
    schedule = loop.Schedule(steps=60, batch_tokens=128, learning_rate=2e-2, warmup=1, evaluate_every=20)
    paid = [
        train(recipe(schedule, overlap=overlap, coverage=True), PAIRS, tokenizer, tmp_path / str(overlap))[
            "curve"
        ][-1]["overlap"]
        for overlap in (0.0, 10.0)
    ]
    assert paid[1] < 0.9 * paid[0]


def test_the_model_with_coverage_goes_on_from_its_twin():
    covered, twin = RECIPES["eng-fra-coverage"], RECIPES["eng-fra-additive"]
    assert covered.start == twin.config.name and covered.overlap > 0 and not twin.overlap
    same = covered.config.with_(name=twin.config.name, description=twin.config.description, coverage=False)
    assert same == twin.config
