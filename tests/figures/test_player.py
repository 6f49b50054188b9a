"""The player: a slider step and a frame for each label, buttons that lead to the frames beside the one they stand
on."""

import plotly.graph_objects as go
import pytest

from tlmviz.figures import DARK, LIGHT, animated, chart

FRAMES = [[{"type": "scatter", "y": [n]}] for n in range(3)]


def walked(start: int = 1, **options):
    traces = [{"type": "scatter", "y": [start]}]
    return animated(traces, {"title": {"text": "T"}}, FRAMES, ["a", "b", "c"], [0], start, LIGHT, **options)


@pytest.mark.parametrize("stepping, left", [(False, 0.1), (True, 0.17)])
def test_every_label_leads_to_its_frame(stepping, left):
    figure = walked(stepping=stepping)
    [slider] = figure.layout.sliders
    assert [step.label for step in slider.steps] == ["a", "b", "c"] and slider.active == 1
    assert [step.args[0] for step in slider.steps] == [(frame.name,) for frame in figure.frames]
    assert (slider.x, slider.x + slider.len) == (left, pytest.approx(1))


def test_step_buttons_stop_at_both_ends():
    beside = [
        [button.args[0][0] for button in frame.layout.updatemenus[0].buttons[2:]]
        for frame in walked(stepping=True).frames
    ]
    assert beside == [["0", "1"], ["0", "2"], ["1", "2"]]
    labels = [button.label for button in walked(stepping=True).layout.updatemenus[0].buttons]
    assert labels == ["▶", "❚❚", "‹", "›"]
    assert len(walked().layout.updatemenus[0].buttons) == 2


def test_a_frame_may_change_the_layout_beside_its_buttons():
    shapes = [{"shapes": [{"type": "line", "x0": n, "x1": n}]} for n in range(3)]
    for number, frame in enumerate(walked(stepping=True, layouts=shapes, left=0.3).frames):
        assert frame.layout.shapes[0].x0 == number and frame.layout.updatemenus
    assert walked(left=0.3).layout.sliders[0].len == 0.7


def test_themes_colour_the_slider():
    figure = animated(FRAMES[0], {}, FRAMES, ["a", "b", "c"], [0], 0, DARK)
    assert figure.layout.sliders[0].activebgcolor == DARK.accent


def test_frames_that_are_not_checked_are_the_checked_ones(monkeypatch):
    frames = [
        {"name": "0", "data": [{"type": "bar", "y": [1, 2]}], "traces": [0], "layout": {"title": {"text": "a"}}},
        {"name": "1", "data": [{"type": "bar", "y": [3, 4]}], "traces": [0]},
    ]
    checked = chart.figure(frames[0]["data"], {"height": 300}, frames).to_dict()
    monkeypatch.setattr(chart, "VALIDATE", False)
    assert chart.figure(frames[0]["data"], {"height": 300}, frames).to_dict() == checked
    assert go.Figure({"data": frames[0]["data"], "layout": {"height": 300}, "frames": frames}).to_dict() == checked
