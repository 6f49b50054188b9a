"""The browser normalises as torch does, and measures what changes."""

import re

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from tests.javascript.node import evaluate
from tlmviz.analysis.numbers import dropout, norm_pictures, norms

STATISTICS = "pages/numbers/norms/batch/statistics.js"
SENTENCES = "pages/numbers/norms/batch/sentences.js"
X = np.random.default_rng(5).normal(1, 2, (6, 4, 9)).astype(np.float32)
SETTINGS = {"eps": norms.EPS, "printed": False, "running": None}
MAPS = torch.tensor(X, dtype=torch.float64).reshape(6, 4, 3, 3)
TORCH = {
    "LAYER": lambda x: F.layer_norm(x, x.shape[1:]),
    "RMS": lambda x: F.rms_norm(x, x.shape[1:], eps=norms.EPS),
    "BATCH": lambda x: F.batch_norm(x, None, None, training=True),
    "INSTANCE": F.instance_norm,
    "GROUP": lambda x: F.group_norm(x, 2),
}


def cells(x=X):
    items, channels, inner = x.shape
    return {"x": x.ravel().tolist(), "items": items, "channels": channels, "inner": inner, "unit": [0, 0, 1, 1, 2, 2]}


def normalised(name, x=X, **settings):
    body = f"result = [...normalise(given.cells, {name}, given.settings).out];"
    given = {"cells": cells(x), "settings": SETTINGS | settings}
    return np.array(evaluate({STATISTICS: f"normalise, {name}"}, body, given)).reshape(x.shape)


@pytest.mark.parametrize("name", TORCH)
def test_norms_are_torchs(name):
    np.testing.assert_allclose(normalised(name), TORCH[name](MAPS).reshape(X.shape), atol=1e-9)


def test_the_printed_form_and_running_statistics():
    tokens = X[:, :, :1]
    found = normalised("LAYER", tokens, printed=True)
    wanted = norms.layer_norm(tokens[..., 0].astype(float), printed=True)
    np.testing.assert_allclose(found[..., 0], wanted, atol=1e-9)
    draw = np.random.default_rng(6)
    means, variances = draw.normal(0, 1, (7, 4)), draw.uniform(0.5, 2, (7, 4))
    body = "const m = runningAfter(given.means, given.variances, 4, 5, 0.1); result = [[...m.mean], [...m.variance]];"
    given = {"means": means.ravel().tolist(), "variances": variances.ravel().tolist()}
    mean, variance = evaluate({STATISTICS: "runningAfter"}, body, given)
    np.testing.assert_allclose([mean, variance], norms.running(means[:5], variances[:5]), atol=1e-12)
    found = normalised("RUNNING", running={"mean": mean, "variance": variance})
    wanted = F.batch_norm(MAPS, MAPS.new_tensor(mean), MAPS.new_tensor(variance)).reshape(X.shape)
    np.testing.assert_allclose(found, wanted, atol=1e-9)


def changes(action, x=X):
    names = ["LAYER", "RMS", "BATCH", "INSTANCE", "GROUP"]
    body = f"result = [{', '.join(names)}].map((n) => changeOf(given.cells, n, given.action, given.settings, 5));"
    given = {"cells": cells(x), "settings": SETTINGS, "action": {"item": 1, "channel": 2, **action}}
    return dict(zip(names, evaluate({STATISTICS: f"changeOf, {', '.join(names)}"}, body, given)))


@pytest.mark.parametrize(
    "action, forgotten",
    [
        ("itemtimes", {"LAYER", "RMS", "INSTANCE", "GROUP"}),
        ("itemplus", {"LAYER", "INSTANCE", "GROUP"}),
        ("channeltimes", {"BATCH", "INSTANCE"}),
        ("channelplus", {"BATCH", "INSTANCE"}),
        ("away", {"LAYER", "RMS", "INSTANCE", "GROUP"}),
        ("nothing", {"LAYER", "RMS", "BATCH", "INSTANCE", "GROUP"}),
    ],
)
def test_what_each_norm_forgets(action, forgotten):
    found = changes({"key": action})
    assert {name for name, change in found.items() if change < 1e-4} == forgotten
    assert all(change > 0.01 for name, change in found.items() if name not in forgotten)


def test_a_change_is_the_largest_difference():
    louder = X.astype(float).copy()
    louder[1] *= 3
    before, after = (
        F.batch_norm(torch.tensor(x).reshape(6, 4, 3, 3), None, None, training=True) for x in (X.astype(float), louder)
    )
    assert changes({"key": "itemtimes"})["BATCH"] == pytest.approx(float((after - before).abs().max()))
    kept = MAPS[[0, 1, 2, 3]]
    before, after = TORCH["BATCH"](MAPS)[:4], TORCH["BATCH"](kept)
    assert changes({"key": "away"})["BATCH"] == pytest.approx(float((after - before).abs().max()))


