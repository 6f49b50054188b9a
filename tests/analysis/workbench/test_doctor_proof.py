"""What a diagnosis is seen by: the table of errors, and the numbers behind each cause, against plain computations."""

import copy

import numpy as np
import pytest
import torch

from tests.analysis.workbench.test_doctor import base, capped, changed, keys, look_ahead, recorded, scale, window
from tests.tiny import TEXT
from tlmviz import diagnose
from tlmviz.analysis.workbench.doctor import presets, rows
from tlmviz.analysis.workbench.doctor.diagnosis import examine
from tlmviz.analysis.workbench.doctor.proof import BOTH, LESS, MORE, proof, steps_table


def shown(lm, fault):
    said, evidence = examine(lm.trace(TEXT), changed(lm, fault).trace(TEXT))
    return said, evidence, proof(evidence, said)


def test_the_table_has_every_step_in_its_place(lm):
    said, evidence, _ = shown(lm, scale)
    names, errors = steps_table(evidence)
    assert names[0] == "embed" and names[-2:] == ["normed", "logits"] and errors.shape == (4, len(names))
    assert np.isfinite(errors).sum() == len(evidence.steps) == len(said.errors)
    assert errors[2, names.index("attn.lse")] == said.errors["blocks.1.attn.lse"] > 0.01
    assert errors[1, names.index("attn.lse")] < 1e-5 and np.isnan(errors[1, 0])
    order = [names.index(step.part) for step in evidence.steps if step.layer == 0]
    assert order == sorted(order)


def test_scores_lie_on_the_line_that_is_named(lm):
    said, _, seen = shown(lm, scale)
    assert seen.kind == "scores"
    np.testing.assert_allclose(seen.y, said.value * seen.x, atol=1e-4)
    said, _, seen = shown(lm, capped)
    np.testing.assert_allclose(seen.y, said.value * np.tanh(seen.x / said.value), atol=1e-3)


@pytest.mark.parametrize("fault", [window, look_ahead])
def test_cells_are_those_of_the_masks(lm, fault):
    _, _, seen = shown(lm, fault)
    t, s = np.indices(seen.x.shape)
    honest, wrong = s <= t, (s <= t) & (t - s < 3) if fault is window else np.ones_like(s, bool)
    np.testing.assert_array_equal(seen.x == BOTH, honest & wrong)
    np.testing.assert_array_equal(seen.x == MORE, wrong & ~honest)
    np.testing.assert_array_equal(seen.x == LESS, honest & ~wrong)


def test_columns_in_front_are_shown(lm, monkeypatch):
    monkeypatch.setattr(rows.Rows, "texts", lambda self: torch.zeros(len(self.rows), len(self.rows[0].ids)).long())
    said, evidence = examine(*presets.PRESETS["left-padded"](lm, lm.encode(TEXT)))
    seen = proof(evidence, said)
    count = len(lm.encode(TEXT))
    assert seen.before == rows.PADS and seen.x.shape == (count, count + rows.PADS)
    assert (seen.x[:, : rows.PADS] == MORE).all() and (seen.x[:, rows.PADS :] != MORE).all()


def test_planes_turn_as_their_base_says(lm):
    said, _, seen = shown(lm, base)
    assert seen.kind == "angles" and said.value == pytest.approx(500, rel=1e-4)
    planes = np.arange(len(seen.x))
    np.testing.assert_allclose(seen.x, 1e4 ** (-planes / len(planes)), rtol=1e-4)
    np.testing.assert_allclose(seen.y, 500.0 ** (-planes / len(planes)), rtol=1e-4)


def test_one_of_three_projections_stands_out(lm):
    _, _, seen = shown(lm, keys)
    assert seen.kind == "shares" and seen.y.shape == (3, 2)
    assert seen.y[1, 1] == pytest.approx(0.02, rel=0.01) and np.delete(seen.y.ravel(), 3).max() < 1e-5


def test_healthy_runs_show_their_last_step(lm):
    said, evidence, seen = shown(lm, lambda network: None)
    assert said.healthy and seen.kind == "values"
    np.testing.assert_array_equal(seen.x, seen.y)
    assert examine(lm.trace(TEXT), lm.trace("Tom saw a dog."))[1] is None


def test_runs_of_files_have_the_steps_of_attention(lm):
    a, b = recorded(lm.trace(TEXT)), recorded(changed(lm, scale).trace(TEXT))
    said, evidence = examine(a, b)
    names, errors = steps_table(evidence)
    assert set(names) <= {"attn.q", "attn.k", "attn.v", "attn.lse"} and proof(evidence, said).kind == "scores"
    assert said == diagnose(a, b)


@pytest.mark.parametrize("size", [1e-3, 0.1])
def test_an_eps_in_models_of_every_kind_is_told_or_not(variant, size):
    """Where it is named its number is right, or at least no negative one where eps is small beside what is normed."""

    def change(network):
        network.blocks[1].norm1.eps = size

    said = diagnose(variant.trace(TEXT), changed(variant, change).trace(TEXT))
    assert said.cause in ("norm eps", "cannot tell", "precision", "no difference"), said
    if said.cause == "norm eps":
        assert said.value == pytest.approx(size, rel=0.1) if size > 0.01 else said.value > 0


def test_examining_changes_no_model(lm):
    before = copy.deepcopy(lm.network.state_dict())
    shown(lm, keys)
    assert all(torch.equal(before[name], value) for name, value in lm.network.state_dict().items())
