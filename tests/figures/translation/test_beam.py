"""Pictures of a search: branches that do not cross, frames that grow, curves that are the penalties."""

import json

import numpy as np
import pytest

from tests import tiny
from tlmviz.analysis.translation import beam_tree
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.penalties import length_penalty
from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.translation import beam_curves
from tlmviz.figures.translation import beam_tree as pictures

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


@pytest.fixture(scope="module")
def mt(tokenizer):
    return tiny.translator(tokenizer)


def merged(mt, width=4, length=7, text="Tom saw a big dog.", **options):
    search = mt.search(text, BeamOptions(width=width, max_length=length, stop="never", **options))
    best = search.hypotheses()[0]
    return beam_tree.tree(search, mt.tokenizer.name, (beam_tree.Path("winner", best.tokens, best.logps),))


def drawn(tree, theme=LIGHT, **options):
    return pictures.tree(
        tree.nodes,
        tree.names,
        tree.fates(),
        theme,
        title="T",
        words=[pictures.level_words(level, 320) for level in tree.levels],
        ranks={},
        ways=tree.ways,
        faded=set(),
        **options,
    )


def part(trace):
    """Which part of the tree a trace draws."""
    if trace.fillcolor:
        return "cover" if len(trace.x) == 4 else "ribbons"
    if trace.customdata is not None:
        return "nodes" if trace.mode == "markers+text" else "dots"
    return {"markers+text": "numbers", "text": "words"}.get(trace.mode, trace.mode)


@pytest.mark.parametrize("width", [1, 2, 5, 20])
def test_no_branches_cross_and_no_nodes_collide(mt, width):
    tree = merged(mt, width, 9)
    rows, count = pictures.places(tree.nodes)
    lasting = [i for i, node in enumerate(tree.nodes) if node.state in pictures.STATES and i]
    for depth in range(1, 10):
        some = sorted((i for i in lasting if tree.nodes[i].depth == depth), key=lambda i: rows[i])
        own, above = rows[some], rows[[tree.nodes[i].parent for i in some]]
        assert (np.diff(own) > 1 - 1e-4).all() and (np.diff(above) >= -1e-4).all()
        assert own.min() >= -1e-4 and own.max() <= count - 1 + 1e-4
    for i, node in enumerate(tree.nodes):
        if node.state == "pruned":
            assert abs(rows[i] - rows[node.parent]) < 0.5


def test_places_are_the_nearest_that_are_apart():
    found = pictures._apart(np.array([2.0, 2.0, 2.0, 6.0]), 9)
    assert np.allclose(found, [1, 2, 3, 6])
    assert np.allclose(pictures._apart(np.array([0.0, 0.0]), 5), [0, 1]), "the upper edge holds"
    assert np.allclose(pictures._apart(np.array([4.0, 4.0]), 5), [3, 4]), "and the lower"


@THEMES
def test_a_frame_shows_the_tree_up_to_its_step(mt, theme):
    tree = merged(mt)
    figure = drawn(tree, theme)
    assert len(figure.frames) == len(tree.levels) == 7
    for step, frame in enumerate(figure.frames, start=1):
        parts = {part(figure.data[number]): data for number, data in zip(frame.traces, frame.data)}
        for name, beside in (("nodes", 0.0), ("numbers", 0.0), ("dots", 0.7)):
            style = next(trace for trace in figure.data if part(trace) == name)
            shown = [node for node in map(int, style.customdata or ()) if tree.nodes[node].depth <= step]
            assert name == "numbers" or len(parts[name].x) == len(shown)
            assert np.max(parts[name].x) <= step - beside + 1e-5
        assert np.min(parts["cover"].x) == step, "branches of later steps are covered"
        assert frame.data[-1].text[0].startswith(f"<b>Step {step}</b>")
        line = frame.data[-3]
        assert np.isclose(np.max(line.x), min(step, len(tree.ways["winner"]) - 1))
        steps = [button.args[0][0] for button in frame.layout.updatemenus[0].buttons[2:]]
        assert steps == [str(max(0, step - 2)), str(min(6, step))]
    assert figure.layout.sliders[0].active == 6


def test_every_node_is_drawn_once_with_its_number_to_click(mt):
    tree = merged(mt)
    figure = drawn(tree)
    clickable = [int(i) for trace in figure.data if trace.customdata is not None for i in trace.customdata]
    assert sorted(clickable) == list(range(len(tree.nodes)))


