"""Pictures of a server: what each step shows and when, where pages lie, and that odd sizes are drawn."""

import itertools

import numpy as np
import pytest

from tlmviz.decoding.serving import Request, Server, serve
from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.caches import serving, serving_pages
from tlmviz.figures.caches.serving_captions import step_captions
from tlmviz.figures.caches.serving_pages import ALLOCATED, CACHED, FREE, OCCUPIED, Grid

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
START = "Lily had a red ball. "
REQUESTS = (
    Request(START + "One", 12),
    Request(START + "Tom", 4, 2),
    Request("They were", 14, 1),
    Request("a <b> &\n", 3, 3),
)
NAMES = list("ABCD")


@pytest.fixture(scope="module", params=["running", "cached", "static"])
def runs(request, lm):
    sharing = "running" if request.param == "static" else request.param
    both = {policy: serve(lm, REQUESTS, Server(4, 13, 3, policy, sharing)) for policy in ("continuous", "static")}
    return both, "static" if request.param == "static" else "continuous"


def drawn(lm, runs, theme=LIGHT):
    both, shown = runs
    run = both[shown]
    steps = {policy: each.steps for policy, each in both.items()}
    heads = {policy: policy for policy in both}
    return serving.server(
        steps, shown, 4, step_captions(run, NAMES), run.texts_by_step(lm.tokenizer), NAMES, heads, theme, title="T"
    )


def part(figure, frame, axis: str, kind: str, number: int = 0):
    """One of a frame's traces of a kind on an x axis."""
    found = [
        data
        for at, data in zip(frame.traces, frame.data)
        if figure.data[at].type == kind and (figure.data[at].xaxis or "x") == axis
    ]
    return found[number]


@THEMES
def test_a_frame_for_every_step(lm, runs, theme):
    figure, steps = drawn(lm, runs, theme), runs[0][runs[1]].steps
    [slider] = figure.layout.sliders
    assert len(figure.frames) == len(slider.steps) == len(steps)
    assert slider.steps[slider.active].label == f"{slider.active} of {len(steps) - 1}"
    assert all(len(frame.data) == len(frame.traces) for frame in figure.frames)
    first = figure.frames[slider.active]
    for number, data in zip(first.traces, first.data):
        for name in ("x", "z", "text"):
            if name in data and data[name] is not None:
                assert np.array_equal(np.asarray(figure.data[number][name]), np.asarray(data[name]))


