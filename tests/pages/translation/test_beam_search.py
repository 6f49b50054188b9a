"""The page "Beam search", run as Streamlit runs it: at its defaults and at each control's extremes."""

import base64
import re
from functools import partial

import numpy as np
import pytest

from pages.translation.beam_search import claims
from pages.translation.beam_search.data import Data
from pages.translation.beam_search.state import EXACT, STORY, STRATEGIES, TREE, Beam
from tests.pages.helpers import SHOWN, badges, charts, link_of, open_page, run_snippet, title_of
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.penalties import Score
from tlmviz.decoding.records import Candidate
from tlmviz.errors import Error
from tlmviz.ui import frame, translation

PAGE = "translation/beam_search"
TEXT = "She never eats meat."


opened = partial(open_page, PAGE, english=TEXT, text="The cat", smax=6)


@pytest.fixture
def app():
    return opened()


def floats(sent) -> list[float]:
    """Numbers of a figure as it is sent."""
    if isinstance(sent, dict):
        return np.frombuffer(base64.b64decode(sent["bdata"]), sent["dtype"]).tolist()
    return sent or []


def test_opens_on_a_tree_that_can_be_walked(app):
    tree, penalties, crossing = charts(app)
    title = title_of(tree)
    assert title.startswith("eng-fra, beam of 5: ")
    assert re.search(r"(\d+) steps", title)[1] == str(len(tree["frames"]))
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
    assert "prefix=(" in code and "banned=frozenset(" in code and "min_length=6" in code and "no_repeat_ngram=1" in code
    app.toggle(key="btab").set_value(True).run()
    table = app.dataframe[0].value
    kept = table[table.state != "pruned"]
    assert (kept[kept.depth == 1].text == "Elle").all() and not kept.text.str.contains("viande").any()
    assert kept[kept.state == "finished"].depth.min() >= 6
    assert table.fate.str.contains("banned|forced|at least 6|repeats").any()


@pytest.mark.parametrize(
    "rules, options",
    [
        ({"bpre": "Je fais"}, {"prefix": "Je fais"}),
        ({"bban": "froid"}, {"banned": "froid"}),
        ({"bmin": 12}, {"min_length": 12}),
        ({"bmax": 3}, {"max_length": 3}),
        ({"bng": 1, "bgr": 5}, {"no_repeat_ngram": 1}),
    ],
    ids=str,
)
def test_greedy_is_compared_under_the_same_rules(rules, options):
    """A greedy text that breaks a rule is no rival: neither its probability nor its score says anything."""
    text = "I am cold."
    app, mt = opened(english=text, **rules), translation.model("eng-fra")
    if "prefix" in options:
        options = {"prefix": tuple(mt.tokenizer.encode(options["prefix"]))}
    if "banned" in options:
        options = {"banned": frozenset(mt.tokenizer.encode(" " + options["banned"]))}
    greedy = mt.search(text, BeamOptions(width=1, **options)).hypotheses()[0]
    best = mt.search(text, BeamOptions(groups=rules.get("bgr", 1), **options)).hypotheses()[0]
    [said] = [part.value for part in app.markdown if "reedy" in part.value and "**" not in part.value]
    gap = best.parts.logp - greedy.parts.logp
    if best.tokens == greedy.tokens:
        assert "Greedy finds the winner" in said
    elif best.finished and not greedy.finished:
        assert "reaches no end" in said
    elif best.score < greedy.score:
        assert f"{greedy.score - best.score:.2f} nats above the winner" in said
    elif gap > 0:
        assert f"{gap:.2f} nats less probable" in said
    else:
        assert f"{-gap:.2f} nats more probable" in said and "by its score only" in said


def test_what_is_said_of_greedy_follows_its_score(monkeypatch):
    """Every case, on numbers made up for it."""

    def text(tokens, logp, score, finished=True):
        return Candidate(1, tokens, (logp,), finished, Score(logp, score - logp, 0.0, 0.0))

    def said(greedy):
        given = {name: control.default for name, control in Beam.controls.items()}
        shown = Data(Beam(**given, model="eng-fra", text=TEXT))
        shown.__dict__.update(ranked=[text((1, 2), -2.0, -1.0)], greedy=greedy)
        every = (
            claims.greedy_cut,
            claims.greedy_beats,
            claims.greedy_loses,
            claims.greedy_loses_by_score,
            claims.greedy_finds,
        )
        [sentence] = [sentence for claim in every if (sentence := claim(shown))]
        return sentence

    assert "finds the winner" in said(text((1, 2), -2.0, -1.0))
    assert "0.50 nats less probable" in said(text((3,), -2.5, -1.5))
    by_score = said(text((3,), -1.5, -1.25))
    assert "0.50 nats more probable" in by_score and "by its score only: −1.250 against −1.000." in by_score
    assert "scores 0.25 nats above the winner" in said(text((3,), -1.5, -0.75))
    assert "cut after 1 token." in said(text((3,), -1.5, -0.75, finished=False))


@pytest.mark.parametrize("stop", ["W texts finished", "No other can win", "At the limit"])
def test_every_stop_rule_says_why_it_stopped(stop):
    title = title_of(charts(opened(bstop=stop, bmax=12))[0])
    said = {
        "W texts finished": "complete translations found",
        "No other can win": "could win",
        "At the limit": "limit of 12",
    }
    assert said[stop] in title