def test_a_node_has_its_word_above_and_its_probability_below_where_there_is_room(mt):
    tree = merged(mt, 2, 4)
    traces = {part(trace): trace for trace in drawn(tree).data}
    words, numbers = traces["nodes"], traces["numbers"]
    assert words.textposition == "top center" and numbers.textposition == "bottom center"
    assert len(numbers.text) == len(words.text) - 1, "the root has no probability"
    first = tree.nodes[int(words.customdata[1])]
    assert numbers.text[0] in (f"{np.exp(first.logp):.2f}", "&lt;.01")
    assert "numbers" not in map(part, drawn(tree, numbers=False).data)


def test_there_are_as_many_traces_for_long_trees_as_for_short_ones(mt):
    assert len(drawn(merged(mt, 2, 3)).data) == len(drawn(merged(mt, 2, 9)).data) <= 10


def test_a_long_tree_follows_its_step_and_may_be_shown_whole(mt):
    tree = merged(mt, 3, 24, text="Lily had a red ball. Lily had")
    figure = drawn(tree)
    for step, frame in enumerate(figure.frames, start=1):
        low, high = frame.layout.xaxis.range
        assert low < step < high and high - low < pictures.WINDOW + 1.5
    whole = drawn(tree, window=24)
    assert whole.layout.xaxis.range[0] < 0 and all(frame.layout.xaxis.range is None for frame in whole.frames)


def test_twenty_beams_of_thirty_steps_are_light(mt):
    tree = merged(mt, 20, 30, text="Lily had a red ball. Lily lost the red ball.", shown=3)
    assert max(node.depth for node in tree.nodes) == 30
    assert len(drawn(tree).to_json()) < 1_200_000


def test_markup_in_tokens_stays_text(mt):
    tree = merged(mt, 2, 2)
    tree.names[1] = "<b>&"
    assert "&lt;b&gt;&amp;" in drawn(tree).to_json().replace("\\u003c", "<").replace("\\u003e", ">").replace(
        "\\u0026", "&"
    )


@THEMES
@pytest.mark.parametrize("kind", ["gnmt", "power"])
@pytest.mark.parametrize("alpha", [0.0, 0.6, 1.0])
def test_the_texts_lie_on_the_curve_that_ranks_them(theme, kind, alpha):
    counts, logps = np.array([1, 3, 11]), np.array([-1.0, -4.0, -7.5])
    figure = beam_curves.length_penalties(counts, logps, ["", "b <i>", "c"], alpha, kind, theme)
    marks = [trace for trace in figure.data if trace.mode == "markers"][0 if kind == "gnmt" else 1]
    assert np.allclose(marks.y, [length_penalty(count, alpha, kind) for count in counts], rtol=1e-6)
    assert "(the empty text)" in marks.text[0] and "<i>" not in marks.text[1]
    assert float(marks.text[2].rsplit("= ", 1)[1]) == pytest.approx(
        logps[2] / length_penalty(11, alpha, kind), abs=1e-4
    )


def test_the_lines_that_win_somewhere_are_named():
    counts, logps = np.array([2.0, 10.0, 11.0]), np.array([-4.0, -6.0, -12.0])
    figure = beam_curves.crossings(counts, logps, np.zeros(3), ["short", "long", "never"], 0.6, "power", LIGHT)
    assert {trace.name for trace in figure.data if trace.showlegend} == {"short", "long"}
    at_zero = {trace.name: trace.y[0] for trace in figure.data}
    assert np.allclose([at_zero["short"], at_zero["long"]], [-4, -6])


def test_paths_are_counted_on_a_log_scale_without_overflow():
    figure = beam_curves.counts_of_paths(7000, 5, 100, {1: 7000}, {1: 7000, 2: 42000}, LIGHT)
    every, beam = figure.data[0], figure.data[1]
    assert np.isfinite(every.y).all() and np.isclose(every.y[2], 7000.0**3) and beam.y[2] == 5 * 7000 * 3
    assert json.loads(figure.to_json())["layout"]["yaxis"]["type"] == "log"


@THEMES
def test_widths_beside_the_optimum(theme):
    figure = beam_curves.widths({1: -8.0, 5: -7.0}, {1: -4.0, 5: -4.5}, -6.5, True, theme)
    assert [trace.name for trace in figure.data][-1] == "highest of all (proven)" and figure.data[-1].y[0] == -6.5
    assert len(beam_curves.widths({1: -8.0}, {1: -4.0}, None, False, theme).data) == 2