def test_one_sentence_cannot_be_taken_away():
    body = "result = [goneOf([0, 0], 1), goneOf([0, 0, 1], 2), goneOf([0, 1, 1], 0)];"
    assert evaluate({STATISTICS: "goneOf"}, body, {}) == [-1, 0, 1]


def test_pictures_are_drawn_by_a_seed():
    body = "result = [drawn(64, 8, 0), drawn(64, 8, 5), drawn(64, 8, 5), drawn(64, 64, 7).sort((a, b) => a - b)];"
    plain, one, again, all_of_them = evaluate({"pages/numbers/norms/batch/draw.js": "drawn"}, body, {})
    assert plain == list(range(8)) and one == again != plain and len(set(one)) == 8
    assert all_of_them == list(range(64))
    assert one == norm_pictures.drawn(64, 8, 5) and plain == norm_pictures.drawn(64, 8, 0)


MASKS = "pages/numbers/training/dropout/masks.js"


def test_masks_keep_their_share_and_their_mean():
    x = np.random.default_rng(7).normal(0, 2, 3000)
    body = (
        "const one = dropped(given.x, 0.3, 5, 0, true); const { mean, errors } = meanOf(given.x, 0.3, 5, 200, true);"
        "const plain = meanOf(given.x, 0.3, 5, 200, false).errors.at(-1).error;"
        "const size = rms(given.x);"
        "result = [[...one], [...mean], errors, plain, ...[true, false].map((s) => expected(size, 0.3, 200, s))];"
    )
    one, mean, errors, raw, expected, expected_raw = evaluate(
        {MASKS: "dropped, meanOf, expected, rms"}, body, {"x": x.tolist()}
    )
    one, mean = np.array(one), np.array(mean)
    assert (one == 0).mean() == pytest.approx(0.3, abs=0.03)
    np.testing.assert_allclose(one[one != 0], x[one != 0] / 0.7)
    assert errors[0]["n"] == 1 and errors[-1]["n"] == 200
    assert errors[-1]["error"] == pytest.approx(np.sqrt(((mean - x) ** 2).mean()))
    assert (
        errors[-1]["error"]
        == pytest.approx(expected, rel=0.06)
        == pytest.approx(dropout.expected_error(x, 0.3, 200), rel=0.06)
    )
    assert raw == pytest.approx(expected_raw, rel=0.06) and raw > 0.3 * np.sqrt((x**2).mean())


def test_masks_follow_their_seed():
    body = "const t = (s, k) => [...dropped(given.x, 0.5, s, k, true)]; result = [t(1, 0), t(1, 0), t(1, 1), t(2, 0)];"
    one, again, other, thrown = evaluate({MASKS: "dropped"}, body, {"x": [1.0] * 64})
    assert one == again and one != other and one != thrown
    none, all_kept = evaluate(
        {MASKS: "dropped, expected"}, "result = [[...dropped([3], 0, 1, 0, true)], expected(2, 0, 5, true)];", {}
    )
    assert none == [3] and all_kept == 0


def test_what_is_written_of_a_cell_is_a_division_that_comes_out():
    """Values drawn at random, and one whose three digits of 7.23 / 2.19 do not make the three of its quotient."""
    draw = np.random.default_rng(3)
    drawn = zip(draw.normal(0, 5, 200), draw.normal(0, 1, 200), draw.lognormal(1, 1, 200))
    given = [dict(zip(("before", "mean", "variance"), each)) for each in [(7.5695, 0.3384, 4.8160), *drawn]]
    body = """
        const header = { kind: "tokens", tokens: ["a"], channels: 4 };
        const settings = { eps: 1e-5, printed: false, running: null };
        result = given.map((each) => cellSentence(header, LAYER, { item: 0, channel: 0, items: 1, ...each }, settings));
    """
    said = evaluate({SENTENCES: "cellSentence", STATISTICS: "LAYER"}, body, given)
    for sentence, cell in zip(said, given):
        [(over, under, quotient)] = re.findall(r"= (\S+) / (\S+) = (\S+)\. It", sentence.replace("−", "-"))
        exact = (cell["before"] - cell["mean"]) / (cell["variance"] + 1e-5) ** 0.5
        assert float(quotient) == pytest.approx(exact, rel=5.1e-3)
        assert float(f"{float(over) / float(under):.3g}") == float(quotient), sentence
