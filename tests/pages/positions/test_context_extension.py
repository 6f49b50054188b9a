"""The part "Context extension" of the page "Position schemes": at its defaults, at each control's extremes, with bad
input."""

from functools import partial

import numpy as np
import pytest

from pages.positions.position_schemes.extension import data
from pages.positions.position_schemes.extension.state import PLAIN, SCHEMES, SHARES, STATIC
from pages.positions.position_schemes.state import EXTENSION
from tests.pages.helpers import anew, by_title, chart_parts, follow_link, link_of, open_page, run_snippet, words
from tlmviz.analysis.positions.context_extension import RECOMPUTED, STORED, TURNED
from tlmviz.ui import inputs, long_text

PAGE = "positions/position_schemes"
PART = dict(ppart=EXTENSION)
SMALL = dict(model="zoo-rope", xtimes=1.5, xs=("NTK-aware",))
OWN = dict(model="zoo-rope", xsrc=long_text.OWN)
FOUR = ("Position interpolation", "NTK-aware", "Dynamic NTK", "YaRN")


opened = partial(open_page, PAGE, **PART)


def charts(app) -> dict[str, dict]:
    """By title, without its unit."""
    return {title.split(" (")[0]: chart for title, chart in by_title(app).items()}


def table(app):
    return app.dataframe[0].value.set_index("Scheme")


def test_opens_on_losses_of_the_bundled_stories_beyond_the_training_length():
    app = opened()
    names = [trace["name"] for trace in charts(app)["Loss along the text"]["data"]]
    assert sorted(names) == [PLAIN, "YaRN"], "the others are added by those who know them"
    app = opened(xs=FOUR)
    shown = charts(app)
    assert list(shown) == ["Loss along the text", "Frequency of each plane", "Loss after the change"]
    assert {trace["name"] for trace in shown["Loss along the text"]["data"]} == {PLAIN, *FOUR}
    assert (
        words(app).count("✓") == 7
        and "Shipped = computed now" in words(app)
        and "✗" not in words(app)
        and len(app.latex) == 1
    )
    assert "3,072 of 4,300 tokens" in words(app)
    told = table(app)
    for scheme in ("NTK-aware", "Dynamic NTK", "YaRN"):
        assert told["Change beyond"][scheme] < -0.1
    assert told["Change within"]["Position interpolation"] > 0.5 and told["Change within"]["Dynamic NTK"] == 0
    assert told["Scores ×"]["YaRN"] == pytest.approx((0.1 * np.log(3) + 1) ** 2)


def test_what_is_shipped_is_used_at_the_defaults_only_and_its_badge_turns_red(monkeypatch):
    asked, read = [], data._read
    monkeypatch.setattr(
        data, "_read", lambda name, ids, scheme, scale: asked.append(scheme) or 0.99 * read(name, ids, scheme, scale)
    )
    with anew():
        assert "✗ Shipped = computed now" in words(opened(xs=FOUR)) and asked == ["Position interpolation"]
        asked.clear()
        assert "Shipped" not in words(opened(xtimes=1.5)) and set(asked) == {PLAIN, "YaRN"}


def test_rotated_keys_go_wrong_after_a_change_and_unrotated_ones_do_not():
    app = opened()
    charts(app)
    loss = {way: float(words(app).split(f"**{way}** · loss ")[1][:5]) for way in (RECOMPUTED, TURNED, STORED)}
    assert abs(loss[TURNED] - loss[RECOMPUTED]) < 0.02 and loss[STORED] > loss[RECOMPUTED] + 0.3
    texts = [code.value for code in app.code[:3]]
    assert texts[0][:20] == texts[1][:20] != texts[2][:20]


@pytest.mark.parametrize("scale", [1.0, 32.0])
@pytest.mark.parametrize("times", [1.5, 4])
def test_extremes_of_scale_and_length(scale, times):
    app = opened(
        model="zoo-rope", xscale=scale, xtimes=times, xs=SCHEMES[1:], xdiff=True, xat=SHARES[0], xsw=STATIC[-1]
    )
    shown = charts(app)
    assert len(shown["Change of the loss against unscaled"]["data"]) == len(SCHEMES) and "✗" not in words(app)
    told = table(app)
    np.testing.assert_allclose(told.loc[["Position interpolation", "YaRN"], "Slowest plane ×"], 1 / scale)
    if scale == 1:
        assert told.loc[list(STATIC), "Change beyond"].abs().max() < 1e-4


