"""Training with modules that look ahead: twins see the same, a run resumes, and what training leaves can be read."""

from dataclasses import replace

import pytest
import torch

from tests import tiny
from tlmviz.analysis.experts.ahead import MEASURED, read_measured
from tlmviz.networks.transformer import TransformerLM
from tlmviz.training import mtp, mtp_export
from tlmviz.training.data import Corpus
from tlmviz.training.loop import read_weights

CORPUS = Corpus(tiny.SENTENCES * 8, tiny.SENTENCES, [])


def recipes(steps=4):
    changes = dict(vocab_size=320, n_layers=2, d_model=16, n_heads=4, n_kv_heads=4, d_ff=24, context=32)
    schedule = replace(
        mtp.SCHEDULE, steps=steps, batch_tokens=64, lengths=((1.0, 16),), warmup=2, evaluate_every=2, bpe_dropout=0.0
    )  # BPE-dropout draws from a source of its own
    return {
        name: replace(recipe, config=recipe.config.with_(**changes), schedule=schedule)
        for name, recipe in mtp.RECIPES.items()
    }


def test_losses_are_those_of_each_depth():
    network, ids = tiny.next_token_model().network, torch.arange(3, 16)[None]
    found = mtp.losses(network, ids[:, :-1], ids[:, 1:])
    states = [network.read(ids[:, :-1]), *network.look_ahead(network.read(ids[:, :-1]), ids[:, :-1])]
    assert len(found) == 4
    for depth, (loss, state) in enumerate(zip(found, states)):
        logp = network.unembed(state[0]).log_softmax(-1)
        wanted = torch.stack([-logp[i, ids[0, i + depth + 1]] for i in range(len(logp))])
        torch.testing.assert_close(loss, wanted, atol=1e-4, rtol=1e-4)
    assert len(mtp.losses(TransformerLM(tiny.config()), ids[:, :-1], ids[:, 1:])) == 1


@pytest.mark.slow
def test_twins_train_resume_and_are_exported(tmp_path, monkeypatch):
    tokenizer, models, logs = tiny.tokenizer(), {}, {}
    monkeypatch.setattr(mtp_export, "RECIPES", recipes())
    monkeypatch.setattr(mtp_export, "WRITTEN", 4)
    for name, recipe in recipes().items():
        whole = mtp.train(recipe, CORPUS, tokenizer, tmp_path / "whole" / name)
        assert [point["step"] for point in whole["curve"]] == [2, 4] and whole["passes"] >= 1
        # Nothing left to do.
        assert mtp.train(recipe, CORPUS, tokenizer, tmp_path / "whole" / name)["curve"] == whole["curve"]
        logs[name] = whole
        models[name] = mtp_export.export(
            name, whole, CORPUS, tokenizer, tmp_path / "whole" / name, tmp_path / "models" / name
        )
    seeds = {name: [log["curve"][-1]["valid_bpb"] + 1] for name, log in logs.items()}
    mtp_export.write_cards(models, logs, seeds, CORPUS, tmp_path / "models")
    measured = read_measured(tmp_path / "models" / "stories-mtp")
    own = measured.iloc[0]
    assert own["least"] == own["bits_per_byte"] < own["most"] == round(seeds["stories-mtp"][0], 4)
    assert own["seeds"] == 2
    assert (
        measured["depth"].tolist() == [0, 1, 2, 3, 0, 1, 2, 3, 0]
        and not (tmp_path / "models" / "stories-mtp-plain" / MEASURED).exists()
    )
    card = (tmp_path / "models" / "stories-mtp" / "card.md").read_text()
    assert "| t + 4 | module 3 |" in card and "range of 2 seeds" in card and "stories-mtp-plain" in card


def test_the_first_step_differs_by_the_modules_alone(tmp_path):
    """The same weights and, spelled alike, windows: the twin's first loss is the model's own."""
    logs = {
        name: mtp.train(replace(r, schedule=replace(r.schedule, steps=1)), CORPUS, tiny.tokenizer(), tmp_path / name)
        for name, r in recipes().items()
    }
    first = {name: log["curve"][0]["train_loss"] for name, log in logs.items()}
    weights = {name: read_weights(tmp_path / name).keys() for name in logs}
    for name in logs.keys() - {"stories-mtp-plain"}:
        assert first[name] == first["stories-mtp-plain"]
        assert weights["stories-mtp-plain"] < weights[name]
