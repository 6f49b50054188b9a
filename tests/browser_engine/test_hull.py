"""The hull finder in the browser draws what it draws in Python, with the same probabilities."""

import json

import numpy as np
import pytest
from safetensors.torch import load_file

import tlmviz
from tests.browser_engine.engine import MAPS, Answer, ask, moved, replaced
from tests.javascript.node import ROOT
from tlmviz.errors import BadShape
from tlmviz.facades.hull import Drawing

FOLDER = ROOT / "models" / "pointer-hull"
DRAW = np.random.default_rng(0)
POINTS = [
    *(DRAW.uniform(-1, 1, (count, 2)).tolist() for count in (3, 4, 5, 6, 7, 8, 10, 15, 20, 30, 40, 50)),
    *(DRAW.normal(100, 1e-3, (count, 2)).tolist() for count in (9, 25)),
    [[0, 0]],
    [[1, 2], [1, 2], [1, 2]],
    [[0, 0], [1, 1], [2, 2], [3, 3], [1, 1]],
    [[0, 0.5], [1, 0.5], [0.3, 0.5]],
    [[-1e308, 0], [1e308, 1], [0, -1], [0, 1e308]],
    [[0.0, -0.0], [-0.0, 0.0], [4, 0], [5, 3], [2, 5], [-1, 3]],
    DRAW.uniform(0, 5, (200, 2)).round(1).tolist(),
]


@pytest.fixture(scope="module")
def finder():
    return tlmviz.load("pointer-hull")


def off(answer: Answer, drawn: Drawing) -> float:
    """Largest absolute error of a probability; infinite where another way was taken."""
    if answer.header["order"] != drawn.order.tolist():
        return np.inf
    return float(np.abs(answer.arrays[0].reshape(drawn.attention.shape) - drawn.attention).max())


def test_hulls_are_pythons(finder, tmp_path):
    assert len(POINTS) >= 20
    _, *answers = ask(FOLDER, [{"kind": "hull", "draw": POINTS}], tmp_path)
    for points, answer in zip(POINTS, answers, strict=True):
        assert off(answer, finder.draw(points)) <= MAPS, points


def test_2000_points_are_read(finder, tmp_path):
    points = DRAW.uniform(-1, 1, (2000, 2)).tolist()
    _, answer = ask(FOLDER, [{"kind": "hull", "draw": [points]}], tmp_path)
    drawn = finder.draw(points)
    assert answer.header["order"] == drawn.order.tolist() and off(answer, drawn) <= MAPS


@pytest.mark.parametrize("points", [[], [[0, 0]] * 2001, [[1, 2, 3]], [[0, None]]])
def test_what_is_no_set_of_points_is_one_sentence(points, finder, tmp_path):
    with pytest.raises(BadShape):
        finder.draw([[np.nan if value is None else value for value in point] for point in points])
    _, answer = ask(FOLDER, [{"kind": "hull", "draw": [points]}], tmp_path)
    assert answer.header["kind"] == "BadShape" and answer.error.endswith(".")


def test_another_number_in_any_tensor_is_noticed(finder, tmp_path):
    """On few points, and on so many that the network is in doubt."""
    weights = load_file(FOLDER / "model.safetensors")
    names = [key for key in weights if not key.startswith(("encoder.layers.0", "encoder.layers.2"))]
    sets = [POINTS[6], POINTS[-1]]
    drawn = [finder.draw(points) for points in sets]
    for key in (None, *names):
        change = {} if key is None else {"changed": replaced(key, moved(weights[key]))}
        _, *answers = ask(FOLDER, [{"kind": "hull", "draw": sets, **change}], tmp_path)
        largest = max(off(answer, each) if answer.arrays else np.inf for answer, each in zip(answers, drawn))
        assert (largest <= MAPS) == (key is None), key


def test_another_number_of_heads_is_noticed(finder, tmp_path):
    config = {**json.loads((FOLDER / "config.json").read_text(encoding="utf-8")), "n_heads": 2}
    _, answer = ask(FOLDER, [{"kind": "hull", "config": json.dumps(config), "draw": [POINTS[6]]}], tmp_path)
    assert off(answer, finder.draw(POINTS[6])) > MAPS