def test_groups_keep_their_own_beams():
    charts(opened(bw=4, bgr=2, bdiv=2.0))


def test_the_winner_of_diverse_groups_runs_over_what_the_search_found():
    app = opened(bw=4, bgr=4, bdiv=2.0)
    tree = charts(app)[0]
    [winner] = [trace for trace in tree["data"] if trace.get("name") == "winner"]
    on_it = set(zip(floats(winner["x"]), floats(winner["y"])))
    hovered = [
        said
        for trace in tree["data"]
        for at, said in zip(zip(floats(trace.get("x")), floats(trace.get("y"))), trace.get("hovertext") or [])
        if at in on_it
    ]
    assert hovered and not any("not found by this search" in said for said in hovered)
    assert any("rank 1 in the end" in said for said in hovered)


def test_groups_that_write_the_same_are_drawn_once():
    same, alone = (charts(opened(bw=width, bgr=width, bdiv=0.0))[0] for width in (4, 1))
    texts = [
        [text for trace in tree["data"] for text in (trace.get("hovertext") or []) if "kept" in text]
        for tree in (same, alone)
    ]
    assert len(texts[0]) == len(texts[1])


@pytest.mark.parametrize(
    "rules, said",
    [
        ({"groups": 3}, "no 3 equal groups"),
        ({"least": 70}, "min_length is 70"),
        ({"floor": 0.0}, "coverage floor is 0"),
        ({"forced": "#9999999"}, "Token 9999999 is not in the vocabulary"),
        ({"banned": "antidisestablishmentarianism"}, "several tokens"),
        ({"forced": "Elle ne mange jamais", "most": 2}, "2 are allowed"),
    ],
    ids=str,
)
def test_impossible_rules_are_one_sentence(rules, said):
    with pytest.raises(Error) as refused:
        _ = Data(Beam(model="eng-fra", text="I am cold.", **rules)).ranked
    assert said in frame.worded(refused.value)


def test_impossible_rules_stay():
    app = opened(bgr=3)
    [error] = app.error
    assert "no 3 equal groups" in error.value and not app.exception and link_of(app)["bgr"] == "3"


@pytest.mark.parametrize("text, said", [("", "empty"), ("word " * 300, "shorten it"), ("x" * 10_000, "shorten it")])
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
    assert link_of(app)["al"] == "0" and link_of(app)["be"] == "1.5" and "ga" not in link_of(app)
    assert any("nonsense" in warning.value for warning in app.warning)


def test_a_link_to_an_impossible_width_is_named():
    app = open_page(PAGE, {"bw": "1000"}, english=TEXT)
    assert any("Width W: “1000”" in warning.value for warning in app.warning) and len(charts(app)) == 3
    assert "beam of 20:" in title_of(charts(app)[0])


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
    assert exact["search"].startswith("exact") and (table["highest log P"] <= exact["highest log P"] + 1e-3).all()
    assert list(table["search"][:2]) == ["greedy", "beam 2"] and (table["search error"] > -1e-3).all()
    before = table["candidates"].iloc[:-1].sum()  # the beams whose best text is the bound
    assert exact["candidates"] > before
    assert any(f"counts their {before:,} candidates" in caption.value for caption in app.caption)
    assert len(paths["data"][2]["x"]) >= 2 and len(widths["data"]) == 3
    assert any("texts of 2 tokens" in markdown.value for markdown in app.markdown)


@pytest.mark.parametrize("strategies", [[], [*STRATEGIES]], ids=["none", "all"])
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


def test_every_example_opens_the_view_that_reads_it():
    app = opened(bview="Story", bw=1, bst=[])
    app.button("translate-Greedy loses").click().run()
    assert app.session_state["_link_bview"] == "Translation" and app.text_input("english").value == "I am cold."
    assert "of 1:" in title_of(charts(app)[0])
    app.button("continue-A sad dragon").click().run()
    assert app.session_state["_link_bview"] == "Story"
    assert app.text_input("text").value.startswith("The dragon") and len(charts(app)) == 3


def test_a_story_goes_on_from_a_forced_word():
    app = opened(bview="Story", bw=2, bst=[], bpre="sat")
    charts(app)
    assert app.dataframe[0].value["continuation"][0].startswith(" sat")


@pytest.mark.parametrize("view", (TREE, EXACT, STORY))
def test_snippets_run_and_say_what_the_page_says(view, capsys):
    app = opened(bview=view, bw=2, al=0.3)
    scope = run_snippet(app)
    printed = capsys.readouterr().out
    if view == EXACT:
        said = float(re.search(r"exact: (-[\d.]+)", printed)[1])
        # The page shows three decimals.
        assert said == pytest.approx(app.dataframe[0].value["highest log P"].iloc[-1], abs=6e-4)
        candidates = app.dataframe[0].value["candidates"]
        assert scope["exact"].scored == candidates.iloc[-1] - candidates.iloc[:-1].sum()
    else:
        assert len(scope[SHOWN][0].frames) == len(charts(app)[0]["frames"]) and scope["ranked"][0].score == max(
            one.score for one in scope["ranked"]
        )
