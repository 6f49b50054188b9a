"""The pictures of the page Head atlas, without a browser: scales, the nearest dot, sorting, CSV, ranks."""

import json

import pytest

from tests.javascript.node import evaluate

FOLDER = "pages/workbench/head_atlas"
DATA = """
const data = {
  header: { columns: ["layer", "head", "sink"] },
  arrays: { values: Float32Array.from([0, 0, 1, 1, 0, 1, 0, 1, 0.5, NaN, 0.25, 0.75]), lit: Uint8Array.from([1, 1, 0,
    1]) },
};
"""


def run(file: str, names: str, body: str):
    return evaluate({f"{FOLDER}/{file}": names}, DATA + body)


@pytest.mark.parametrize("values", [[0.01, 0.2], [0, 77.5], [3, 3], [-2, 5], []])
def test_scales_hold_all_values_with_round_ticks(values):
    scale = run("scatter.js", "scaleOf", f"result = scaleOf({json.dumps(values)}, 400);")
    assert all(scale["low"] <= value <= scale["high"] for value in values) and scale["low"] < scale["high"]
    assert 1 <= len(scale["ticks"]) <= 12
    assert all(float(f"{tick:.{scale['places']}f}") == pytest.approx(tick, abs=1e-9) for tick in scale["ticks"])


def test_the_nearest_dot_within_reach():
    dots = "[{x: 10, y: 10}, {x: 20, y: 10}, {x: NaN, y: 10}]"
    body = f"result = [dotAt({dots}, 12, 10), dotAt({dots}, 17, 11), dotAt({dots}, 60, 60)];"
    assert run("scatter.js", "dotAt", body) == [0, 1, None]


def test_sorting_keeps_what_is_missing_last():
    body = 'result = ["", "sink", "-sink"].map((sort) => sortedHeads(data, sort));'
    assert run("table.js", "sortedHeads", body) == [[0, 1, 3], [0, 3, 1], [3, 0, 1]]
    assert run("table.js", "nextSort", 'result = [nextSort("", "a"), nextSort("-a", "a"), nextSort("a", "a")];') == [
        "-a",
        "a",
        "-a",
    ]


def test_csv_has_the_lit_heads_in_the_tables_order():
    assert run("table.js", "asCsv", 'result = asCsv(data, "-sink");') == ("layer,head,sink\n1,1,0.75\n0,0,0.5\n0,1,\n")


def test_ranks_count_those_above():
    body = "result = [0, 1, 2, 3].map((n) => rankOf([0.5, NaN, 0.25, 0.75], n));"
    assert run("strips.js", "rankOf", body) == [2, 0, 3, 1]
