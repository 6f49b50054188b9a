"""The page FlashAttention: its parts' numbers and refusals, and in the app what is pressed, typed and linked."""

from functools import partial

import numpy as np
import pytest

from pages.kernels.flash_attention.costs import claims as cost_claims
from pages.kernels.flash_attention.costs import data as cost_data
from pages.kernels.flash_attention.costs import view as cost_view
from pages.kernels.flash_attention.costs.state import DEVICES, FROM_MEMORY, SIDES, Costs
from pages.kernels.flash_attention.one_row import claims as row_claims
from pages.kernels.flash_attention.one_row import data as row_data
from pages.kernels.flash_attention.one_row import view as row_view
from pages.kernels.flash_attention.one_row.state import PRESETS, Row, preset, written
from pages.kernels.flash_attention.state import COSTS, ONE_ROW
from pages.kernels.flash_attention.tiles import claims as tile_claims
from pages.kernels.flash_attention.tiles import data as tile_data
from pages.kernels.flash_attention.tiles import view as tile_view
from pages.kernels.flash_attention.tiles.state import Tiles
from tests.javascript.node import evaluate
from tests.packed import unpacked
from tests.pages.helpers import (
    SHOWN,
    badges,
    charted,
    charts,
    drawn,
    follow_link,
    green,
    header_of,
    link_of,
    open_page,
    run_code,
    title_of,
)
from tests.pages.states import told
from tlmviz.analysis.kernels import roofline, tile_steps
from tlmviz.errors import BadBackend
from tlmviz.ui.inputs import DEFAULT_TEXT

PAGE = "kernels/flash_attention"
LONG = "The cat sat on the mat and looked at the big red ball. " * 30


opened = partial(open_page, PAGE, _link_head=(4, 2), _link_query=27)  # not what the first page suggests


AT = {"text": DEFAULT_TEXT, "layer": 4, "head": 2, "model": "stories-rope"}


def row(logits="", **place) -> row_data.Data:
    """What the part One row shows."""
    return row_data.Data(Row(**AT | {"query": 27} | place, logits=logits))


def tiles(rows=16, cols=8, **place) -> tile_data.Data:
    """What the part Tiles shows."""
    return tile_data.Data(Tiles(**AT | place, rows=rows, cols=cols))


def costs(**given) -> cost_data.Data:
    """What the part Memory and time shows."""
    return cost_data.Data(Costs(**given))


def walked(found: row_data.Data) -> dict:
    """The one picture of a row."""
    [chart] = charted(row_view.row, found).values()
    return chart


def header_of_tiles(found: tile_data.Data) -> dict:
    """The header of what the picture of the tiles is sent."""
    return unpacked(drawn(tile_view.picture, found))[0]


def test_opens_on_five_algorithms_on_the_models_row():
    app = opened(part=ONE_ROW)
    [chart] = charts(app)
    assert title_of(chart).startswith("L4H2, query 27: 28 logits")  # as the explorer opened
    assert len(chart["frames"]) == 84
    assert badges(app).count("✓") == 3 and "✗" not in badges(app)
    [table] = [markdown.value for markdown in app.markdown if markdown.value.startswith("| |")]
    assert "NaN" not in table and app.latex and any("Eq. 72–87" in caption.value for caption in app.caption)


@pytest.mark.parametrize("label", PRESETS)
def test_online_holds_on_every_preset(label):
    found = row(written(preset(label, row().x)))
    assert found.refused is None and walked(found)
    first, *others = row_claims.results(found, maths=True).splitlines()[2:]
    assert ("NaN" in first) == (label in ("One at 1e4", "All + 100", "All −inf"))
    assert "NaN" not in "".join(others) and green(found.checks)
    assert ("Naive = online here" in [check.name for check in found.checks]) == ("NaN" not in first)


def test_a_preset_fills_the_field_and_the_models_own_row_comes_back():
    app = opened(part=ONE_ROW)
    app.button(key="preset-All + 100").click().run()
    assert not app.warning and app.text_input(key="logits").value == written(preset("All + 100", row().x))
    app.button(key="as-in-model").click().run()
    assert app.text_input(key="logits").value == ""
    assert app.button(key="as-in-model").disabled


