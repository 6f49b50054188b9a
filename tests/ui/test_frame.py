"""The frame that every page shares."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[2]


def page():
    import streamlit as st

    from tlmviz.errors import BadText
    from tlmviz.ui import frame

    @frame.fragment
    def words(most: int) -> None:
        typed = st.text_input("Text", "short")
        st.caption(typed)
        if len(typed) > most:
            raise BadText(f"{len(typed)} letters, and at most {most} are read; shorten it.")

    words(10)
    st.write("below")


def test_what_is_wrong_in_a_fragment_is_said_there_and_the_rest_stays():
    app = AppTest.from_function(page).run()
    assert not app.error and not app.exception
    app.text_input[0].set_value("much longer than that").run()
    assert [error.value for error in app.error] == ["21 letters, and at most 10 are read; shorten it."]
    assert (
        not app.exception
        and app.caption[0].value == "much longer than that"
        and app.markdown[0].value == "below"
    )


def test_every_fragment_of_the_app_says_what_is_wrong():
    files = [*(ROOT / "pages").rglob("*.py"), *(ROOT / "tlmviz" / "ui").rglob("*.py")]
    bare = [
        path.name
        for path in files
        if "st.fragment" in path.read_text(encoding="utf-8") and path.name != "frame.py"
    ]
    assert not bare, "use frame.fragment"
