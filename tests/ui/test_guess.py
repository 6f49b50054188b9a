"""Guess first: off nothing is asked; on a page asks, hides its picture, and shows it with the verdict once it is
answered."""

import pytest
from streamlit.testing.v1 import AppTest

from tlmviz.tokens import END_OF_TEXT
from tlmviz.ui import guess


def page():
    import streamlit as st

    from tlmviz.ui import frame, guess, link

    guess.switch()
    st.session_state.setdefault("asked", 0)

    def ask() -> guess.Question | None:
        st.session_state["asked"] += 1
        words = st.session_state["text"].split()
        longest = max(words, key=len, default="")
        return guess.question("Which is longest?", longest, words, f"It is **{longest}**.", order=words.index)

    @frame.fragment
    def picture() -> None:
        text = st.text_input("Text", "a few words here: <b>$x_1$</b>", key="text")
        if not guess.first("toy", text, ask):
            return
        st.caption("the picture")

    picture()
    link.share()


def opened(**query: str) -> AppTest:
    app = AppTest.from_function(page)
    app.query_params.update(query)
    return app.run()


def answers(app: AppTest) -> list[str]:
    return [button.label for button in app.button]


def drawn(app: AppTest) -> bool:
    assert not app.exception
    return "the picture" in [caption.value for caption in app.caption]


def said(app: AppTest) -> str:
    return " ".join(markdown.value for markdown in app.markdown)


def test_off_nothing_is_asked_and_nothing_is_computed():
    app = opened()
    assert drawn(app) and not answers(app) and not said(app)
    assert app.session_state["asked"] == 0 and not app.query_params


def test_the_switch_asks_and_an_answer_shows_the_picture_and_the_verdict():
    app = opened()
    app.toggle[0].set_value(True).run()
    assert app.query_params["guess"] in ("1", ["1"]) and not drawn(app)
    assert answers(app) == ["a", "few", "words", r"\<b\>\$x\_1\$\</b\>", "Just show me"]  # as text, not markup
    app.button[3].click().run()
    assert drawn(app) and not answers(app) and "Right" in said(app) and "You said" not in said(app)
    asked = app.session_state["asked"]
    app.run()
    assert drawn(app) and app.session_state["asked"] == asked  # what was told needs no measure


def test_a_wrong_answer_is_named_and_the_true_one_given():
    app = opened(guess="1")
    app.button[1].click().run()
    assert drawn(app) and "✗ You said: few" in said(app) and "It is **<b>" in said(app)


def test_just_show_me_gives_the_picture_and_what_was_measured():
    app = opened(guess="1")
    app.button[-1].click().run()
    assert drawn(app) and "It is **" in said(app) and "You said" not in said(app) and "Right" not in said(app)


def test_another_text_asks_anew_and_one_without_a_question_is_just_shown():
    app = opened(guess="1")
    app.button[0].click().run()
    app.text_input[0].set_value("one two three four").run()
    assert not drawn(app) and answers(app) == ["one", "two", "three", "four", "Just show me"]
    app.text_input[0].set_value("one two").run()  # too few to choose from
    assert drawn(app) and not answers(app) and not said(app)


def test_the_switch_turned_off_shows_the_picture_and_turned_on_again_asks_again():
    app = opened(guess="1")
    assert app.toggle[0].value and not drawn(app)
    app.button[0].click().run()
    app.toggle[0].set_value(False).run()
    assert drawn(app) and not said(app) and "guess" not in app.query_params
    app.toggle[0].set_value(True).run()
    assert not drawn(app) and answers(app)


@pytest.mark.parametrize("nonsense", ["", "2", "yes", "1e400"])
def test_nonsense_in_a_link_is_off(nonsense):
    app = opened(guess=nonsense)
    assert drawn(app) and not app.toggle[0].value


def test_answers_stand_in_order_and_read_differently():
    asked = guess.question("?", 5, [9, 5, 1, 9, 7, 8], "", show=str)
    assert asked is not None and asked.options == ("1", "5", "7", "9") and asked.answer == 1
    assert guess.question("?", 0.1, [0.11, 0.12, 3.0], "", show=lambda x: f"{x:.0f}") is None  # "0" and "3"
    assert guess.question("?", 1, [], "") is None
    assert END_OF_TEXT in guess.question("?", "b", ["a", END_OF_TEXT], "").options


def test_a_ladder_is_the_same_for_a_state_and_the_true_rung_is_not_always_the_same():
    for about in range(20):
        assert guess.ladder(6.0, about) == guess.ladder(6.0, about)
        rungs = sorted([6.0, *guess.ladder(6.0, about, 3.0)])
        assert all(later == pytest.approx(3 * sooner) for sooner, later in zip(rungs, rungs[1:]))
    assert {sorted([6.0, *guess.ladder(6.0, about)]).index(6.0) for about in range(40)} == {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("value", "text"), [(5.6568, "5.66"), (99.99, "100"), (1024.0, "1,024"), (0.01234, "0.0123"), (-3.0, "−3")]
)
def test_numbers_as_answers(value, text):
    assert guess.three_digits(value) == text