def test_adding_100_to_every_logit_changes_no_weight():
    """But for float32, which holds fewer decimals of 102.345678 than of 2.345678."""
    before, after = row().walks, row(written(preset("All + 100", row().x))).walks
    for own, moved in zip(before[1:], after[1:]):  # all but the naive sum, which is inf
        np.testing.assert_allclose(moved.out, own.out, atol=2e-5)
        assert moved.l_i[-1] == pytest.approx(own.l_i[-1], rel=2e-5)


def test_the_models_own_logits_come_back_digit_for_digit_and_are_no_typed_ones():
    own = row()
    typed = row(written(own.x))
    np.testing.assert_array_equal(typed.x, own.x)
    assert row_claims.title(typed) == row_claims.title(own) and len(written(own.x).split(",")) == 28


@pytest.mark.parametrize(
    "typed, said",
    [("1, two", "“two”"), ("nan", "no answer"), (",", "no numbers"), ("1 " * 40, "40 logits and this row has 28")],
)
def test_bad_logits_are_one_sentence(typed, said):
    found = row(typed)
    assert said in str(found.refused) and not found.typed and walked(found)


def test_bad_logits_stay_in_the_field():
    app = opened(part=ONE_ROW, logits="1, two")
    assert len(charts(app)) == 1
    [warning] = app.warning
    assert "“two”" in warning.value and "model's own logits" in warning.value
    assert app.text_input(key="logits").value == "1, two"


@pytest.mark.parametrize("typed, count", [("3", 1), ("1e4, -1e4, -inf", 3), ("0 0 0 0", 4)])
def test_typed_logits_are_walked(typed, count):
    found = row(typed)
    assert f"{count} typed logit" in row_claims.title(found) and len(walked(found)["frames"]) == 3 * count
    assert green(found.checks)


@pytest.mark.parametrize("layer, head, token", [(0, 5, 0), (5, 0, 5), (5, 5, 26)])
def test_any_row_has_its_name(layer, head, token):
    n = token + 1
    chart = walked(row(layer=layer, head=head, query=token))
    assert title_of(chart) == f"L{layer}H{head}, query {token}: {n} logit{'s' * (n != 1)}"


def test_layer_head_and_token_are_shared():
    app = opened(part=ONE_ROW)
    for key, value in (("_layer", 5), ("_head", 0), ("_token", 5)):
        app.selectbox(key).set_value(value).run()
    assert title_of(charts(app)[0]) == "L5H0, query 5: 6 logits"
    assert app.session_state["_link_head"] == (5, 0) and app.session_state["_link_query"] == 5


@pytest.mark.parametrize("rows", [4, 64])
@pytest.mark.parametrize("cols", [4, 64])
@pytest.mark.parametrize("text", ["a", LONG], ids=["short", "long"])
def test_tile_sizes_reach_their_ends(rows, cols, text):
    found = tiles(rows, cols, text=text)
    header, sent = header_of_tiles(found), drawn(tile_view.picture, found)
    assert f"tiles of {rows} × {cols}" in header["title"] and len(sent) < 1_500_000
    assert ("The first 64 of" in told(tile_claims.CLAIMS, found)) == (text == LONG)
    assert green(found.checks)


def test_a_long_row_says_what_is_left_out():
    found = row(text=LONG, query=380)
    assert "the last 64 are walked" in told(row_claims.CLAIMS, found) and len(walked(found)["frames"]) == 192


def test_typed_logits_are_never_called_a_query_of_the_model():
    found = row("1, 2, 3, 200, 300", text=LONG, query=380)
    said = told(row_claims.CLAIMS, found)
    assert row_claims.title(found) == "5 typed logits"
    assert "5 scores of yours" in said and "the last 64" not in said


def test_a_link_that_names_logits_alone_opens_the_row():
    app = follow_link(PAGE, {"logits": "1, 2, 3"})
    assert app.segmented_control("part").value == ONE_ROW and title_of(charts(app)[0]) == "3 typed logits"


