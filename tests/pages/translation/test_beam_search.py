"""The page "Beam search", run as Streamlit runs it: at its defaults and at each control's extremes."""

import re
from functools import partial

import pytest

from pages.translation.beam_search.controls import CONTRASTIVE, EXACT, STRATEGIES, VIEWS
from pages.translation.beam_search.rules import STOP_NAMES
from tests.pages.helpers import SHOWN, badges, charts, open_page, run_snippet, title_of

PAGE = "translation/beam_search"
TEXT = "She never eats meat."


opened = partial(open_page, PAGE, english=TEXT, text="The cat", smax=6)


@pytest.fixture
def app():
    return opened()


def test_opens_on_a_tree_that_can_be_walked(app):
    tree, penalties, crossing = charts(app)
    title = title_of(tree)
    assert title.startswith("eng-fra, beam of 5: ") and len(tree["frames"]) == int(
        title.split(": ")[1].split()[0]
    )
    assert "two length penalties at α = 0.6" in title_of(penalties)
    assert "✓ Search = one pass" in badges(app) and "✗" not in badges(app)
    assert app.latex and any("Eq. 32-37" in caption.value for caption in app.caption)
    assert any("geometric mean" in caption.value for caption in app.caption)
    assert len(crossing["data"]) >= 5


@pytest.mark.parametrize("width", [1, 20])
def test_widths_reach_their_ends(width):
    tree = charts(opened(bw=width))[0]
    assert f"beam of {width}:" in title_of(tree)
    lines = [trace["name"] for trace in tree["data"] if trace.get("showlegend") and "name" in trace]
    assert lines == (["winner"] if width == 1 else ["winner", "greedy"])


def test_rules_reach_the_search(app):
    app.text_input(key="bpre").set_value("Elle").run()
    app.text_input(key="bban").set_value("viande").run()
    app.number_input(key="bmin").set_value(6).run()
    app.number_input(key="bng").set_value(1).run()
    charts(app)
    code = app.code[0].value
    assert (
        "prefix=(" in code
        and "banned=frozenset(" in code
        and "min_length=6" in code
        and "no_repeat_ngram=1" in code
    )
    app.toggle(key="btab").set_value(True).run()
    table = app.dataframe[0].value
    kept = table[table.state != "pruned"]
    assert (kept[kept.depth == 1].text == "Elle").all() and not kept.text.str.contains("viande").any()
    assert kept[kept.state == "finished"].depth.min() >= 6
    assert table.fate.str.contains("banned|forced|at least 6|repeats").any()


@pytest.mark.parametrize("stop", STOP_NAMES)
def test_every_stop_rule_says_why_it_stopped(stop):
    title = title_of(charts(opened(bstop=stop, bmax=12))[0])
    said = {
        "W texts finished": "enough texts",
        "No other can win": "could win",
        "At the limit": "limit of 12",
    }
    assert said[stop] in title


def test_groups_keep_their_own_beams():
    charts(opened(bw=4, bgr=2, bdiv=2.0))


@pytest.mark.parametrize(
    "session, said",
    [
        ({"bgr": 3}, "no 3 equal groups"), ({"bmin": 70}, "min_length is 70"), ({"bfl": 0.0}, "coverage floor is 0"),
        ({"bpre": "#9999999"}, "Token 9999999 is not in the vocabulary"),
        ({"bban": "antidisestablishmentarianism"}, "several tokens"),
        ({"bpre": "Elle ne mange jamais", "bmax": 2}, "2 are allowed"),
    ],
    ids=str,
)  # fmt: skip
def test_impossible_rules_are_one_sentence_and_stay(session, said):
    app = opened(**session)
    [error] = app.error
    assert said in error.value and not app.exception
    [(key, value)] = list(session.items())[:1]
    assert app.session_state[key] == value


@pytest.mark.parametrize(
    "text, said", [("", "empty"), ("word " * 300, "shorten it"), ("x" * 10_000, "shorten it")]
)
def test_sentences_that_cannot_be_read_are_one_sentence(text, said):
    app = opened(english=text)
    assert not app.exception and not app.error
    assert any(said in message.value for message in [*app.warning, *app.info])


