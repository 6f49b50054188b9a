"""The page One layer's bill, run as Streamlit runs it; what the browser makes of it is tested in tests/javascript."""

from dataclasses import replace

import numpy as np
import pytest

import tlmviz
from pages.cost.layer_bill import claims, data, view, view_model
from pages.cost.layer_bill.state import BILL, BY_LAYER, BY_PART, FFN, GROWTH, HAND, NAMES, PARAMETERS, SPELLED, Bill
from tests.packed import unpacked
from tests.pages.helpers import (
    badges,
    by_title,
    charted,
    drawn,
    follow_link,
    green,
    header_of,
    open_page,
    tabled,
    words,
)
from tests.pages.states import linked
from tests.pages.states import told as told_of
from tlmviz.analysis.cost import feedforward, layer, layer_run, parameters
from tlmviz.analysis.cost.layer import PARTS, Sizes
from tlmviz.analysis.cost.presets import PRESETS, find
from tlmviz.ui.inputs import DEFAULT_TEXT

PAGE = "cost/layer_bill"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Times are taken of a few tokens: a test is no benchmark."""
    monkeypatch.setattr(layer_run, "MOST_OPERATIONS", 1e8)
    monkeypatch.setattr(layer_run, "MOST_BYTES", 1e8)
    monkeypatch.setattr(data, "AGREE", float("inf"))  # rounds of a busy machine
    data.Data.rounds.clear()
    yield
    data.Data.rounds.clear()


def bill(model="stories-rope", text=DEFAULT_TEXT, **given) -> data.Data:
    """What the page shows of a state."""
    return data.Data(Bill(model=model, text=text, **given))


def told(app) -> dict:
    """What the picture begins with."""
    header = header_of(app, "layer-bill")
    place = header["state"]
    return {
        **header,
        **place,
        "sizes": view.described(layer.fitted({name: place[name] for name in NAMES})[0]),
        "said": header["told"],
    }


def test_it_opens_on_gpt_2_small():
    app = open_page(PAGE)
    header = told(app)
    assert header["view"] == "bill" and header["sizes"] == {
        "n": 1024,
        "d": 768,
        "h": 12,
        "g": 12,
        "f": 3072,
        "gated": False,
        "batch": 1,
        "bytes": 2,
        "head": 0,
    }
    names = [preset["name"] for preset in header["presets"]]
    assert names == [*(preset.name for preset in PRESETS), "stories-rope (loaded)"]
    assert all(preset["source"] for preset in header["presets"])
    rows = app.dataframe[0].value.set_index("Part")
    lines = layer.bill(Sizes())
    assert list(rows["Operations"][:-1]) == [lines[part].operations for part in PARTS]
    assert list(rows["Weights"][:-1]) == [lines[part].weights for part in PARTS]
    assert rows.loc["All", "Operations"] == layer.totals(Sizes()).operations
    assert (rows["ms"] > 0).all() and (rows["ms, one head"] > 0).all()
    assert any("tokens in 1 text" in part.value for part in app.caption), "it says that fewer were timed"
    assert "✗" not in badges(app) and badges(app).count("✓") == 3


def test_the_table_by_hand_comes_from_the_link():
    header = told(open_page(PAGE, {"lbtoy": "3.6.3", "lbcells": "6~2~9"}, lbview=HAND))
    assert header["view"] == "hand" and header["toy"] == [3, 6, 3] and header["answers"] == "6~2~9"
    for toy in ("3.7.2", "9.9999.9999", "1.2", "1e400", "0.0.0"):
        assert linked(Bill, {"lbtoy": toy}, model="stories-rope").toy in ((4, 8, 2), (1, 1, 1))


def test_the_areas_are_in_the_table():
    app = open_page(PAGE, {"lbprompt": "3", "lbsteps": "7"}, lbview=GROWTH)
    assert told(app)["prompt"] == 3 and told(app)["steps"] == 7
    rows = app.dataframe[0].value
    assert list(rows["Without a cache"])[:2] == [sum(range(4, 11)), sum(t * t for t in range(4, 11))]
    assert list(rows["With a cache"])[:2] == [7, sum(range(4, 11))]


@pytest.mark.parametrize("model", ["stories-rope", "zoo-mla", "stories-moe", "stories-mhc", "zoo-relative"])
def test_parameters_are_those_of_the_module(model):
    found, lm = bill(model=model, part=PARAMETERS), tlmviz.load(model)
    rows = tabled(view_model.tables, found)[0].set_index("Part")
    assert dict(rows["Parameters"][:-1]) == parameters.by_part(parameters.parameters(lm))
    assert (rows["Parameters"] == rows["By formula"]).all()
    assert rows.loc["all", "Parameters"] == lm.n_parameters
    [title] = charted(view_model.parameters, found)
    assert f"{lm.n_parameters:,}" in title and green(found.checks)


def test_parameters_by_layer_have_the_same_areas():
    areas = []
    for grouping in (BY_PART, BY_LAYER):
        [chart] = charted(view_model.parameters, bill(part=PARAMETERS, grouping=grouping)).values()
        trace = chart["data"][0]
        leaves = {name.rpartition("/")[2] for name in trace["ids"]} - set(trace["parents"])
        areas.append(len(leaves))
        assert trace["ids"][0] == "stories-rope"
    assert areas[0] > 0


def test_losses_without_parts_are_measured():
    app = open_page(PAGE, lbview=FFN)
    lm = tlmviz.load("stories-rope")
    charts = by_title(app)
    [removal] = [chart for title, chart in charts.items() if title.startswith("Loss of this text")]
    assert len(removal["data"][0]["x"]) == lm.config.n_layers + 1
    found = feedforward.removed(lm, DEFAULT_TEXT)
    assert any(f"{found.no_ffn:.3f} without all of them" in part.value for part in app.caption)
    rows = app.dataframe[0].value
    assert list(rows["Dead under ReLU"]) == [int(each.dead.sum()) for each in feedforward.units(lm, DEFAULT_TEXT)]
    relu = feedforward.loss(lm, DEFAULT_TEXT, feedforward.as_relu(lm))
    assert any(f"takes {relu:.3f} bits per byte" in part.value for part in app.caption)


@pytest.mark.parametrize("model", ["stories-gpt", "stories-moe", "zoo-mla", "stories-mhc"])
@pytest.mark.parametrize("text", ["a", "Tom ran. 🙂"])
def test_other_models_and_texts_without_their_feed_forward_parts(model, text):
    found = bill(model=model, part=FFN, text=text)
    assert green(found.checks) and charted(view_model.feed_forward, found)
    view_model.units(found)
    assert told_of(claims.CLAIMS[FFN], found)


def test_an_empty_text_is_asked_for():
    app = open_page(PAGE, lbview=FFN, text="")
    assert not app.exception and "empty" in " ".join(part.value for part in app.info)


def test_a_large_models_layers_are_left_out_when_asked(monkeypatch):
    monkeypatch.setattr(data, "SLOW", 0.0)
    app = open_page(PAGE, lbview=FFN)
    removal = next(chart for title, chart in by_title(app).items() if title.startswith("Loss of this text"))
    assert removal["data"][0]["x"] == ["3", "all"]
    app.toggle("lball").set_value(True).run()
    removal = next(chart for title, chart in by_title(app).items() if title.startswith("Loss of this text"))
    assert len(removal["data"][0]["x"]) == 7


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_every_published_layer_is_a_layer(preset):
    sizes = preset.sizes
    query = {f"lb{name}": str(getattr(sizes, name)) for name in ("n", "d", "h", "g", "f")}
    query |= {"lbgate": str(int(sizes.gated)), "lbhead": str(sizes.width)}
    found = data.Data(linked(Bill, query, model="stories-rope"))
    alike = [each.name for each in PRESETS if replace(each.sizes, n=sizes.n) == sizes]  # two have one layer
    assert preset.name in alike and found.name in alike and found.sizes.d == sizes.d and green(found.checks)


@pytest.mark.parametrize(
    "query, sizes, said",
    [
        ({"lbh": "5", "lbg": "5"}, {"h": 4, "g": 4}, "5 heads cannot share 768 numbers evenly: 4 can."),
        ({"lbh": "1", "lbg": "5"}, {"h": 1, "g": 1}, "1 query head cannot share 5 key/value heads evenly: 1 can."),
        ({"lbg": "5"}, {"h": 12, "g": 4}, "12 query heads cannot share 5 key/value heads evenly: 4 can."),
        ({"lbn": "0", "lbd": "-4", "lbbytes": "3"}, {"n": 1, "d": 768, "bytes": 2}, ""),
        ({"lbn": "1e400", "lbf": "nan", "lbh": "<b>", "lbcount": "[]", "lbtoy": "1.2"}, {"n": 1024, "f": 3072}, ""),
        ({"lbn": "999999999", "lbd": "99999999", "lbf": "999999999", "lbbatch": "999999"}, {"n": 1 << 20}, None),
    ],
)
def test_hostile_links_are_brought_near_in_a_sentence(query, sizes, said):
    found = data.Data(linked(Bill, query, model="stories-rope"))
    assert {name: getattr(found.sizes, name) for name in sizes} == sizes
    assert said is None or said in unpacked(drawn(view.picture, found))[0]["told"]
    assert green(found.checks)


def test_a_link_followed_begins_the_picture_anew():
    first, second = (told(follow_link(PAGE, {"lbn": n})) for n in ("64", "128"))
    assert first["content"] != second["content"] and second["sizes"]["n"] == 128


def test_llama_in_the_words(monkeypatch):
    assert find("Llama 3 8B").sizes.n == 8192
    app = open_page(PAGE, lbview=PARAMETERS)
    assert "81.4%" in f"{app.dataframe[1].value.set_index('Published model').loc['Llama 3.1 405B', 'Of the model']:.1%}"
    assert "50% to 60%" in words(app) and np.isnan(app.dataframe[1].value.loc[0, "Of the model"])
    assert next(iter(SPELLED)) == Bill.part.default == BILL