@pytest.mark.parametrize(
    "given",
    [
        *({"name": name} for name in DEVICES),
        {"length": 128},
        {"length": 131072},
        {"width": 32},
        {"width": 256},
        *({"sides": tile, "kibibytes": memory} for tile in SIDES for memory in (16, 1024)),
    ],
    ids=str,
)
def test_cost_controls_reach_their_ends(given):
    found = costs(**given)
    said = told(cost_claims.CLAIMS, found)
    assert len(charted(cost_view.picture, found)) == 3
    assert ("times less" in said) != ("nothing is saved" in said)
    assert ("fits in" in said) != ("does not fit" in said)
    if given.get("kibibytes") == 16 and given["sides"] == "128 × 128":
        assert "does not fit" in said


def test_an_empty_text_is_one_sentence():
    app = opened(text="")
    assert not app.exception and "empty" in app.info[0].value


@pytest.mark.parametrize("name", ["stories-rope", "stories-gpt"])
def test_the_snippet_of_a_row_says_what_the_page_says(name, capsys):
    found = row(model=name, query=20)
    scope = run_code(row_view.snippet(found))
    [figure], printed = scope[SHOWN], capsys.readouterr().out
    assert len(figure.frames) == len(walked(found)["frames"])
    assert [w.error for w in scope["walks"]][-1] < 1e-5 and "One pass" in printed
    own = scope["trace"].scores(4, 2, "masked")[20, scope["keys"]]
    assert np.allclose(scope["x"], own, atol=1e-5)
    assert tuple(figure.frames[-1].data[-1].text)[4].split("<br>")[0] == "<b>One pass</b>"


@pytest.mark.parametrize("name", ["stories-rope", "stories-gpt"])
def test_the_snippets_of_tiles_and_costs_say_what_the_page_says(name, capsys):
    run_code(tile_view.snippet(tiles(model=name)))
    assert float(capsys.readouterr().out.rsplit(":", 1)[1]) < 1e-5
    run_code(cost_view.snippet(costs()))
    assert capsys.readouterr().out.count("microseconds") == 2


def test_the_snippet_of_typed_logits_holds_them():
    scope = run_code(row_view.snippet(row("1, -inf, 1e4")))
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
    found = tiles(text=LONG)
    assert "the first 64 of" in tile_claims.kernel(found.kernel(), found)


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
    said = told(cost_claims.CLAIMS, costs(sides=FROM_MEMORY, kibibytes=memory, width=width))
    assert f"fits in {memory} KiB" in said and "does not fit" not in said
    rows, cols = roofline.paper_tile(width, memory * 1024)
    assert f"alone and gives {rows} × {cols}" in said


def test_the_picture_moves_what_the_algorithms_move():
    """Its own arithmetic of standard attention against the analysis, and at every step as many numbers as the
    kernel."""
    shown = tiles()
    header = header_of_tiles(shown)
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
        stored = (after["S"] + after["P"]) * length + after["O"] * width
        assert stored <= step["moved"] and after["S"] >= after["P"] >= after["O"]
    assert f"{header['steps'][-1]['moved'] * 4 / 1000:.1f} kB" in told(tile_claims.CLAIMS, shown)


def test_the_step_is_in_the_link():
    app = follow_link(PAGE, {"part": "Tiles", "fstep": "7"})
    assert header_of(app, "tlmviz_memory")["state"]["step"] == 7
    assert Tiles.step.parse("99999") == 9_999


def test_the_costs_read_no_text_and_a_typed_one_is_there_afterwards():
    app = opened(text="Tom saw a dog.")
    app.segmented_control("part").set_value(COSTS).run()
    assert not app.text_input and not [menu for menu in app.selectbox if menu.key == "_layer"]
    app.segmented_control("part").set_value(ONE_ROW).run()
    assert app.text_input("text").value == "Tom saw a dog." and link_of(app)["text"] == "Tom saw a dog."
