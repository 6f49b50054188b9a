"""The page "FlashAttention", run as Streamlit runs it: at its defaults and at each control's extremes."""

import re
from functools import partial

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.kernels.flash_attention.costs.state import FROM_MEMORY, SIDES
from pages.kernels.flash_attention.one_row.state import PRESETS
from pages.kernels.flash_attention.state import COSTS, ONE_ROW, TILES
from tests.javascript.node import evaluate
from tests.pages.helpers import (
    SHOWN,
    badges,
    charts,
    follow_link,
    header_of,
    link_of,
    open_page,
    run_snippet,
    sent,
    title_of,
    words,
)
from tlmviz.analysis.kernels import roofline, tile_steps
from tlmviz.errors import BadBackend

PAGE = "kernels/flash_attention"
PARTS = TILES, ONE_ROW, COSTS
LONG = "The cat sat on the mat and looked at the big red ball. " * 30


opened = partial(open_page, PAGE, _link_head=(4, 2), _link_query=27)  # not what the first page suggests


def table(app: AppTest) -> str:
    [found] = [markdown.value for markdown in app.markdown if markdown.value.startswith("| |")]
    return found


@pytest.fixture
def app():
    return opened(part=ONE_ROW)


def test_opens_on_five_algorithms_on_the_models_row(app):
    [row] = charts(app)
    assert title_of(row).startswith("L4H2, query 27: 28 logits")  # as the explorer opened
    assert len(row["frames"]) == 84
    assert badges(app).count("✓") == 3 and "✗" not in badges(app)
    assert (
        "NaN" not in table(app) and app.latex and any("Eq. 72–87" in caption.value for caption in app.caption)
    )


@pytest.mark.parametrize("part", PARTS)
def test_every_part_opens_with_green_badges(part):
    app = opened(part=part)
    assert len(charts(app)) == {"One row": 1, "Tiles": 0, "Memory and time": 3}[part]
    assert "✗" not in badges(app)


@pytest.mark.parametrize("label", PRESETS)
def test_presets_fill_the_field_and_online_holds(app, label):
    app.button(key=f"preset-{label}").click().run()
    charts(app)
    assert not app.warning and app.text_input(key="logits").value
    lines = table(app).splitlines()[2:]
    assert ("NaN" in lines[0]) == (label in ("One at 1e4", "All + 100", "All −inf"))
    assert "NaN" not in "".join(lines[1:]) and "✗" not in badges(app)
    assert ("Naive = online here" in badges(app)) == ("NaN" not in lines[0])
    app.button(key="as-in-model").click().run()
    assert app.text_input(key="logits").value == ""
    assert app.button(key="as-in-model").disabled


def test_adding_100_to_every_logit_changes_no_weight(app):
    """But for float32, which holds fewer decimals of 102.345678 than of 2.345678."""
    before = run_snippet(app)["walks"]
    app.button(key="preset-All + 100").click().run()
    after = run_snippet(app)["walks"]
    for own, moved in zip(before[1:], after[1:]):  # all but the naive sum, which is inf
        np.testing.assert_allclose(moved.out, own.out, atol=2e-5)
        assert moved.l_i[-1] == pytest.approx(own.l_i[-1], rel=2e-5)


def test_the_models_own_logits_come_back_digit_for_digit(app):
    before = run_snippet(app)["x"]
    app.button(key="preset-own").click().run()
    np.testing.assert_array_equal(run_snippet(app)["x"], before)


def test_the_models_own_logits_can_be_edited(app):
    before = title_of(charts(app)[0])
    app.button(key="preset-own").click().run()
    assert title_of(charts(app)[0]) == before
    assert len(app.text_input(key="logits").value.split(",")) == 28


@pytest.mark.parametrize(
    "typed, said",
    [
        ("1, two", "“two”"),
        ("nan", "no answer"),
        (",", "no numbers"),
        ("1 " * 40, "40 logits and this row has 28"),
    ],
)
def test_bad_logits_are_one_sentence_and_stay_in_the_field(app, typed, said):
    app.text_input(key="logits").set_value(typed).run()
    assert len(charts(app)) == 1
    [warning] = app.warning
    assert said in warning.value and "model's own logits" in warning.value
    assert app.text_input(key="logits").value == typed


@pytest.mark.parametrize("typed, count", [("3", 1), ("1e4, -1e4, -inf", 3), ("0 0 0 0", 4)])
def test_typed_logits_are_walked(app, typed, count):
    app.text_input(key="logits").set_value(typed).run()
    [row] = charts(app)
    assert f"{count} typed logit" in title_of(row) and len(row["frames"]) == 3 * count
    assert "✗" not in badges(app)


