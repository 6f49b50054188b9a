"""Distilling on a tiny teacher: the loss is the divergence, it falls, a run goes on where it was, the folder is
complete."""

from dataclasses import replace

import pytest
import torch
from safetensors.torch import load_file

import tlmviz
from tlmviz.analysis.kernels import indexer as analysis
from tlmviz.checkpoints import native as zoo
from tlmviz.config import IndexerConfig
from tlmviz.errors import BadText, UnknownName
from tlmviz.layers.indexer import Indexers
from tlmviz.training import __main__ as command
from tlmviz.training import indexer
from tlmviz.training.data import Corpus
from tlmviz.training.loop import Schedule

from .. import tiny
from ..tiny import SENTENCES, sentence

pytestmark = pytest.mark.slow

CONFIG = IndexerConfig("tiny-indexer", "tiny", "f" * 64, 2, 32, heads=2, head_dim=8, rope_dim=4)
SCHEDULE = Schedule(
    steps=6, batch_tokens=64, lengths=((0.5, 8), (0.5, 32)), learning_rate=1e-2, warmup=2, evaluate_every=2
)
CORPUS = Corpus(SENTENCES * 5, SENTENCES[:2], [])
WINDOWS = [[1, 5, 9, 200, 5, 9, 7, 3]]


@pytest.fixture
def run(lm, tmp_path):
    def run(name="run", schedule=SCHEDULE):
        return indexer.train(lm, CONFIG, schedule, CORPUS, WINDOWS, tmp_path / name)

    run.folder = tmp_path / "run"
    return run


def test_the_loss_is_the_divergence_from_the_mean_of_the_heads(lm):
    torch.manual_seed(0)
    made, ids = Indexers(CONFIG), torch.tensor([[1, 5, 9, 200, 5, 9]])
    trace = analysis.trace_for_indexer(lm, ids[0].tolist())
    losses = indexer.distillation_loss(lm, made, ids)
    for layer in range(2):
        q, k = trace[f"blocks.{layer}.attn.q"], trace[f"blocks.{layer}.attn.k"]
        p = tiny.probabilities(q, k, scale=trace.specs[layer].scale)[0].mean(0)
        with torch.no_grad():
            log = analysis.index_scores(trace, made, layer).double().log_softmax(-1)
        terms = [p[t, s] * (p[t, s].log() - log[t, s]) for t in range(6) for s in range(t + 1)]
        assert losses[layer].item() == pytest.approx(sum(terms).item() / 6, abs=1e-5)


def test_only_the_indexers_get_gradients_and_finite_ones(lm):
    made = Indexers(CONFIG)
    indexer.distillation_loss(lm, made, torch.tensor([[1, 5, 9, 200]])).sum().backward()
    assert all(p.grad is not None and torch.isfinite(p.grad).all() for p in made.parameters())
    assert not any(p.requires_grad for p in lm.network.parameters())


def test_it_learns_and_the_teacher_stays(lm, run):
    before = {name: p.clone() for name, p in lm.network.named_parameters()}
    schedule = replace(SCHEDULE, steps=60, lengths=((1.0, 32),), batch_tokens=128, evaluate_every=20)
    made, log = run(schedule=schedule)
    kls = [point["kl"] for point in log["curve"]]
    assert len(kls) == 3 and kls[2] < 0.85 * kls[0]
    assert all(0 < point["recall"] <= 1 + 1e-6 for point in log["curve"])
    assert all(torch.equal(before[name], p) for name, p in lm.network.named_parameters())
    assert not made.training and not any(p.requires_grad for p in made.parameters())


