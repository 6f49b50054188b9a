"""A page's declared state: what a link does to it, fields that depend on others, and sentences that translators can
look up."""

import ast
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages import ALL
from tests.pages.helpers import HOSTILE, ROOT, controls_of, link_of, states_of
from tlmviz.ui.state import UNREADABLE

DECLARED = [page.folder for page in ALL if (ROOT / "pages" / page.folder / "state.py").exists()]


@pytest.mark.parametrize("folder", DECLARED)
def test_every_field_reads_what_it_writes_and_refuses_or_clips_all_else(folder):
    for control in controls_of(folder).values():
        for value in (control.default, *control.ends):
            assert value is None or control.parse(control.write(value)) == value, control.key
        for text in HOSTILE:
            try:
                value = control.parse(text)
            except UNREADABLE:
                continue
            assert control.parse(control.write(value)) == value, (control.key, text)


def test_no_key_means_two_things():
    """The same key on two pages, or in two parts of one, is one declaration that both share."""
    found: dict = {}
    for folder in DECLARED:
        for state in states_of(folder):
            for control in state.controls.values():
                assert found.setdefault(control.key, control) is control, (folder, control.key)


def depends() -> None:
    import streamlit as st

    from tlmviz.ui import state

    class Head(state.State):
        layer = state.menu("Layer", key="lay", default=6, parse=int, show="layer {}".format)
        token = state.menu("Token", key="tok", default=0, parse=int)
        size = state.slider("Size", 1, 9, 3, key="siz")
        kinds = state.several("Kinds", {"a": "An a", "b": "A b", "c": "A c"}, key="kin", default=("b",))

    state.arrive(Head)
    count = int(st.number_input("Layers", 1, 12, 8))
    typed = st.text_input("Text", "a b c").split()
    layer = Head.layer.draw(options=range(count))
    token = Head.token.draw(options=range(len(typed)), format_func=lambda at: typed[at])
    Head.size.draw()
    Head.kinds.draw()
    st.markdown(repr(Head.of_session(layer=layer, token=token)))
    st.button("Reset", on_click=Head.reset)


def test_menus_that_depend_on_a_model_or_a_text_keep_what_they_can():
    app = AppTest.from_function(depends)
    app.query_params.update({"lay": "5", "tok": "2", "siz": "70", "kin": ["c", "a"]})
    app.run()
    assert (
        app.markdown[0].value.endswith("Head(layer=5, token=2, size=9, kinds=('a', 'c'))")
        and link_of(app)["siz"] == "9"
    )
    app.number_input[0].set_value(4).run()
    assert "layer=0" in app.markdown[0].value, "no layer 5, and no 6, which is the default"
    app.number_input[0].set_value(8).run()
    assert "layer=5" in app.markdown[0].value and link_of(app)["lay"] == "5", "what was chosen is kept"
    app.text_input[0].set_value("x").run()
    assert "token=0" in app.markdown[0].value
    app.button[0].click().run()
    assert app.markdown[0].value.endswith("Head(layer=6, token=0, size=3, kinds=('b',))") and "lay" not in link_of(app)


def _calls(tree: ast.AST):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("_", "N_", "ngettext"):
            yield node


def parted() -> None:
    import streamlit as st

    from tlmviz.ui import state

    class Page(state.State):
        few = state.parts("Few", dict(zip("abcd", "ABCD")), key="few")
        many = state.parts("Many", dict(zip("abcdefg", "ABCDEFG")), key="many")

    Page.few.draw()
    st.markdown(Page.many.draw())
    st.button("Further", on_click=Page.many.set, args=("f",))


def test_a_page_shows_four_parts_and_the_others_when_asked():
    app = AppTest.from_function(parted).run()

    def many():
        return app.segmented_control(key="many")

    assert app.segmented_control(key="few").options == ["A", "B", "C", "D"]
    assert many().options == ["A", "B", "C", "More …"]
    app.button[0].click().run()  # as a link does
    assert many().options == ["A", "B", "C", "F", "More …"] and many().value == "f"
    many().set_value("_more").run()
    assert many().options == [*"ABCDEFG"] and many().value == "f" == app.markdown[0].value
    many().set_value("g").run()
    assert many().options == [*"ABCDEFG"] and app.markdown[0].value == "g"


@pytest.mark.parametrize("folder", DECLARED)
def test_sentences_are_looked_up_before_they_are_filled(folder):
    for file in sorted((ROOT / "pages" / folder).glob("*.py")):
        for call in _calls(ast.parse(Path(file).read_text(encoding="utf-8"))):
            for text in call.args[: 2 if call.func.id == "ngettext" else 1]:
                assert not isinstance(text, (ast.JoinedStr, ast.BinOp)), (file.name, text.lineno)
                assert isinstance(text, ast.Constant) or call.func.id == "_", (file.name, text.lineno)


MAY = {  # of the other modules of its page, or of its part
    "state": set(),
    "data": {"state"},
    "claims": {"state", "data"},
    "examples": {"state"},
    "guess": {"state", "data", "claims"},
    "view": {"state", "data", "claims"},
    "page": {"state", "data", "claims", "view", "examples", "guess"},
}


@pytest.mark.parametrize("folder", DECLARED)
def test_the_declarations_import_one_way(folder):
    """state <- data <- claims <- view <- page, in a page and in each of its parts; a view may be several files."""
    for file in sorted((ROOT / "pages" / folder).rglob("[a-z]*.py")):
        package = ".".join(file.parent.relative_to(ROOT).parts)
        own = {each.stem for each in file.parent.glob("*.py")}
        found = set()
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.level == 1 or (node.module or "").startswith(package)):
                inside = (node.module or "").removeprefix(package).strip(".")
                found |= {inside.split(".")[0]} if inside else {alias.name for alias in node.names}
        layer = file.stem if file.stem in MAY else file.stem.partition("_")[0]
        if layer in MAY:
            same = {each for each in own if each.startswith(f"{layer}_") or each == layer}
            found = {each.partition("_")[0] if each.partition("_")[0] in MAY else each for each in found - same}
            assert found & set(MAY) <= MAY[layer], file