@pytest.mark.parametrize("layer, head, token", [(0, 5, 0), (5, 0, 5), (5, 5, 26)])
def test_layer_head_and_token_are_shared(app, layer, head, token):
    for key, value in (("_layer", layer), ("_head", head), ("_token", token)):
        app.selectbox(key).set_value(value).run()
    [row] = charts(app)
    n = token + 1
    assert title_of(row) == f"L{layer}H{head}, query {token}: {n} logit{'s' * (n != 1)}"
    assert app.session_state["_link_head"] == (layer, head) and app.session_state["_link_query"] == token


@pytest.mark.parametrize("rows", [4, 64])
@pytest.mark.parametrize("cols", [4, 64])
@pytest.mark.parametrize("text", ["a", LONG], ids=["short", "long"])
def test_tile_sizes_reach_their_ends(rows, cols, text):
    app = opened(part="Tiles", br=rows, bc=cols, text=text)
    assert not charts(app)
    assert f"tiles of {rows} × {cols}" in tiles(app)["title"]
    assert ("The first 64 of" in words(app)) == (text == LONG)
    assert "✗" not in badges(app)


def test_a_long_row_says_what_is_left_out():
    app = opened(_link_query=1023, text=LONG, part=ONE_ROW)
    [row] = charts(app)
    assert "the last 64 are walked" in words(app) and len(row["frames"]) == 192


def test_typed_logits_are_never_called_a_query_of_the_model():
    app = opened(text=LONG, part=ONE_ROW, logits="1, 2, 3, 200, 300")
    [row] = charts(app)
    assert (
        title_of(row) == "5 typed logits"
        and "5 scores of yours" in words(app)
        and "the last 64" not in words(app)
    )


def test_a_link_that_names_logits_alone_opens_the_row():
    app = follow_link(PAGE, {"logits": "1, 2, 3"})
    assert app.segmented_control("part").value == ONE_ROW and title_of(charts(app)[0]) == "3 typed logits"


@pytest.mark.parametrize(
    "session",
    [
        *({"dev": device.name} for device in roofline.DEVICES), {"len": 128}, {"len": 131072}, {"dim": 32}, {"dim": 256},
        *({"tile": tile, "sram": memory} for tile in SIDES for memory in (16, 1024)),
    ],
    ids=str,
)  # fmt: skip
def test_cost_controls_reach_their_ends(session):
    app = opened(part="Memory and time", **session)
    assert len(charts(app)) == 3
    assert ("times less" in words(app)) != ("nothing is saved" in words(app)) and (
        "fits in" in words(app)
    ) != ("does not fit" in words(app))
    if session.get("sram") == 16 and session["tile"] == "128 × 128":
        assert "does not fit" in words(app)


def test_an_empty_text_is_one_sentence():
    app = opened(text="")
    assert not app.exception and "empty" in app.info[0].value


@pytest.mark.parametrize("name", ["stories-rope", "stories-gpt"])
@pytest.mark.parametrize("part", PARTS)
def test_snippets_run_and_say_what_the_page_says(name, part, capsys):
    app = opened(part=part, model=name)
    assert len(app.code) == 1
    scope = run_snippet(app)
    figures, printed = scope[SHOWN], capsys.readouterr().out
    if part == "One row":
        shown = charts(app)[0]
        assert len(figures[0].frames) == len(shown["frames"])
        assert [w.error for w in scope["walks"]][-1] < 1e-5 and "One pass" in printed
        layer, head = map(int, re.match(r"L(\d+)H(\d+)", title_of(shown)).groups())
        own = scope["trace"].scores(layer, head, "masked")[27, scope["keys"]]
        assert np.allclose(scope["x"], own, atol=1e-5)
        assert tuple(figures[0].frames[-1].data[-1].text)[4].split("<br>")[0] == "<b>One pass</b>"
    elif part == "Tiles":
        assert float(printed.rsplit(":", 1)[1]) < 1e-5
    else:
        assert printed.count("microseconds") == 2


def test_the_snippet_of_typed_logits_holds_them():
    scope = run_snippet(opened(part=ONE_ROW, logits="1, -inf, 1e4"))
    assert scope["x"].tolist() == [1, -np.inf, 1e4] and not scope["walks"][0].finite


