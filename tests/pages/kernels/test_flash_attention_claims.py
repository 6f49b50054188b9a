"""What the page FlashAttention claims, held against plain NumPy."""

import math
import re
from dataclasses import replace

import numpy as np

import tlmviz
from pages.kernels.flash_attention.costs import claims as cost_claims
from pages.kernels.flash_attention.costs import data as cost_data
from pages.kernels.flash_attention.costs.state import Costs
from pages.kernels.flash_attention.one_row import claims as row_claims
from pages.kernels.flash_attention.one_row import data as row_data
from pages.kernels.flash_attention.one_row.state import Row, preset, written
from pages.kernels.flash_attention.tiles import claims as tile_claims
from pages.kernels.flash_attention.tiles import data as tile_data
from pages.kernels.flash_attention.tiles.state import SIZES, Tiles
from tests.pages.states import agree, each_speaks_and_is_silent, states
from tlmviz.analysis.kernels import online_softmax, roofline
from tlmviz.figures import number
from tlmviz.ui import inputs

MODEL = "zoo-rope"
LONG = "The cat sat on the mat and looked at the big red ball. " * 16
TEXTS = (inputs.DEFAULT_TEXT, "Un chat 😀 dort, et la lune 🌙 veille.", "cat", LONG)


def own_row(state: Row) -> tuple[np.ndarray, np.ndarray]:
    """A query's scores over all keys that it sees, and their values."""
    trace = tlmviz.load(state.model).trace(state.text)
    scores = np.asarray(trace.scores(state.layer, state.head, "masked")[state.query])
    values = trace[f"blocks.{state.layer}.attn.v"][0]
    values = values[state.head * len(values) // trace.n_heads].numpy()
    return scores[np.isfinite(scores)], values[: len(scores)][np.isfinite(scores)]


def row_truth(state: Row) -> dict:
    seen, values = own_row(state)
    typed = [float(part) for part in re.split(r"[\s,]+", state.logits) if part]
    x = np.array(typed, np.float32) if typed and len(typed) <= min(len(seen), 64) else seen[-64:].astype(np.float32)
    finite = [value for value in x if math.isfinite(value)]
    top, rises = -math.inf, 0
    for place, value in enumerate(x):
        rises += bool(place > 0 and value > top)
        top = max(top, value)
    with np.errstate(over="ignore", invalid="ignore"):
        naive = np.exp(x) / np.exp(x).sum()
    own = not typed or len(typed) > min(len(seen), 64)
    errors = [walk.error for walk in online_softmax.walk_all(x, values[-64:][: len(x)])[1:]]
    return {
        "n": len(x),
        "worst": max(errors) if finite else 0.0,
        "finite": finite,
        "rises": rises,
        "breaks": not np.isfinite(naive).all(),
        "own": own,
        "seen": len(seen),
    }


ROW = {
    "sees_nothing": lambda t: () if not t["finite"] else None,
    "naive_breaks": lambda t: (_small(t["worst"]),) if t["finite"] and t["breaks"] else None,
    "alone": lambda t: () if t["n"] == 1 and t["finite"] else None,
    "rises": lambda t: (t["rises"],) if t["finite"] and t["rises"] else None,
    "first_is_largest": lambda t: () if t["finite"] and not t["rises"] and t["n"] > 1 else None,
    "own_or_typed": lambda t: (t["n"],) if not t["own"] else None,
    "cut": lambda t: (t["seen"], t["n"]) if t["own"] and t["seen"] > t["n"] else None,
}


def _small(value: float) -> str:
    return number(value, ".3g") if value == 0 or abs(value) >= 1e-3 else number(value, ".2e")


def test_the_row_is_what_it_is_called():
    found = []
    for text in TEXTS:
        length = len(tlmviz.load(MODEL).trace(text))
        for layer, head, query in ((0, 0, length - 1), (2, 3, length - 1), (3, 1, 0)):
            at = Row(model=MODEL, text=text, layer=layer, head=head, query=query)
            own = own_row(at)[0][-64:].astype(np.float32)
            typed = ["", "1, 2, 3, 200, 300", "3 2 1", "-inf", "0, 0", "5", "1, 1.1, 1.2, 1.3"] + [
                written(preset("All + 100", own))
            ]
            for logits in typed:
                state = replace(at, logits=logits)
                found.append(agree(row_claims.CLAIMS, ROW, row_data.Data(state), row_truth(state)))
    each_speaks_and_is_silent(found)


def tile_truth(state: Tiles) -> dict:
    trace = tlmviz.load(state.model).trace(state.text)
    length, width = min(64, len(trace)), trace[f"blocks.{state.layer}.attn.q"].shape[-1]
    blocks, tiles = math.ceil(length / state.rows), math.ceil(length / state.cols)
    numbers, skipped = 2 * length * width + length, 0  # q is read, o and lse written
    for block in range(blocks):
        last = min((block + 1) * state.rows, length) - 1
        for tile in range(tiles):
            first = tile * state.cols
            if first > last:
                skipped += 1
                continue
            numbers += 2 * width * (min(first + state.cols, length) - first)
    return {
        "n": length,
        "width": width,
        "kernel": round(4 * numbers / 1000, 1),
        "skipped": skipped,
        "tiles": blocks * tiles,
        "standard": round(4 * (4 * length * width + 4 * length**2) / 1000, 1),
        "tokens": len(trace),
        "rows": state.rows,
        "relative": state.model == RELATIVE,
    }


RELATIVE = "zoo-relative"
TILE = {
    "moves_less": lambda t: (t["n"], t["kernel"], t["standard"]) if t["kernel"] < t["standard"] else None,
    "moves_more": lambda t: (t["n"], t["rows"], t["kernel"], t["standard"]) if t["kernel"] >= t["standard"] else None,
    "skips": lambda t: (t["skipped"], t["tiles"]) if t["skipped"] else None,
    "no_kernel": lambda t: () if t["relative"] else None,
    "cut": lambda t: (t["n"], f"{t['tokens']:,}") if t["tokens"] > t["n"] else None,
}


def test_the_tiles_move_what_is_said():
    found = []
    for text, model in (*((text, MODEL) for text in TEXTS), (TEXTS[0], RELATIVE)):
        for rows in SIZES:
            for cols in (4, 16, 64):
                state = Tiles(model=model, text=text, layer=1, head=2, rows=rows, cols=cols, step=None)
                found.append(agree(tile_claims.CLAIMS, TILE, tile_data.Data(state), tile_truth(state)))
    each_speaks_and_is_silent(found)


def cost_truth(state: Costs) -> dict:
    T, d = state.length, state.width
    rows, cols = state.tile
    naive = 2 * (4 * T * d + 4 * T * T)
    keys = sum(min((block + 1) * rows, T) for block in range(math.ceil(T / rows)))
    tiled = 2 * (2 * T * d + 2 * d * keys) + 4 * T
    return {"state": state, "naive": naive, "tiled": tiled, "rows": rows, "cols": cols}


def _size(count: float) -> str:
    unit, size = next(
        ((unit, size) for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)) if count >= size), ("B", 1)
    )
    return f"{count / size:.3g} {unit}"


