"""Menus of heads and tokens that a tab knows otherwise than this run: another model's, or none."""

import pytest
from streamlit.testing.v1 import AppTest

from tlmviz.ui import inputs


def page():
    import tlmviz
    from tlmviz.ui import inputs

    config = tlmviz.load("zoo-rope").config
    inputs.head_and_token_menus(config, ["a", "b", "c"])


def opened() -> AppTest:
    return AppTest.from_function(page, default_timeout=60).run()


@pytest.mark.parametrize("key", ["_layer", "_head"])
def test_what_the_menu_does_not_have_changes_nothing(key):
    at = opened()
    before = [each.value for each in at.selectbox]
    menu = at.selectbox(key=key)
    menu.options.append(menu.format_func(99))  # as the menu stands in that tab
    menu.set_value(99).run()
    assert not at.exception
    assert [each.value for each in at.selectbox] == before


def test_what_it_has_is_chosen():
    at = opened()
    at.selectbox(key="_layer").set_value(1).run()
    at.selectbox(key="_token").set_value(0).run()
    assert not at.exception
    assert [each.value for each in at.selectbox] == [1, 0, 0]


def test_nothing_is_chosen_where_the_menus_are_gone():
    called = []
    inputs._keep_head(lambda: called.append(True))
    assert not called