@pytest.mark.parametrize("scale, nearest", [("0.5", 1), ("-3", 1), ("64", 32)])
def test_a_scale_that_cannot_be_is_one_sentence_and_the_nearest_is_shown(scale, nearest):
    app = follow_link(PAGE, {"xscale": scale, **PART}, **SMALL)
    assert len(charts(app)) == 3 and app.slider("xscale").value == nearest
    [warning] = app.warning
    assert f"Scale s: “{scale}”" in warning.value


def test_no_scheme_leaves_the_unscaled_model():
    app = opened(**{**SMALL, "xs": ()})
    assert [trace["name"] for trace in charts(app)["Loss along the text"]["data"]] == [PLAIN]


@pytest.mark.parametrize("scheme", STATIC)
def test_every_scheme_is_switched_to(scheme):
    app = opened(**SMALL, xsw=scheme, xat=0.5)
    assert len(charts(app)["Loss after the change"]["data"]) == 3 and f"everything after with {scheme}" in words(app)


def test_switching_late_in_a_text_that_ends_within_the_training_length():
    app = opened(**OWN, own="The cat sat on the mat. " * 3, xat=1.0, xs=("YaRN",))
    assert len(charts(app)["Loss after the change"]["data"]) == 3 and "nothing lies beyond" in words(app)


@pytest.mark.parametrize(
    "text, few",
    [
        ("a", True),
        ("cat", True),
        ("<b>😀</b> $x$ `🐈‍⬛` <|endoftext|>\x01\u202e", False),
        ("# *a* [b](c) :red[d] \n\n", False),
    ],
)
def test_odd_texts(text, few):
    app = opened(**OWN, own=text, xs=("YaRN",))
    assert len(charts(app)) == (2 if few else 3) and "✗" not in words(app) and app.text_area("own").value == text
    assert not few or "needs four tokens" in app.info[0].value


def test_ten_thousand_characters_are_kept():
    text = ("The cat sat on the mat and looked at the big red ball. " * 200)[:10_000]
    app = opened(**OWN, own=text, xs=("YaRN",), xtimes=4)
    assert (
        charts(app)
        and "of your text" in words(app)
        and app.text_area("own").value == text
        and "own" not in link_of(app)
    )


def test_an_empty_text_is_one_sentence_and_an_example_fills_it():
    app = opened(**OWN, xtimes=1.5)
    assert len(charts(app)) == 3 and "Nothing is written yet" in app.info[0].value and "of stories" in words(app)
    app.button("example-Repeats").click().run()
    assert charts(app) and app.text_area("own").value == inputs.EXAMPLES["Repeats"] and "of your text" in words(app)


@pytest.mark.parametrize("name", ["zoo-window", "zoo-mla", "zoo-mqa"])
def test_other_models_with_rope(name):
    app = opened(**{**SMALL, "model": name})
    assert len(charts(app)) == 3 and "✗" not in words(app)
    assert ("sees a window of 64 tokens" in words(app)) == (name == "zoo-window")


def test_models_without_rope_name_those_that_have_it():
    app = opened(**{**SMALL, "model": "zoo-alibi"})
    assert not app.exception and not chart_parts(app) and "ALiBi" in app.warning[0].value
    app.button("open-zoo-rope").click().run()
    assert app.session_state["model"] == "zoo-rope" and charts(app)


def test_the_snippet_makes_the_numbers_of_the_page():
    app = opened(**SMALL, xat=0.25)
    charts(app)
    scope = run_snippet(app)
    told = table(app)
    for scheme, loss in scope["curves"].items():
        assert scope["inside_and_beyond"](loss, 256) == pytest.approx(
            tuple(told.loc[scheme, ["Loss, first 256 tokens", "Loss beyond"]]), abs=1e-4
        )
    assert f"**{STORED}** · loss {scope['after'].losses[STORED].mean():.3f}" in words(app)


def test_a_link_that_makes_no_sense_opens_the_defaults():
    app = follow_link(PAGE, {"xtimes": "99", "xsw": "Magic", "xs": "Magic", "xat": "x", **PART}, model="zoo-rope")
    assert len(charts(app)) == 3 and app.select_slider("xtimes").value == 3


def test_an_unknown_model_opens_the_default():
    app = follow_link(PAGE, {"model": "gpt-9", **PART})
    assert len(charts(app)) == 3 and app.select_slider("xtimes").value == 3
