"""The page Pipeline, run as Streamlit runs it."""

import json
import struct

import numpy as np
import pytest

from pages.cost.pipeline.component import KINDS
from tests.javascript.node import evaluate
from tests.pages.helpers import assert_healthy, badges, by_title, follow_link, open_page, run_snippet, words
from tlmviz.analysis.cost import pipeline
from tlmviz.analysis.cost.pipeline import DUAL, GPIPE, INTERLEAVED, ONE, SCHEDULES, ZERO, Setting

PAGE = "cost/pipeline"
COMPONENT = "pages/cost/pipeline/component"


def payload(app) -> bytes:
    """What the timeline was sent."""
    [view] = [part for part in app.get("bidi_component") if part.proto.component_name.endswith("pipeline")]
    return view.proto.bytes


def sent(app) -> dict:
    """Its header."""
    data = payload(app)
    [length] = struct.unpack_from("<I", data)
    return json.loads(data[4 : 4 + length])


def table(app):
    return app.dataframe[0].value.set_index("Schedule")


def test_it_opens_on_1f1b_beside_all_others():
    app = open_page(PAGE)
    assert "✗" not in badges(app)
    found = table(app)
    assert list(found.index) == list(SCHEDULES)
    for name in SCHEDULES:
        run = pipeline.simulate(name, Setting())
        assert found.loc[name, "Time"] == run.time and found.loc[name, "Most held"] == run.peak()
        assert found.loc[name, "Bubble"] == pytest.approx(SCHEDULES[name].formula(Setting()))
    header = sent(app)
    assert header["time"] == 33 and header["peaks"] == [4, 3, 2, 1] and header["bound"] == 4
    assert "1F1B, simulated: 4 stages, 8 micro-batches, 27.3% of the time is bubble" in words(app)
    assert [list(by_title(app))[0]] == ["Bubble against micro-batches, p = 4 (%)"]


@pytest.mark.parametrize("name", SCHEDULES)
def test_the_snippet_says_what_the_page_says(name, capsys):
    app = open_page(PAGE, plview=name, plc=0.5)
    run_snippet(app)
    printed = capsys.readouterr().out
    run = pipeline.simulate(name, Setting(hop=0.5))
    assert f"{name}: time {run.time:.4g}, holds {run.peak():.3g}" in printed
    assert sent(app)["time"] == pytest.approx(run.time) == table(app).loc[name, "Time"]


@pytest.mark.parametrize("name", SCHEDULES)
@pytest.mark.parametrize(
    "session",
    [
        {"plp": 1, "plm": 1}, {"plp": 1}, {"plm": 1}, {"plp": 16, "plm": 64, "plv": 4, "pll": 128}, {"plp": 16, "pll": 16},
        {"plp": 7, "plm": 13, "plv": 3}, {"plf": 0.1, "plb": 3.0, "plw": 3.0}, {"plc": 2.0, "plover": False}, {"plre": True},
    ],
    ids=str,
)  # fmt: skip
def test_controls_reach_their_ends(name, session):
    app = open_page(PAGE, plview=name, **session)
    assert not app.exception and not app.error and "✗" not in badges(app)
    said = " ".join(part.value for part in app.warning)
    if not said:
        assert len(payload(app)) < 400_000
    elif name == DUAL:
        assert "DualPipe" in said
    else:
        assert name == INTERLEAVED and ("no multiple" in said or "chunks each need" in said)
    assert len(table(app)) == 5


def test_more_stages_than_layers_is_one_sentence_and_nothing_is_lost():
    app = open_page(PAGE, plp=9, pll=6)
    assert [part.value for part in app.error] == [
        "9 stages cannot share 6 layers, as a stage has at least one: choose at most 6 stages, or more layers."
    ]
    app.slider("plp").set_value(6).run()
    assert not app.error and app.slider("pll").value == 6 and len(table(app)) == 5


def test_a_schedule_that_cannot_run_says_what_it_needs_and_the_others_are_shown():
    app = open_page(PAGE, plview=DUAL, plm=6)
    assert "at least 2p = 8" in app.warning[0].value
    assert np.isnan(table(app).loc[DUAL, "Time"]) and table(app).loc[GPIPE, "Time"] == 27
    assert "no multiple of it: choose 8" in " ".join(part.value for part in app.caption)


@pytest.mark.parametrize("at, shown", [("12.5", 12.5), ("x", None), ("-3", 0), ("1e9", 1e6), ("1e400", None)])
def test_the_time_is_in_the_link(at, shown):
    assert sent(follow_link(PAGE, {"plat": at}))["state"]["at"] == shown


def test_a_hostile_link_shows_the_page():
    assert_healthy(open_page(PAGE, {"plview": "[]", "plp": "-4", "plm": "1e9", "plf": "nan", "plc": "<b>"}))


@pytest.mark.parametrize("name", [ONE, ZERO, DUAL])
def test_the_browser_counts_as_the_analysis_does(name):
    """Who works, who waits and what is held at any time, by the view's own arithmetic."""
    run = pipeline.simulate(name, Setting(hop=0.3, recompute=True))
    data = payload(open_page(PAGE, plview=name, plc=0.3, plre=True))
    moments = [0.0, 1.05, 7.77, 15.4, 22.22, run.time]
    body = f"""
const run = decode(given);
result = {json.dumps(moments)}.map((at) => ({{ held: heldAt(run, at), working: workingAt(run, at).size, bubble: bubbleAt(run, at),
  said: momentSentence(run, at) }}));
result.push(eventSentence(run, 0));"""
    files = {
        "tlmviz/ui/components/canvas/decode.js": "decode",
        f"{COMPONENT}/moments.js": "bubbleAt, eventSentence, heldAt, momentSentence, workingAt",
    }
    *found, first = evaluate(files, body, data)
    assert first.startswith("Device 1: forward of micro-batch 1, stage 1 of the model, from 0 to 1")
    for at, moment in zip(moments, found):
        for device in range(4):
            times, held = run.memory(device)
            expected = held[times <= at + 1e-6][-1] if at >= times[0] else 0
            assert moment["held"][device] == pytest.approx(expected, abs=1e-5)
        busy = sum(max(0, min(at, e.end) - e.start) for e in run.events if e.half != 2)
        assert moment["bubble"] == pytest.approx(1 - busy / (4 * at) if at else 0, abs=1e-5)
        if at < run.time:
            assert moment["working"] == len({e.device for e in run.events if e.start <= at < e.end})
            assert f"{moment['working']} of 4 work" in moment["said"]
    assert "all is done" in found[-1]["said"] and found[-1]["bubble"] == pytest.approx(run.bubble, abs=1e-5)


def test_cells_are_found_where_they_are_drawn():
    data = payload(open_page(PAGE, plview=DUAL))
    body = """
const run = decode(given);
const layout = layoutOf(800, 4);
const x = (time) => layout.left + (time / run.header.time) * (layout.right - layout.left);
const { start, end, device, half } = run.arrays;
result = [...start].map((_, e) => {
  const y = 16 + (device[e] + (half[e] ? (half[e] === 1 ? 0.25 : 0.75) : 0.5)) * layout.row;
  return eventAt(run, layout, x((start[e] + end[e]) / 2), y) === e;
}).every(Boolean) && eventAt(run, layout, 5, 5) === -1 && ticks(33, 844).join() === "0,5,10,15,20,25,30";"""
    files = {
        "tlmviz/ui/components/canvas/decode.js": "decode",
        f"{COMPONENT}/drawing.js": "eventAt, layoutOf, ticks",
    }
    assert evaluate(files, body, data) is True
    assert len(KINDS) == 6