def _fit(t: dict, fits: bool):
    state = t["state"]
    needed = roofline.on_chip(state.width, t["rows"], t["cols"])
    holds = needed <= state.kibibytes * 1024
    return (t["rows"], t["cols"], f"{needed / 1024:.1f}", state.kibibytes) if holds == fits else None


def _proposed(t: dict):
    state = t["state"]
    if state.sides != "from the memory":
        return None
    rows, cols = roofline.paper_tile(state.width, state.kibibytes * 1024)
    return rows, cols, f"{roofline.on_chip(state.width, rows, cols) / 1024:.1f}"


def _sooner(t: dict):
    device, T, d = t["state"].device, t["state"].length, t["state"].width
    moved = t["naive"], t["tiled"]
    costs = roofline.naive(T, d), roofline.tiled(T, d, t["rows"], t["cols"])
    naive, tiled = (
        f"{max(count / device.bandwidth, cost.flops / device.peak) * 1e6:,.1f}" for count, cost in zip(moved, costs)
    )
    return (device.name, naive, tiled) if naive != tiled else None


COST = {
    "moves_less": lambda t: (
        (f"{t['state'].length:,}", _size(t["naive"]), _size(t["tiled"]), f"{t['naive'] / t['tiled']:.1f}")
        if t["naive"] > t["tiled"] and f"{t['naive'] / t['tiled']:.1f}" != "1.0"
        else None
    ),
    "moves_more": lambda t: (
        (t["rows"], t["cols"], f"{t['state'].length:,}", _size(t["tiled"]), _size(t["naive"]))
        if t["naive"] <= t["tiled"] or f"{t['naive'] / t['tiled']:.1f}" == "1.0"
        else None
    ),
    "does_not_fit": lambda t: _fit(t, False),
    "fits": lambda t: _fit(t, True),
    "proposed": _proposed,
    "sooner": _sooner,
}


def test_the_costs_are_what_is_said():
    found = [agree(cost_claims.CLAIMS, COST, cost_data.Data(state), cost_truth(state)) for state in states(Costs, {})]
    small = [cost_data.Data(_Small(length=128, width=256, rows=rows)) for rows in (1, 2)]
    assert all(cost_claims.moves_more(data) and not cost_claims.moves_less(data) for data in small)
    each_speaks_and_is_silent([{name: said for name, said in each.items() if name != "sooner"} for each in found])


class _Small:
    """A point with tiles smaller than the menu has."""

    def __init__(self, length: int, width: int, rows: int):
        self.length, self.width, self.tile = length, width, (rows, rows)
