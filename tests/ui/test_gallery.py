"""Cards of a gallery: their links, their pictures, and the browser's history that they follow."""

from dataclasses import replace

from streamlit.testing.v1 import AppTest

from tlmviz.ui import address, gallery
from tlmviz.ui.gallery import Card

CARD = Card("Row sums & <b>more</b>", "It is “so”.", {"a": "1 2", "many": ("x", "y")}, 'A "map"')


def test_a_card_names_its_picture_and_its_link():
    assert CARD.file == "row-sums-b-more-b.webp"
    assert CARD.address == "?a=1+2&many=x&many=y"
    assert replace(CARD, link={}).address == "?"


def test_a_card_is_a_link_whose_words_are_no_html(tmp_path):
    html = gallery._card(CARD, tmp_path)
    assert 'href="?a=1+2&amp;many=x&amp;many=y"' in html and "data-card" in html
    assert "<b>more</b>" not in html and "&lt;b&gt;more" in html and "A &quot;map&quot;" in html
    assert 'src=""' in html  # no picture was taken yet


def page():
    import streamlit as st

    from tlmviz.ui import link

    link.follow_history()
    step = link.Field("step", 4, link.whole(0, 80))
    st.button("Next", on_click=lambda: step.set(step.get() + 1))
    step.share()
    st.caption(str(step.get()))


def test_a_session_goes_on_with_what_it_holds_until_the_browser_goes_elsewhere(monkeypatch):
    app = AppTest.from_function(page)
    app.query_params["step"] = "7"
    app.run()
    app.button[0].click().run()
    assert app.caption[0].value == "8"
    app.query_params["step"] = "30"
    assert app.run().caption[0].value == "8"  # a session is not changed by an address alone
    context = address.get_script_run_ctx
    monkeypatch.setattr(address, "get_script_run_ctx", lambda: replace(context(), is_history_navigation=True))
    app.query_params["step"] = "30"
    assert app.run().caption[0].value == "30"
    del app.query_params["step"]
    assert app.run().caption[0].value == "4"