@pytest.mark.parametrize("text", ["🙂🙂🙂", "我爱北京", "<b>&amp;</b> $x$ **y**"])
def test_strange_sentences_are_searched(text):
    charts(opened(english=text, bw=2, bmax=8))


def test_a_link_holds_the_weights():
    app = open_page(PAGE, {"al": "0", "be": "1.5", "ga": "nonsense"}, english=TEXT)
    assert "α = 0," in title_of(charts(app)[1])
    assert "Penalties(0, 1.5, 0, 'gnmt', 0.01)" in app.code[0].value
    assert app.query_params["al"] == "0" and app.query_params["be"] == "1.5" and "ga" not in app.query_params


def test_a_link_to_an_impossible_width_is_named():
    app = open_page(PAGE, {"bw": "1000"}, english=TEXT)
    assert any("1000 wide" in warning.value for warning in app.warning) and len(charts(app)) == 3


def test_a_clicked_node_offers_what_else_could_stand_there(app):
    app.session_state["_beam_node"] = 1
    app.run()
    [box] = [box for box in app.selectbox if box.label == "Token"]
    assert len(box.options) >= 5 and all(" · p 0." in option or " · p 1." in option for option in box.options)
    box.select_index(1).run()
    app.button(key="force-beamtree").click().run()
    assert app.text_input(key="bpre").value and "prefix=(" in app.code[0].value
    assert app.text_input(key="bpre").value == box.options[1].split(" · ")[0]
    assert not [box for box in app.selectbox if box.label == "Token"], "the click is forgotten"


def test_exact_search_beside_the_beam():
    app = opened(bview="Exact search", bhz=2)
    paths, widths = charts(app)
    assert "Search error" in " ".join(markdown.value for markdown in app.markdown).replace(
        "No search error", "Search error"
    )
    assert "✗" not in badges(app) and "✓" in badges(app)
    table = app.dataframe[0].value
    exact = table.iloc[-1]
    assert (
        exact["search"].startswith("exact")
        and (table["highest log P"] <= exact["highest log P"] + 1e-3).all()
    )
    assert list(table["search"][:2]) == ["greedy", "beam 2"] and (table["search error"] > -1e-3).all()
    assert len(paths["data"][2]["x"]) >= 2 and len(widths["data"]) == 3
    assert any("W·N·T" in markdown.value for markdown in app.markdown)


@pytest.mark.parametrize("strategies", [[], [*STRATEGIES, CONTRASTIVE]], ids=["none", "all"])
def test_a_story_with_sampled_texts_on_its_tree(strategies):
    app = opened(bview="Story", bst=strategies, bw=3)
    tree = charts(app)[0]
    assert [trace["name"] for trace in tree["data"] if trace.get("showlegend") and "name" in trace] == [
        "winner",
        *strategies,
    ]
    table = app.dataframe[0].value
    assert list(table["text by"]) == ["Beam search", *strategies]
    assert "LanguageStepper" in app.code[0].value


def test_a_story_goes_on_from_a_forced_word():
    app = opened(bview="Story", bw=2, bst=[], bpre="sat")
    charts(app)
    assert app.dataframe[0].value["continuation"][0].startswith(" sat")


@pytest.mark.parametrize("view", VIEWS)
def test_snippets_run_and_say_what_the_page_says(view, capsys):
    app = opened(bview=view, bw=2, al=0.3)
    scope = run_snippet(app)
    printed = capsys.readouterr().out
    if view == EXACT:
        said = float(re.search(r"exact: (-[\d.]+)", printed)[1])
        assert said == pytest.approx(
            app.dataframe[0].value["highest log P"].iloc[-1], abs=6e-4
        )  # the page shows three decimals
    else:
        assert len(scope[SHOWN][0].frames) == len(charts(app)[0]["frames"]) and scope["ranked"][
            0
        ].score == max(one.score for one in scope["ranked"])
