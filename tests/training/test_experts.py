"""How experts are kept busy, what is logged of them, and what a finished model's folder holds."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.tiny import SENTENCES, config, network
from tests.tiny import tokenizer as make_tokenizer
from tlmviz.analysis.experts import survey
from tlmviz.analysis.experts import training as logged
from tlmviz.networks.transformer import TransformerLM, count_parameters
from tlmviz.training import experts, loop
from tlmviz.training.data import Corpus
from tlmviz.training.export import export
from tlmviz.training.recipes import LanguageRecipe

CORPUS = Corpus(SENTENCES * 5, SENTENCES[:2], [])
SCHEDULE = loop.Schedule(steps=25, batch_tokens=64, lengths=((1.0, 16),), warmup=2, evaluate_every=10)
PART = dict(count=4, chosen=2, hidden=12, shared=1, score="sigmoid")


def test_the_three_differ_in_their_experts_alone():
    moe, aux, dense = (experts.RECIPES[f"stories-{kind}"] for kind in ("moe", "moe-aux", "dense"))
    plain = {r.config.with_(name="", description="", experts=dict(count=0, bias=False)) for r in (moe, aux, dense)}
    assert len({replace(one, experts=dense.config.experts) for one in plain}) == 1
    assert moe.config.experts == replace(aux.config.experts, bias=True)
    assert len({replace(r.stages[0], bias_rate=0.0, balance_loss=0.0) for r in (moe, aux, dense)}) == 1
    for recipe in (moe, aux, dense):
        assert 2 * count_parameters(recipe.config) < 6e6  # bytes, in half precision
    from tlmviz.analysis.experts.routing import size

    router = moe.config.n_layers * 8 * (moe.config.d_model + 1)
    assert size(moe.config, 1).active - router == size(dense.config, 1).total


def test_biases_move_by_the_sign_of_what_a_load_lacks():
    model = TransformerLM(config(experts={**PART, "bias": True}))
    chosen = torch.tensor([[[0, 1], [0, 1], [0, 2]]])
    loop.move_biases(model, [chosen, chosen.flip(0)], 0.01)
    for block in model.blocks:
        expected = torch.tensor([-0.01, -0.01, 0.01, 0.01])  # loads 3, 2, 1, 0 around a mean of 1.5
        torch.testing.assert_close(block.mlp.choice_bias.data, expected)


def test_the_balance_loss_is_one_where_all_are_alike():
    even = torch.full((1, 4, 4), 0.5)
    chosen = torch.tensor([[[0, 1], [2, 3], [0, 1], [2, 3]]])
    assert loop.balance_loss_of([even], [chosen]).item() == pytest.approx(1.0)
    scores = torch.tensor([0.8, 0.2, 0.0, 0.0]).expand(1, 4, 4).clone().requires_grad_()
    one = loop.balance_loss_of([scores], [torch.zeros(1, 4, 1, dtype=torch.long)])
    assert one.item() == pytest.approx(4 * 0.8)
    one.backward()
    assert (scores.grad[..., 0] > 0).all()


@pytest.mark.parametrize("kind", ["bias", "loss", "dense"])
def test_a_run_leaves_its_log_and_a_survey(tmp_path, monkeypatch, kind):
    part = dict(experts={**PART, "bias": kind == "bias"}) if kind != "dense" else {}
    schedule = replace(SCHEDULE, bias_rate=0.01 * (kind == "bias"), balance_loss=0.01 * (kind == "loss"))
    recipe = LanguageRecipe(config(context=32, **part), (schedule,))
    monkeypatch.setattr(experts, "RECIPES", {"tiny": recipe})
    monkeypatch.setattr(experts, "LOOKED_AT", (1, 16))
    tokenizer = make_tokenizer()
    probe = experts.probe_of(recipe.config, 25, CORPUS, tokenizer)
    log = loop.train(recipe.config, schedule, CORPUS, tokenizer, tmp_path / "run", None, probe)
    folder = tmp_path / "tiny"
    export(recipe, [log], CORPUS, tokenizer, tmp_path / "run", folder)
    experts.finish(log, CORPUS, folder)
    experts.write_comparison(tmp_path, tmp_path / "run")
    curves, card = logged.curves(folder), (folder / "card.md").read_text()
    assert curves["step"].tolist() == [0, 10, 20, 25] and curves["valid_bpb"].notna().sum() == 3 or kind == "dense"
    assert experts.HEADING in card and "| tiny |" in card
    if kind == "dense":
        assert not (folder / "loads.safetensors").exists() and not (folder / survey.FILE).exists()
        return
    found = logged.moments(folder)
    assert found.steps.tolist() == [0, 10, 20, 25] and found.loads.shape == (4, 2, 4)
    np.testing.assert_allclose(found.loads.sum(-1), 1, atol=1e-6)
    assert (np.abs(found.bias[-1]) > 0).any() == (kind == "bias")
    answers = survey.read(folder)
    assert answers.layers == (0, 1) and sum(expert.load for expert in answers.experts[0]) == pytest.approx(2, abs=0.01)
    assert "What experts answer to" in card
    (folder / survey.FILE).write_text(json.dumps({"tokens": 1}))
    with pytest.raises(Exception, match="survey the model again"):
        survey.read(folder)


def test_a_model_without_experts_is_not_looked_into():
    assert experts.probe_of(network().config, 10, CORPUS, make_tokenizer()) is None
