"""Limits from the environment, and the sentences about those that cannot be read."""

import pytest

from tlmviz.errors import Error
from tlmviz.hosting import limits
from tlmviz.hosting.limits import Limits


def test_without_a_word_there_are_none(monkeypatch):
    monkeypatch.delenv(limits.VARIABLE, raising=False)
    assert limits.current() == Limits(0, 0, 0, 0, 0, 0)


def test_what_is_written_is_read_again(monkeypatch):
    given = Limits(sessions=7, characters=100, seconds=2.5, requests=60, presses=9)
    monkeypatch.setenv(limits.VARIABLE, given.as_json())
    assert limits.current() == given


@pytest.mark.parametrize(
    "text", ["7", "{", '{"session": 3}', '{"sessions": -1}', '{"sessions": "many"}', "[1]", "null"]
)
def test_nonsense_is_named(monkeypatch, text):
    monkeypatch.setenv(limits.VARIABLE, text)
    with pytest.raises(Error, match="TLMVIZ_LIMITS is .*; it takes JSON with sessions, characters"):
        limits.current()
