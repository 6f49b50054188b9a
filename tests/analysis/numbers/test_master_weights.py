"""Updates that weights in few bits take up or lose, against torch's optimiser and casts."""

import numpy as np
import pytest
import torch

import tlmviz
from tests import tiny
from tlmviz.analysis.numbers import half_runs, loss_scaling, master_weights
from tlmviz.analysis.numbers.half_runs import COLUMNS, FILE, RUNS
from tlmviz.errors import BadCheckpoint


def test_a_die_rounds_to_one_of_both_neighbours_and_right_in_the_mean():
    generator = torch.Generator().manual_seed(1)
    x = torch.tensor([1 + 2.0**-9, -(1 + 3 * 2.0**-9), 0.1, 2.0**-130, 0.0, 1.5]).repeat(40000, 1)
    found = master_weights.stochastic_bf16(x, generator)
    assert (found.bfloat16().float() == found).all()
    assert set(found[:, 0].tolist()) == {1.0, 1 + 2.0**-7} and (found[:, 4:] == x[:, 4:]).all()
    assert found[:, 0].mean() == pytest.approx(1 + 2.0**-9, abs=2e-4)
    assert found[:, 1].mean() == pytest.approx(-(1 + 3 * 2.0**-9), abs=2e-4)


def test_the_user_s_weight():
    paths = master_weights.added(0.1, 1e-4, 200)
    assert (paths["BF16"] == paths["BF16"][0]).all() and paths["BF16"][0] == float(torch.tensor(0.1).bfloat16())
    value = torch.tensor(0.1, dtype=torch.float16)
    for _ in range(200):
        value = (value.double() + 1e-4).half()
    assert paths["FP16"][-1] == float(value) > 0.124
    assert paths["FP32"][-1] == pytest.approx(0.12, rel=1e-5) and paths["exact"][-1] == pytest.approx(0.12)
    assert paths[master_weights.DIE][-1] == pytest.approx(0.12, abs=0.005)
    assert master_weights.added(3e38, 3e38, 2)["FP32"][-1] == np.inf


@pytest.fixture(scope="module")
def step():
    lm = tlmviz.load("zoo-rope")
    return lm, loss_scaling.batch(lm, tiny.TEXT)


def test_the_direction_is_what_the_optimiser_adds(step):
    lm, ids = step
    network = type(lm.network)(lm.config).eval()
    network.load_state_dict(lm.network.state_dict())
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3)
    for _ in range(3):
        before = torch.cat([p.detach().flatten() for p in network.parameters()])
        optimizer.zero_grad()
        loss_scaling.loss_of(network(ids), ids).backward()
        optimizer.step()
    moved = (torch.cat([p.detach().flatten() for p in network.parameters()]) - before) / 1e-3
    found = master_weights.adamw_updates(lm, ids, rate=1e-3, steps=3)
    stride = -(-found.total // master_weights.MOST)
    plain = torch.cat([p.detach().flatten()[::stride] for p in network.parameters()])
    assert found.total == lm.n_parameters and len(plain) == len(found.weights)
    kept, start = [], 0
    for p in network.parameters():
        kept.append(moved[start : start + p.numel()][::stride])
        start += p.numel()
    off = (torch.cat(kept) - found.directions).abs()
    assert off.quantile(0.99) < 2e-3


def test_the_share_left_unchanged(step):
    updates = master_weights.Updates(torch.tensor([1.0, 1.0, 0.5]), torch.tensor([1.0, -1.0, 1.0]), 3)
    # Half a step of BF16: 2^-8 above 1, 2^-9 below it, and 2^-9 above 0.5; ties stay with an even number.
    shares = [master_weights.unchanged(updates, torch.bfloat16, rate) for rate in (2.0**-10, 1.5 * 2.0**-9, 2.0**-7)]
    assert shares == pytest.approx([1, 1 / 3, 0])
    found = master_weights.adamw_updates(*step)
    many = [master_weights.unchanged(found, torch.bfloat16, rate) for rate in (1e-6, 3e-5, 1e-2)]
    assert many[0] > 0.9 > many[1] > many[2] and many[2] < 0.1


def test_the_logged_runs_follow_the_rule():
    log = half_runs.read()
    assert set(log["run"]) == set(RUNS)
    for key, spec in RUNS.items():
        mine = log[log["run"] == key].reset_index(drop=True)
        assert mine["step"].tolist() == list(range(1, spec.steps + 1)) and mine["scale"][0] == spec.start
        good, scale = 0, float(spec.start)
        for at, skipped in zip(mine["scale"], mine["kept"] == 1):
            assert at == scale
            good = 0 if skipped else good + 1
            if spec.interval and skipped:
                scale -= 1
            elif spec.interval and good == spec.interval:
                good, scale = 0, scale + 1


@pytest.mark.parametrize("text", [None, "", "run,step\na,1\n", ",".join(COLUMNS) + "\na,b,c,d,e,f\n"])
def test_a_file_that_is_missing_or_broken(monkeypatch, tmp_path, text):
    monkeypatch.setattr(half_runs, "checkpoint_folder", lambda name: tmp_path)
    if text is not None:
        (tmp_path / FILE).write_text(text)
    with pytest.raises(BadCheckpoint) as error:
        half_runs.read()
    assert "python -m tlmviz.training half" in tiny.sentence(error)
