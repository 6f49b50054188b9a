"""The morph from MHA to MLA: each frame says who reads what, what is cached and what it costs."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest

from tlmviz.analysis.caches.family import DEEPSEEK, Sizes
from tlmviz.figures import DARK, GROUPS, LIGHT
from tlmviz.figures.caches.family import morph

SMALL = Sizes(d_model=32, heads=4, head_dim=8, latent=12, rope_dim=4)
SIZES = {
    "small": SMALL,
    "DeepSeek": DEEPSEEK,
    "one head": replace(SMALL, heads=1),
    "no rotary": replace(SMALL, rope_dim=0),
    "seven heads": replace(SMALL, heads=7),
}


def drawn(sizes=SMALL, at=0, theme=LIGHT, length=100):
    stages = sizes.variants()
    return morph(stages, [stage.flops(length) for stage in stages], asdict(sizes), length, at, theme)


def parts(frame) -> dict[str, list]:
    """The moving traces by type and place: lines, heads, boxes, words, bars."""
    marks = [data for data in frame.data if data.type == "scatter" and data.hovertext is not None]
    words = next(data for data in frame.data if data.type == "scatter" and data.text is not None)
    bars = [data for data in frame.data if data.type == "bar"]
    boxes = [data for data in frame.data if data.type == "scatter" and len(data.x) == 5]
    return {"queries": marks[0], "keys": marks[1], "boxes": boxes, "words": list(words.text), "bars": bars}


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_every_frame_moves_the_same_traces_and_travels_light(sizes, theme):
    figure = drawn(sizes, at=len(sizes.variants()) - 1, theme=theme)
    assert len(figure.frames) == len(sizes.variants())
    assert {len(frame.data) for frame in figure.frames} == {len(figure.data)}
    text = figure.to_json()
    assert len(text) < 1_000_000 and json.loads(text)["layout"]["title"]["text"].endswith(
        "who reads what, and its price"
    )


def test_frames_say_who_reads_what():
    frames = [parts(frame) for frame in drawn().frames]
    mha, gqa, mqa, mla = frames
    assert gqa["queries"].hovertext[3] == "query head 3 reads key/value head 1"
    assert [len(part["keys"].x) for part in frames] == [8, 4, 2, 8]  # keys and values
    assert len(set(mqa["queries"].marker.color)) == 1 and len(set(mha["queries"].marker.color)) == 4
    assert "in the cache" in mha["words"][1] and "not stored" in mla["words"][1] and "in the cache" in mla["words"][2]
    assert mla["words"][4] == "c<sup>KV</sup>: 12 numbers" and mla["words"][5] == "k<sup>R</sup>: 4"
    assert np.isnan(mqa["boxes"][0].x).all() and not np.isnan(mla["boxes"][0].x).any()
    assert "made from the latent" in mla["keys"].hovertext[0] and "in the cache" in mha["keys"].hovertext[0]


def test_lines_join_each_query_to_its_own_key():
    figure = drawn()
    frame = figure.frames[1]  # two key/value heads for four queries
    lines = [data for data in frame.data if data.type == "scatter" and data.hovertext is None and data.text is None][
        : len(GROUPS)
    ]
    found = set()
    for line in lines:
        ends = np.asarray(line.x).reshape(-1, 3)
        found |= {(float(a), float(b)) for a, b, _ in ends if not np.isnan(a)}
    assert found == {(0.125, 0.25), (0.375, 0.25), (0.625, 0.75), (0.875, 0.75)}


def test_bars_are_the_costs_and_the_shown_variant_is_marked():
    figure, stages = drawn(at=2), SMALL.variants()
    bars = [data for data in figure.data if data.type == "bar"]
    for bar, wanted in zip(
        bars,
        (
            [stage.parameters for stage in stages],
            [stage.cached for stage in stages],
            [stage.flops(100) for stage in stages],
        ),
    ):
        assert list(bar.y) == wanted and bar.y.max() < figure.layout[f"yaxis{bar.yaxis[1:]}"].range[1]
    for index, frame in enumerate(figure.frames):
        for bar in parts(frame)["bars"]:
            assert [color == bar.marker.color[index] for color in bar.marker.color].index(True) == index
    assert figure.layout.sliders[0].active == 2


def test_the_title_and_the_labels_name_the_ends():
    figure = drawn(DEEPSEEK)
    labels = [step.label for step in figure.layout.sliders[0].steps]
    assert labels[0] == "MHA: 128 key/value heads for 128 query heads" and labels[-1] == "MLA: one latent for 128 heads"
    assert drawn(SIZES["one head"]).layout.sliders[0].steps[0].label == "MHA: 1 key/value head for 1 query head"