def test_slots_tables_words_and_lines_move_together(lm, runs):
    figure, (both, shown) = drawn(lm, runs), runs
    grid = Grid.fitting(4, 13)
    for number, (frame, step) in enumerate(zip(figure.frames, both[shown].steps)):
        codes = np.asarray(part(figure, frame, "x2", "heatmap").z).reshape(-1, 5)[:13, 1:]
        in_batch = np.array(
            [[any(step.snapshots[i].state != "finished" for i in owners)] * 4 for owners in step.owners]
        )
        assert (codes[in_batch] >= ALLOCATED).sum() == step.allocated and (codes[~in_batch] < ALLOCATED).all()
        assert (codes >= OCCUPIED).sum() >= step.occupied
        for page, owners in enumerate(step.owners):
            busy = {i for i in owners if step.snapshots[i].state != "finished"}
            assert {(code - ALLOCATED) % 8 for code in codes[page] if code >= ALLOCATED} == set(list(busy)[:4])
        table = part(figure, frame, "x3", "heatmap")
        assert [[n for n in row if n != ""] for row in table.text] == [
            list(snapshot.table) for snapshot in step.snapshots
        ]
        shared = {page for page, owners in enumerate(step.owners) if len(owners) > 1}
        marks = part(figure, frame, "x2", "scatter")
        assert len(marks.text) == len(shared) == len(marks.x)
        assert [(int(y) * grid.columns + int(x // grid.wide)) for x, y in zip(marks.x, marks.y)] == sorted(shared)
        assert part(figure, frame, "x", "scatter").text[0].startswith(f"<b>Step {number}</b>")
        cursors = [part(figure, frame, f"x{5 + n}", "scatter").x[0] for n in range(2)]
        assert cursors == [number if number < len(run.steps) else None for run in both.values()]


def test_timelines_show_the_states_of_both_policies(lm, runs):
    figure = drawn(lm, runs)
    for n, run in enumerate(runs[0].values()):
        [line] = [trace for trace in figure.data if trace.type == "heatmap" and trace.xaxis == f"x{5 + n}"]
        expected = [[serving.STATES.get(state, 0) for state in row] for row in run.timeline().to_numpy()]
        np.testing.assert_array_equal(np.asarray(line.z), expected)


def test_copied_pages_and_the_telling_step(lm, runs):
    figure, (both, shown) = drawn(lm, runs), runs
    copies = 0
    for frame, step in zip(figure.frames, both[shown].steps):
        table = np.asarray(part(figure, frame, "x3", "heatmap").z)
        for event in (event for event in step.events if event.kind == "copy"):
            if step.snapshots[event.request].table:
                copies += 1
                assert table[event.request][step.snapshots[event.request].table.index(event.pages[1])] == 3
        assert (table > 0).sum() == sum(len(snapshot.table) for snapshot in step.snapshots)
    assert copies == (0 if shown == "static" else both[shown].totals().copies)
    at = figure.layout.sliders[0].active
    assert shown == "static" or both[shown].steps[at].count("copy")


def test_what_a_finished_request_left_is_not_drawn_as_held(lm, runs):
    both, shown = runs
    run, grid = both[shown], Grid.fitting(4, 13)
    cached = [(grid.slots(step).reshape(-1, 5)[:13, 1:] == CACHED).sum() for step in run.steps]
    assert bool(sum(cached)) == (run.server.sharing == "cached" and shown == "continuous")
    assert (grid.slots(run.steps[0]).reshape(-1, 5)[:13, 1:] == FREE).any()


def test_no_text_is_markup(lm, runs):
    figure = drawn(lm, runs)
    texts = [text for frame in figure.frames for text in part(figure, frame, "x4", "scatter").text]
    assert all(text.replace("<b>", "", 1).replace("</b>", "", 1).count("<") == 0 for text in texts)
    assert any("&lt;b&gt; &amp;⏎" in text for text in texts)


@pytest.mark.parametrize("page, pages", [(1, 256), (256, 1), (8, 18), (256, 32), (3, 7), (32, 256), (64, 5)])
def test_any_memory_has_a_place_for_each_page_and_a_payload_that_fits(lm, page, pages):
    grid = Grid.fitting(page, pages)
    assert grid.rows * grid.columns >= pages > (grid.rows - 1) * grid.columns
    assert len(grid.edges) == grid.columns * (page + 1) + 1 and (np.diff(grid.edges) > 0).all()
    places = [grid.place(number) for number in range(pages)]
    assert len(set(places)) == pages and np.nansum(grid.cells() == 0) == pages
    requests = [Request("a", 20, seed=i) for i in range(3)]
    run = serve(lm, requests if page * pages > 60 else [Request("a", 12)], Server(page, pages, 3))
    names = list("ABC")[: len(run.requests)]
    figure = serving.server(
        {"c": run.steps},
        "c",
        page,
        step_captions(run, names),
        run.texts_by_step(lm.tokenizer),
        names,
        {"c": "C"},
        DARK,
        title="T",
    )
    assert len(figure.to_json()) < 1_400_000 and len(figure.frames) >= 2


def test_long_runs_are_drawn_in_strides(lm):
    run = serve(lm, [Request("a", 60, seed=i) for i in range(4)], Server(8, 20, 1))
    assert len(run.steps) > serving.FRAMES
    figure = serving.server(
        {"c": run.steps},
        "c",
        8,
        step_captions(run, NAMES),
        run.texts_by_step(lm.tokenizer),
        NAMES,
        {"c": "C"},
        LIGHT,
        title="T",
    )
    labels = [step.label for step in figure.layout.sliders[0].steps]
    assert len(labels) <= serving.FRAMES and labels[:2] == [f"0 of {len(run.steps) - 1}", f"2 of {len(run.steps) - 1}"]


@THEMES
def test_slots_in_use(theme):
    figure = serving.slots_in_use(np.array([8, 16, 16]), np.array([3, 9, 16]), 32, 10, "Slots", theme)
    allocated, occupied = figure.data
    assert (
        list(allocated.y) == [8, 16, 16]
        and list(occupied.y) == [3, 9, 16]
        and list(figure.layout.yaxis.range) == [0, 32]
    )


@THEMES
def test_colours_of_requests_and_states_differ(theme):
    colors = serving_pages.slot_colors(theme)
    assert len(set(colors)) == len(colors) == OCCUPIED + 8
    assert (
        serving_pages.mix("#000000", LIGHT, 0.0) == "#000000" and serving_pages.mix("#000000", LIGHT, 1.0) == "#ffffff"
    )
    assert all(a[0] <= b[0] for a, b in itertools.pairwise(serving_pages.levels(colors)))
