"""The frame that every page shares."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.states import plain
from tlmviz.ui import frame

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
    app = AppTest.from_function(page, default_timeout=60).run()
    assert not app.error and not app.exception
    app.text_input[0].set_value("much longer than that").run()
    assert [error.value for error in app.error] == ["21 letters, and at most 10 are read; shorten it."]
    assert not app.exception and app.caption[0].value == "much longer than that" and app.markdown[0].value == "below"


def test_every_fragment_of_the_app_says_what_is_wrong():
    files = [*(ROOT / "pages").rglob("*.py"), *(ROOT / "tlmviz" / "ui").rglob("*.py")]
    bare = [
        path.name for path in files if "st.fragment" in path.read_text(encoding="utf-8") and path.name != "frame.py"
    ]
    assert not bare, "use frame.fragment"


def told():
    import streamlit as st

    from tlmviz.checks.result import Check
    from tlmviz.ui import frame, reading

    reading.switch()
    frame.what_to_notice("seen by all", maths=["seen by some"])
    frame.caption("below", maths="and its source")
    frame.equation("a = b", "from a book", "printed as a = c")
    errors = st.session_state.get("errors", (0.0, 1e-7))
    frame.badges(Check(f"Number {i}", "they agree", error, 1e-6) for i, error in enumerate(errors))


def test_equations_and_sources_are_for_the_level_maths():
    app = AppTest.from_function(told, default_timeout=60).run()
    assert not app.exception and not app.latex and not app.query_params
    assert app.markdown[0].value == "- seen by all" and [each.value for each in app.caption] == ["below"]
    app.button_group[0].set_value("maths").run()
    assert app.query_params["read"] in ("maths", ["maths"]) and len(app.latex) == 1
    assert app.markdown[0].value == "- seen by all\n- seen by some"
    assert [each.value for each in app.caption] == ["below  \nand its source", "from a book", "printed as a = c"]


def test_a_link_opens_at_its_level_and_nonsense_is_plain():
    for written, equations in (("maths", 1), ("nonsense", 0)):
        app = AppTest.from_function(told, default_timeout=60)
        app.query_params["read"] = written
        assert len(app.run().latex) == equations


@pytest.mark.parametrize(
    ("errors", "label"),
    [
        ((0.0, 1e-7), ":green[✓ 2 of 2 identities hold]"),
        ((0.0, 1.0, float("nan")), ":red[✗ 1 of 3 identities hold; not: Number 1, Number 2]"),
        ((1e-7,), ":green[✓ Number 0: holds]"),
        ((1.0,), ":red[✗ Number 0: does not hold]"),
    ],
)
def test_identities_are_one_line_that_names_what_fails(errors, label):
    app = AppTest.from_function(told, default_timeout=60)
    app.session_state["errors"] = errors
    app.run()
    [folded] = app.expander
    assert folded.label == label
    listed = plain(folded.markdown[0].value)
    written = [f"{error:.1e}" if error == error else "–" for error in errors]  # no number is a dash
    assert all(f"Number {i} · {error} ≤ 1e-06] they agree" in listed for i, error in enumerate(written))


def a_table():
    from tlmviz.ui import frame

    frame.table(
        [{"Scheme": "a", "Change": -0.25}, {"Scheme": "b", "Change": float("nan")}],
        {"Change": "+.2f"},
        {"Change": "Why"},
    )


def test_a_table_sorts_by_value_and_writes_a_true_minus():
    app = AppTest.from_function(a_table, default_timeout=60).run()
    assert not app.exception
    [table] = app.dataframe
    assert table.value["Change"][0] == -0.25 and table.value["Change"].isna()[1]
    written = table.proto.arrow_data.styler.display_values
    assert "−0.25".encode() in bytes(written) and "–".encode() in bytes(written)


def test_what_there_is_to_do_is_the_first_that_can_be_done_and_else_nothing_stands_there():
    def tried():
        from dataclasses import dataclass

        from tlmviz.ui import frame
        from tlmviz.ui.hints import Hint, to, where, within

        @dataclass(frozen=True)
        class Place:
            at: int = 1

        here = Hint("stay", to(at=1))
        never = Hint("fly", where(lambda place: place.at > 1))
        frame.next_step((here, never, Hint("walk on", to(at=2)), Hint("look around", within)), Place())
        frame.next_step((here, never), Place())

    app = AppTest.from_function(tried, default_timeout=60).run()
    assert [part.value for part in app.markdown] == ["→ walk on"] and len(app.main.children) == 1


CLICKS = [
    ({"points": [{"customdata": [3, 2, 0.5]}]}, (3, 2)),
    ({"rows": [3, 2]}, (3, 2)),
    ({"points": []}, ()),
    ({}, ()),
    *(
        ({"points": said}, ())
        for said in (
            7,
            "x",
            None,
            {},
            [7],
            [None],
            [{}],
            [{"customdata": None}],
            [{"customdata": "a"}],
            [{"customdata": 3}],
            [{"customdata": [3]}],
            [{"customdata": ["a", 2]}],
            [{"customdata": [3, -1]}],
            [{"customdata": [[3], 2]}],
            [{"customdata": [float("inf"), float("nan")]}],
        )
    ),
    *(({"rows": said}, ()) for said in (7, "x", None, {}, [{}, 2], ["x", "y"], [-1, 0])),
]


@pytest.mark.parametrize(("said", "right"), CLICKS, ids=str)
def test_a_click_is_whole_numbers_or_none(said, right, monkeypatch):
    monkeypatch.setattr(frame, "said_by", lambda key, name: said)
    assert frame.clicked("chart", 2) == right


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ([{"x": [0, 1]}, {"x": [1, 3.5], "y": [2, 0]}], ([1, 3.5], [2, 0])),
        *((said, None) for said in (7, [], [7], [{}], [{"x": [1, 2]}], [{"x": 1, "y": 2}], [{"x": [1], "y": [2]}])),
        *(([{"x": [1, 2], "y": [2, bad]}], None) for bad in (None, "a", [], float("nan"), float("inf"))),
    ],
    ids=str,
)
def test_a_dragged_box_is_four_finite_numbers_or_none(said, right, monkeypatch):
    monkeypatch.setattr(frame, "said_by", lambda key, name: {"box": said})
    assert frame.dragged("chart") == right
