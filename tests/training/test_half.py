"""A few steps in few bits: scales, skipped steps, weights as they are kept, and the file of all runs."""

from dataclasses import replace

import pandas as pd
import pytest
import torch

import tlmviz
from tlmviz.analysis.numbers import half_runs
from tlmviz.analysis.numbers.half_runs import COLUMNS, RUNS, HalfRun
from tlmviz.training import __main__ as command
from tlmviz.training import half

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def lm():
    return tlmviz.load("zoo-rope")


@pytest.fixture(scope="module")
def batches():
    draw = torch.Generator().manual_seed(0)
    ids = [torch.randint(0, 2048, (2, 17), generator=draw) for _ in range(4)]
    return [(each[:, :-1], each[:, 1:]) for each in ids]


def steps(lm, batches, **changes):
    return pd.DataFrame(half.train(lm, HalfRun("x", "x", steps=4, **changes), batches), columns=COLUMNS)


def test_a_scale_too_high_skips_and_halves(lm, batches):
    found = steps(lm, batches, start=60, interval=2)
    assert found["scale"].tolist() == [60, 59, 58, 57] and (found["kept"] == 1).all()
    fixed = steps(lm, batches, start=60)
    assert (fixed["scale"] == 60).all() and (fixed["kept"] == 1).all()


def test_a_good_scale_grows_and_changes_weights(lm, batches):
    found = steps(lm, batches, start=4, interval=2)
    assert found["scale"].tolist() == [4, 4, 5, 5] and (found["kept"] < 0.1).all()


def test_without_a_scale_gradients_of_a_large_batch_are_lost(lm, batches):
    lost = [steps(lm, batches, parts=parts)["lost"].mean() for parts in (1, 2**16)]
    assert lost[1] > 0.9 > 0.2 > lost[0]


def test_weights_are_kept_as_they_should_be(lm, batches):
    kept = {
        kind: steps(lm, batches, half=False, weights=kind, trained=True, rate=1e-6)["kept"].iloc[1:].mean()
        for kind in ("fp32", "bf16", "fp16", "stochastic")
    }
    assert kept["fp32"] < 0.1 and kept["bf16"] > 0.95 and kept["fp16"] > 0.5 and kept["stochastic"] > 0.9


def test_the_command_writes_one_file_of_all_runs(lm, batches, monkeypatch, tmp_path):
    first, last = replace(RUNS["fp32"], steps=2), replace(RUNS["weights-bf16"], steps=2)
    monkeypatch.setattr(half, "RUNS", {spec.key: spec for spec in (first, last)})
    models = tmp_path / "models"
    (models / half_runs.MODEL).mkdir(parents=True)
    for file in (tlmviz.checkpoints.folders.models_folder() / half_runs.MODEL).iterdir():
        (models / half_runs.MODEL / file.name).symlink_to(file) if file.name != half_runs.FILE else None
    data = tmp_path / "data"
    data.mkdir()
    story = "Tom had a big red ball. Lily saw the ball and ran. "
    (data / "stories.txt").write_text("\n<|endoftext|>\n".join(f"{story * 12} {i}" for i in range(60)))
    import gzip

    with gzip.open(data / "eng-fra.tsv.gz", "wt") as lines:
        lines.write("".join(f"I am cold {i}.\tJ'ai froid {i}, et toi tu as chaud.\n" for i in range(400)))
    argv = ["half", "--data", str(data), "--runs", str(tmp_path / "runs"), "--models", str(models)]
    assert command.main(argv) == 0
    found = pd.read_csv(models / half_runs.MODEL / half_runs.FILE)
    assert found["run"].tolist() == ["fp32"] * 2 + ["weights-bf16"] * 2 and found["kept"].iloc[3] > 0.5
    assert command.main(argv) == 0  # nothing is left to run