def test_the_kernel_runs_when_asked_and_is_beside_torch():
    app = opened(part="Tiles", text="Tom saw a dog. Anna saw a dog.")
    assert not app.dataframe
    app.button(key="run-kernel").click().run()
    charts(app)
    [said] = [part.value for part in app.markdown if "Largest difference from torch" in part.value]
    assert "interpreter" in said and "the first" not in said
    [table] = [frame.value for frame in app.dataframe]
    assert np.abs(table["lse, Triton"] - table["lse, torch"]).max() < 1e-5
    assert table["out, largest difference"].max() < 1e-5
    assert len(table["out row, Triton"].iloc[0]) == 32


def test_a_long_text_says_how_much_the_kernel_read():
    app = opened(part="Tiles", text=LONG)
    app.button(key="run-kernel").click().run()
    [said] = [part.value for part in app.markdown if "Largest difference from torch" in part.value]
    assert "the first 64 of" in said


def test_a_kernel_that_cannot_run_is_one_sentence(monkeypatch):
    def dead(*_):
        raise BadBackend("The process that interprets the kernel ended.")

    monkeypatch.setattr("pages.kernels.flash_attention.tiles.data.run_kernel", dead)
    app = opened(part="Tiles")
    app.button(key="run-kernel").click().run()
    charts(app)
    assert [part.value for part in app.warning] == ["The process that interprets the kernel ended."]


def test_a_model_with_relative_positions_offers_no_kernel():
    app = opened(part="Tiles", model="zoo-relative")
    charts(app)
    assert not [button for button in app.button if button.key == "run-kernel"]


@pytest.mark.parametrize("width", [32, 256])
@pytest.mark.parametrize("memory", [16, 164, 1024])
def test_a_tile_from_the_memory_fits_into_it(width, memory):
    app = opened(part="Memory and time", tile=FROM_MEMORY, sram=memory, dim=width)
    charts(app)
    said = words(app)
    assert f"fits in {memory} KiB" in said and "does not fit" not in said
    rows, cols = roofline.paper_tile(width, memory * 1024)
    assert f"alone and gives {rows} × {cols}" in said


def tiles(app) -> dict:
    """The header of what the picture of the tiles was sent."""
    assert len(sent(app, "tlmviz_memory")) < 1_500_000
    return header_of(app, "tlmviz_memory")


def test_the_picture_moves_what_the_algorithms_move():
    """Its own arithmetic of standard attention against the analysis, and at every step as many numbers as the kernel."""
    header = tiles(opened(part="Tiles", head="4.2"))
    length, width = header["length"], header["width"]
    body = """
result = { whole: standardMoves(given), moved: given.steps.map((_, k) => movedAt(given, k, 1)), count: stepCount(given),
  after: given.steps.map((step) => standardAfter(given, step.moved)), last: movedAt(given, stepCount(given) - 1, 1),
  end: standardAfter(given, standardMoves(given)) };"""
    file = "pages/kernels/flash_attention/tiles/standard.js"
    found = evaluate({file: "movedAt, standardAfter, standardMoves, stepCount"}, body, header)
    assert found["whole"] == tile_steps.naive_moves(length, width) <= found["last"]
    assert found["moved"] == [step["moved"] for step in header["steps"]]
    assert found["count"] > len(header["steps"])
    end = found["end"]
    assert (end["S"], end["P"], end["O"], end["phase"]) == (length, length, length, "done")
    for step, after in zip(header["steps"], found["after"]):  # what is written was moved, row by row
        written = (after["S"] + after["P"]) * length + after["O"] * width
        assert written <= step["moved"] and after["S"] >= after["P"] >= after["O"]
    assert f"{header['steps'][-1]['moved'] * 4 / 1000:.1f} kB" in words(opened(part="Tiles", head="4.2"))


@pytest.mark.parametrize("step", ["7", "99999", "x"])
def test_the_step_is_in_the_link(step):
    state = tiles(follow_link(PAGE, {"part": "Tiles", "fstep": step}))["state"]
    assert state["step"] == {"7": 7, "99999": 9_999, "x": None}[step]


@pytest.mark.parametrize("rows, cols", [(4, 4), (64, 4), (4, 64), (64, 64)])
def test_every_tiling_of_the_longest_text_stays_small(rows, cols):
    assert tiles(opened(part="Tiles", br=rows, bc=cols, text=LONG))["rows"] == rows


def test_the_costs_read_no_text_and_a_typed_one_is_there_afterwards():
    app = opened(text="Tom saw a dog.")
    app.segmented_control("part").set_value(COSTS).run()
    assert not app.text_input and not [menu for menu in app.selectbox if menu.key == "_layer"]
    app.segmented_control("part").set_value(ONE_ROW).run()
    assert app.text_input("text").value == "Tom saw a dog." and link_of(app)["text"] == "Tom saw a dog."
