"""A translation model learns, goes on from another's weights, and is asked to look at each word once."""

from dataclasses import replace

import pytest
import torch

from tests.tiny import tokenizer as make_tokenizer
from tlmviz.analysis.translation.coverage import repeats
from tlmviz.checkpoints.native import save_network
from tlmviz.config import EncoderDecoderConfig, Seq2SeqConfig
from tlmviz.decoding.penalties import coverage_loss
from tlmviz.facades.translator import Translator
from tlmviz.training import loop, repetition
from tlmviz.training.pairs import Pairs
from tlmviz.training.recipe import CoverageControl
from tlmviz.training.translation import RECIPES, TranslationRecipe, network_of, train

pytestmark = pytest.mark.slow

PAIRS = Pairs(
    [(f"Lily had {i} red balls.", f"{i} balls had Lily.") for i in range(20)], {"Tom saw a dog.": ["A dog saw Tom."]}
)
SCHEDULE = loop.Schedule(steps=4, batch_tokens=128, warmup=1, evaluate_every=2)
SIZES = dict(name="tiny", vocab_size=320, d_model=16, hidden=12, context=60)


def recipe(schedule=SCHEDULE, overlap=0.0, **changes):
    return TranslationRecipe(Seq2SeqConfig.of(**{**SIZES, "score": "additive", **changes}), schedule, overlap=overlap)


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
        train(recipe(schedule, overlap=overlap, coverage=True), PAIRS, tokenizer, tmp_path / str(overlap))["curve"][-1][
            "overlap"
        ]
        for overlap in (0.0, 10.0)
    ]
    assert paid[1] < 0.9 * paid[0]


def test_the_model_with_coverage_goes_on_from_its_twin():
    covered, twin = RECIPES["eng-fra-coverage"], RECIPES["eng-fra-additive"]
    assert covered.start == twin.config.name and covered.overlap > 0 and not twin.overlap
    same = covered.config.with_(name=twin.config.name, description=twin.config.description, coverage=False)
    assert same == twin.config


def test_the_control_differs_from_the_model_with_coverage_in_coverage_alone():
    covered, control = RECIPES["eng-fra-coverage"], RECIPES["eng-fra-additive-more"]
    assert (control.schedule, control.smoothing, control.start) == (covered.schedule, covered.smoothing, covered.start)
    assert not control.overlap and not control.bundled
    same = control.config.with_(name=covered.config.name, description=covered.config.description, coverage=True)
    assert same == covered.config


def test_a_bundled_model_stands_in_for_its_run(tmp_path):
    network, asked = network_of(recipe().config), recipe()
    save_network(tmp_path / "models" / "tiny", network, make_tokenizer(), torch.float32)
    still = loop.Schedule(steps=1, batch_tokens=128, learning_rate=0.0)
    control = CoverageControl(replace(asked, schedule=still, start="tiny", bundled=False))
    start = control.start(tmp_path / "runs", tmp_path / "models")
    train(control.recipe, PAIRS, make_tokenizer(), tmp_path / "more", start)
    after = weights(tmp_path / "more")
    assert after and all(torch.equal(value, network.state_dict()[name]) for name, value in after.items())


def test_what_is_measured_of_repetition(tmp_path):
    mt = Translator(network_of(recipe().config).eval(), make_tokenizer())
    texts = {"Tom saw a dog.": ["A dog saw Tom."], "Lily had a red ball.": ["A red ball.", "Lily had it."]}
    found = repetition.measure(mt, texts)
    greedy = [mt.search(text, repetition.GREEDY).hypotheses()[0] for text in texts]
    again = [repeats(one.tokens, 3) for one in greedy]
    assert found.repeated == sum(again) and found.sentences == sum(count > 0 for count in again)
    losses = [float(loss) for one in greedy for loss in coverage_loss(one.map(0))]
    assert found.covloss == pytest.approx(sum(losses) / len(losses)) and 0 <= found.bleu <= 100


def test_the_control_leaves_its_numbers_in_the_card_and_no_model(tmp_path):
    models, runs = tmp_path / "models", tmp_path / "runs"
    for name, coverage in (("tiny", False), (repetition.COVERED, True)):
        save_network(models / name, network_of(recipe(name=name, coverage=coverage).config), make_tokenizer())
    card = models / repetition.COVERED / "card.md"
    card.write_text("# card\n\nWords.\n")
    asked = replace(recipe(name="more"), start="tiny", bundled=False)
    train(asked, PAIRS, make_tokenizer(), runs / "more", models / "tiny")
    for _ in range(2):  # a second time replaces the section
        CoverageControl(asked).finish(PAIRS, runs, models)
    written = card.read_text()
    assert written.startswith("# card\n\nWords.\n\n" + repetition.HEADING) and written.count("## ") == 1
    assert all(f"| {name} |" in written for name in ("tiny", "more", repetition.COVERED))
    assert not (models / "more").exists()
