"""Short runs with and without warm-up: what differs, what is logged, and that they resume."""

from dataclasses import replace

import pytest

from tests import tiny
from tlmviz.analysis.numbers.warmup import read
from tlmviz.training import warmup
from tlmviz.training.data import Corpus
from tlmviz.training.zoo import SCHEDULE

CORPUS = Corpus(tiny.SENTENCES * 8, tiny.SENTENCES, [])


@pytest.fixture
def small(monkeypatch, tmp_path):
    changes = dict(vocab_size=320, n_layers=2, d_model=16, n_heads=4, n_kv_heads=4, d_ff=24, context=32)
    schedule = replace(SCHEDULE, batch_tokens=64, lengths=((1.0, 16),), bpe_dropout=0.0)
    monkeypatch.setattr(warmup, "BASELINE", warmup.BASELINE.with_(**changes))
    monkeypatch.setattr(warmup, "SCHEDULE", schedule)
    monkeypatch.setattr(warmup, "STEPS", 4)
    monkeypatch.setattr(warmup, "MOMENTS", (0, 2, 4))
    home = tmp_path / "models" / warmup.HOME
    home.mkdir(parents=True)
    (home / "tokenizer.json").write_text(tiny.tokenizer().to_json())
    (home / "card.md").write_text("# zoo-post\n")
    return tmp_path


def test_runs_differ_in_three_things():
    assert len({run.name for run in warmup.RUNS}) == len(warmup.RUNS) == 12
    for run in warmup.RUNS:
        plain = replace(run.schedule, learning_rate=0.002, warmup=100, stop=None)
        assert plain == SCHEDULE
        assert run.schedule.rate(0) == pytest.approx(run.rate / (run.warmup or 1))


def test_they_are_logged_and_resume(small):
    logs = warmup.run(CORPUS, small / "runs", small / "models")
    runs = read(small / "models" / warmup.HOME)
    assert len(runs) == 12 and runs[0].loss.tolist() == pytest.approx(
        [s[0] for s in logs["warmup-pre-0.0005-100"]["steps"]]
    )
    assert runs[0].weights.shape == (3, 4) and runs[0].stream.shape == (3, 5) and runs[0].moments.tolist() == [0, 2, 4]
    assert runs[0].loss[0] == pytest.approx(runs[1].loss[0])  # one seed: the same weights and windows
    again = warmup.run(CORPUS, small / "runs", small / "models")
    assert [tuple(step) for step in again["warmup-post-0.002-0"]["steps"]] == logs["warmup-post-0.002-0"]["steps"]
    card = (small / "models" / warmup.HOME / "card.md").read_text()
    assert card.count(warmup.HEADING) == 1 and card.count("| post |") == 6 and card.startswith("# zoo-post")
