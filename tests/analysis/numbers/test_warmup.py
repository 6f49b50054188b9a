"""The log of the first steps, as it is read and as the page tells it."""

import shutil

import pytest

from tlmviz.analysis.numbers import warmup
from tlmviz.checkpoints.folders import models_folder
from tlmviz.errors import BadCheckpoint
from tlmviz.training.warmup import MOMENTS, RUNS, STEPS


def test_every_run_is_there():
    runs = warmup.read()
    assert [(run.placement, run.peak, run.warmup) for run in runs] == [
        (run.placement, run.rate, run.warmup) for run in RUNS
    ]
    for run, recipe in zip(runs, RUNS):
        assert run.loss.shape == run.norm.shape == run.rate.shape == (STEPS,)
        assert tuple(run.moments) == MOMENTS and run.stream.shape == (8, 9) and run.weights.shape == (8, 8)
        assert run.rate.max() == pytest.approx(recipe.rate) and run.rate[0] == pytest.approx(
            recipe.rate / (run.warmup or 1)
        )


def test_what_the_page_says_of_the_runs():
    runs = {(run.placement, run.peak, run.warmup): run for run in warmup.read()}
    ends = {key: run.loss[-10:].mean() for key, run in runs.items()}
    assert all(ends["pre", rate, steps] < 5.2 for rate in (0.0005, 0.001, 0.002) for steps in (0, 100))
    assert ends["post", 0.001, 100] < 5 and ends["post", 0.001, 0] > 6
    assert min(ends["post", 0.002, 100], ends["post", 0.002, 0]) > 6
    assert max(ends["post", 0.0005, 100], ends["post", 0.0005, 0]) < 5.5
    stalled = runs["post", 0.001, 0]
    shares = stalled.weights[:, :2].max(1) / stalled.weights[:, -2:].max(1)
    assert shares[0] > 0.9 and shares[5] < 1 / 200 and shares[-1] < 1 / 500
    healthy = runs["pre", 0.001, 0]
    assert (healthy.weights[:, :2].max(1) / healthy.weights[:, -2:].max(1)).min() > 0.3


def test_a_folder_without_a_readable_log(tmp_path):
    with pytest.raises(BadCheckpoint, match="warm-up"):
        warmup.read(tmp_path)
    (tmp_path / warmup.FILE).write_bytes(b"no tensors")
    with pytest.raises(BadCheckpoint, match="cannot be read"):
        warmup.read(tmp_path)
    shutil.copy(models_folder() / warmup.HOME / "model.safetensors", tmp_path / warmup.FILE)
    with pytest.raises(BadCheckpoint, match="settings"):
        warmup.read(tmp_path)
