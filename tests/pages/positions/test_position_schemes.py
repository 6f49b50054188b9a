"""The page "Position schemes", run as Streamlit runs it: every view, odd texts, and what its numbers must be."""

import json
from functools import partial

import numpy as np
import pytest

import tlmviz
from pages.positions.position_schemes.schemes import data, view
from pages.positions.position_schemes.schemes.state import TITLES, VIEWS, Schemes
from pages.positions.position_schemes.state import Reading
from tests.pages.helpers import charted, charts, follow_link, green, link_of, open_page, run_snippet, title_of, words
from tests.pages.states import to_do
from tlmviz.analysis.positions.position_schemes import families
from tlmviz.ui import inputs, long_text

PAGE = "positions/position_schemes"
OWN = dict(xsrc=long_text.OWN, own="Tom saw a dog.\n\nAnna saw a dog. Tom saw a")

STRETCHES = [f"{each} (nats)" for each in ("0–256", "256–512", "512–1,024")]


opened = partial(open_page, PAGE)


def panels(chart: dict) -> list[str]:
    """The schemes named above the panels."""
    return [note["text"].split("<b>")[1].split("</b>")[0] for note in chart["layout"]["annotations"]]


def test_what_six_trained_models_add():
    app = opened(pview="What is added")
    schemes, slopes, ranked = charts(app)
    assert panels(schemes) == list(TITLES.values()) and title_of(schemes).startswith("What each scheme adds")
    assert "slope given, decay measured" in title_of(slopes)
    assert [trace["name"] for trace in ranked["data"]] == list(TITLES.values())
    assert words(app).count("✓") == 4 and "✗" not in words(app) and len(app.latex) == 1
    assert "The same 256 tokens" in words(app)
    assert "*Extrapolation*" in to_do(app) and "*What is added*" not in to_do(app), "it is chosen already"


@pytest.mark.parametrize("view", VIEWS[1:])
def test_every_view_of_the_last_head(view):
    app = opened(query={"head": "3.7"}, pview=view, pmeas="Decay")
    schemes = charts(app)[0]
    if view == "Extrapolation":
        assert [trace["name"] for trace in schemes["data"]] == list(TITLES.values())
        assert "The same 1,024 tokens" in words(app)
        assert "Learned stops here" in json.dumps(schemes["layout"]["annotations"])
    else:
        assert panels(schemes) == list(TITLES.values())
    if view == "Attention by distance":
        assert title_of(schemes).endswith("layer 3 (probability)") and len(schemes["data"]) == 6 * 8
    if view == "Position similarity":
        assert "head 7" in json.dumps(schemes["layout"]["annotations"])


def test_the_table_says_what_the_models_say_and_the_words_are_true():
    app = opened()
    table = app.dataframe[0].value.set_index("Scheme")
    lm = tlmviz.load("zoo-alibi")
    from tlmviz.analysis.samples import sample_text

    ids = [lm.tokenizer.end_of_text, *lm.tokenizer.encode(sample_text())][:1024]
    loss = lm.trace_ids(ids).loss_per_token().numpy()
    found = table.loc["ALiBi", STRETCHES].astype(float)
    np.testing.assert_allclose(found, [loss[:255].mean(), loss[255:511].mean(), loss[511:].mean()], atol=2e-4)
    last = table[STRETCHES[2]]
    assert np.isnan(last["Learned"]) and np.isnan(table[STRETCHES[1]]["Learned"])
    assert last["RoPE"] > table[STRETCHES[0]]["RoPE"] + 1 and last["ALiBi"] < table[STRETCHES[0]]["ALiBi"] + 0.1
    assert table["Moved by 64 (nats)"]["Sinusoidal"] > 1e-3 > 1e-6 > table["Moved by 64 (nats)"]["RoPE"]
    assert table["Parameters"]["Learned"] == 256 * 128 and table["Parameters"]["ALiBi"] == 0


@pytest.mark.parametrize("kind", VIEWS)
@pytest.mark.parametrize("text", ["a", "<b>😀</b> $x$ `🐈‍⬛` <|endoftext|>\x01\u202e"], ids=["one token", "markup"])
def test_odd_texts(kind, text, monkeypatch):
    monkeypatch.setattr(Schemes.measure, "draw", lambda: Schemes.measure.default)
    found = data.Data(Schemes(reading=Reading(source=long_text.OWN, own=text), head=(2, 3), view=kind))
    assert charted(view.picture, found) and green(found.checks)
    view.table(found)
    view.heads(found)


def test_an_own_text_stays_in_its_box():
    app = opened(xsrc=long_text.OWN, own="a")
    assert charts(app) and "✗" not in words(app) and app.text_area("own").value == "a"


def test_a_text_within_the_training_length_is_said_to_show_nothing_beyond():
    app = opened(pview="Extrapolation", **OWN)
    assert charts(app) and "nothing lies beyond" in words(app)


def test_ten_thousand_characters_are_kept_and_read_up_to_four_times_the_training_length():
    text = ("The cat sat on the mat and looked at the big red ball. " * 200)[:10_000]
    app = opened(pview="Extrapolation", xsrc=long_text.OWN, own=text)
    [loss, *_] = charts(app)
    assert "The same 1,024 tokens of your text" in words(app) and app.text_area("own").value == text
    assert "own" not in link_of(app) and len(loss["data"]) == 6


def test_while_nothing_is_written_the_stories_are_read_and_a_sentence_says_so():
    app = opened(xsrc=long_text.OWN)
    assert len(charts(app)) == 3 and "The same 1,024 tokens of stories" in words(app)
    assert "Nothing is written yet" in app.info[0].value and app.text_area("own").value == ""


def test_units_stand_in_the_heads_of_the_table():
    """Bits per byte of real stories stand beside nats per token of the model's own."""
    heads = list(opened().dataframe[0].value.columns)
    assert heads[2:6] == ["Held out (bits/byte)", *STRETCHES]


def test_an_example_becomes_the_text():
    app = opened()
    app.button("example-Repeats").click().run()
    assert charts(app) and app.text_area("own").value == inputs.EXAMPLES["Repeats"] and link_of(app)["own"]


def test_the_snippet_makes_the_numbers_of_the_page(capsys):
    app = opened(**OWN)
    charts(app)
    run_snippet(app)
    printed = capsys.readouterr().out
    assert all(f"\n{scheme} " in f"\n{printed}" for scheme in families())
    told = app.dataframe[0].value.set_index("Scheme")[STRETCHES[0]]
    assert f"({told['RoPE']:.4f}"[:6] in printed


def test_too_few_models_are_one_sentence(monkeypatch):
    monkeypatch.setattr(data, "_families", lambda names: {"rope": "zoo-rope"})
    app = opened()
    assert not app.exception and "differ in their positions alone" in app.error[0].value


def test_a_link_that_makes_no_sense_opens_the_defaults():
    app = follow_link(PAGE, {"pview": "Nonsense", "head": "99.99", "model": "gpt-9"}, from_the_start=True)
    assert title_of(charts(app)[0]).startswith("Loss along the text")
    assert app.segmented_control("pview").value == "Extrapolation"