def test_the_same_seed_gives_the_same_indexer(run):
    first, second = run("a")[0].state_dict(), run("b")[0].state_dict()
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_a_stopped_run_goes_on_where_it_was(run, monkeypatch):
    step = torch.optim.AdamW.step
    calls = []

    def interrupted(self, *arguments):
        calls.append(1)
        if len(calls) == 4:  # steps 1 to 3 done, the checkpoint is of step 2
            raise KeyboardInterrupt
        return step(self, *arguments)

    monkeypatch.setattr(torch.optim.AdamW, "step", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run()
    saved = load_file(run.folder / "state.safetensors")
    assert saved["m.0.step"].item() == 2
    monkeypatch.setattr(torch.optim.AdamW, "step", step)
    _, log = run()
    assert log["step"] == 6 and [point["step"] for point in log["curve"]] == [2, 4, 6]
    assert load_file(run.folder / "state.safetensors")["m.0.step"].item() == 6


def test_a_finished_run_is_not_repeated(run, monkeypatch):
    first, _ = run()
    monkeypatch.setattr(indexer, "distillation_loss", None)
    again, log = run()
    assert log["step"] == 6 and all(torch.equal(a, b) for a, b in zip(first.parameters(), again.parameters()))


def test_held_out_windows(lm):
    windows = indexer.held_out_windows(lm, CORPUS, 10, 3)
    stream = [token for story in CORPUS.valid for token in lm.tokenizer.encode(story, bos=True)]
    assert windows == [stream[0:10], stream[10:20], stream[20:30]]
    assert indexer.held_out_windows(lm, CORPUS, 10_000, 3) == [stream]


class TestCommand:
    @pytest.fixture
    def place(self, lm, tmp_path, monkeypatch):
        """A folder of models with a tiny teacher, and one of data; the schedule cut short."""
        monkeypatch.setattr(torch, "set_num_threads", lambda count: None)
        monkeypatch.setattr(indexer.run, "__defaults__", (SCHEDULE, 2))
        zoo.save_network(tmp_path / "models" / "stories-rope", lm.network, lm.tokenizer)
        stories = [f"{text} It was day {day}." for day in range(15) for text in SENTENCES]
        (tmp_path / "stories.txt").write_text("\n<|endoftext|>\n".join(stories))
        return tmp_path

    def call(self, place, *more):
        folders = ["--data", str(place), "--runs", str(place / "runs"), "--models", str(place / "models")]
        return command.main(["indexer", *folders, *more])

    def test_writes_a_complete_folder_that_loads(self, place):
        assert self.call(place) == 0
        folder = place / "models" / "stories-rope-indexer"
        assert {path.name for path in folder.iterdir()} == {"config.json", "model.safetensors", "card.md", "curve.svg"}
        assert {value.dtype for value in load_file(folder / "model.safetensors").values()} == {torch.float16}
        made = analysis.load_indexer(folder)
        card = (folder / "card.md").read_text()
        assert f"{sum(p.numel() for p in made.parameters()):,} parameters" in card
        command_line, teacher = "python -m tlmviz.training indexer", made.config.fingerprint[:16]
        for word in ("CDLA-Sharing-1.0", "| 8 |", "| 32 |", "layer 1", command_line, teacher):
            assert word in card, word
        lm = tlmviz.load(place / "models" / "stories-rope")
        assert analysis.sparse_losses(lm, [1, 5, 9, 200], 2, made)["indexer"] > 0

    def test_a_retrained_teacher_starts_a_new_run_and_the_old_indexer_is_refused(self, place, lm):
        assert self.call(place) == 0
        zoo.save_network(
            place / "models" / "stories-rope", tiny.network(9, vocab_size=lm.config.vocab_size), lm.tokenizer
        )
        with pytest.raises(tlmviz.Error) as error:
            analysis.load_indexer(place / "models" / "stories-rope-indexer")
        assert "distil it again" in sentence(error)
        assert self.call(place) == 0
        assert len(list((place / "runs").iterdir())) == 2
        analysis.load_indexer(place / "models" / "stories-rope-indexer")

    def test_no_teacher_and_no_data_are_sentences(self, place, capsys):
        with pytest.raises(BadText):
            indexer.run(place / "none", place / "runs", place / "models")
        with pytest.raises(UnknownName):
            indexer.run(place, place / "runs", place / "none")
        assert self.call(place, "--data", str(place / "none")) == 2
        assert capsys.readouterr().err.strip().endswith(".")
