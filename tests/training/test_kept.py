"""The model whose weights are kept while it learns: the steps, the record beside them, and a run that is gone on
with."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

import tlmviz
from tests.tiny import SENTENCES, config
from tests.tiny import tokenizer as make_tokenizer
from tlmviz import monitoring
from tlmviz.checkpoints.native import save_network
from tlmviz.networks.transformer import TransformerLM
from tlmviz.training import kept, loop
from tlmviz.training.data import Corpus
from tlmviz.training.recipes import LanguageRecipe

pytestmark = pytest.mark.slow
CORPUS = Corpus(SENTENCES * 5, SENTENCES[:1], [])


@pytest.fixture
def recipe():
    schedule = loop.Schedule(
        steps=100, batch_tokens=64, lengths=((1.0, 16),), warmup=2, repeat_share=0.5, evaluate_every=50
    )
    return LanguageRecipe(config(context=128), (schedule, loop.replace(schedule, steps=50, repeat_share=0.8)))


def test_sixteen_steps_are_kept_and_each_is_measured():
    assert sum(map(len, kept.KEPT)) == 15  # and the model itself
    for steps, stage in zip(kept.KEPT, kept.RECIPE.stages, strict=True):
        assert steps[0] == 0 and steps[-1] < stage.steps and list(steps) == sorted(steps)
        assert all(step % kept.EVERY == 0 for step in steps)


def test_a_run_keeps_weights_and_a_record(tmp_path, recipe):
    tokenizer = make_tokenizer()
    logs = kept.run(recipe, CORPUS, tokenizer, tmp_path / "run")
    network = TransformerLM(recipe.config)
    network.load_state_dict(loop.read_weights(tmp_path / "run" / "stage-2"), strict=False)
    save_network(tmp_path / "model", network, tokenizer)
    (tmp_path / "model" / "card.md").write_text("# model\n")
    for _ in range(2):  # also over what is there
        kept.keep(tmp_path / "run", tmp_path / "model")
    card = (tmp_path / "model" / "card.md").read_text()
    assert card.count(kept.HEADING) == 1 and "model@100" in card and "| one back | " in card
    record = monitoring.read(tmp_path / "model" / "run")
    assert sorted(set(record.heads["step"])) == [0, 25, 50, 75, 100, 125, 150]
    assert [(event.rule, event.step) for event in record.events if event.layer is None] == [("note", 100)]
    losses = record.losses.set_index("step")
    every = [loss for log in logs for loss, _ in log["steps"]]
    means = [np.mean(every[start : start + 25]) for start in range(0, 150, 25)]
    assert losses["loss"].tolist()[1:] == pytest.approx(means)
    first = tlmviz.load(f"{tmp_path / 'model'}@0")
    ids = kept.probes(tokenizer)
    assert torch.equal(ids[:, : kept.LENGTH], ids[:, kept.LENGTH :])
    logits = first(ids[:, :-1])
    plain = F.cross_entropy(logits[:, kept.LENGTH :].flatten(0, 1), ids[:, kept.LENGTH + 1 :].flatten())
    assert losses["seen before"][0] == pytest.approx(float(plain), abs=0.05)  # its weights were rounded


def test_a_run_that_was_stopped_ends_as_one_that_was_not(tmp_path, recipe, monkeypatch):
    tokenizer = make_tokenizer()
    whole = kept.run(recipe, CORPUS, tokenizer, tmp_path / "whole")

    class Cut(Exception):
        """The machine is taken away."""

    def cut(*given, **more):
        if (tmp_path / "parts" / "steps" / "000100.safetensors").exists():
            raise Cut
        return train(*given, **more)

    train = loop._update
    monkeypatch.setattr(loop, "_update", cut)
    with pytest.raises(Cut):
        kept.run(recipe, CORPUS, tokenizer, tmp_path / "parts")
    monkeypatch.undo()
    again = kept.run(recipe, CORPUS, tokenizer, tmp_path / "parts")
    every = [[[loss for loss, _ in log["steps"]] for log in logs] for logs in (again, whole)]
    assert every[0] == every[1]
    for name in ("heads", "losses"):
        one, other = (getattr(monitoring.read(tmp_path / folder / "run"), name) for folder in ("whole", "parts"))
        assert one.drop(columns="update_ratio", errors="ignore").equals(
            other.drop(columns="update_ratio", errors="ignore")
        )
    assert {path.name for path in (tmp_path / "whole" / "steps").iterdir()} == {
        path.name for path in (tmp_path / "parts" / "steps").iterdir()
    }
