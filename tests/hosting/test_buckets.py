"""Buckets: full at first, refilled with time, one for each address, and no more of them than are to be remembered."""

import pytest

from tlmviz.hosting import buckets
from tlmviz.hosting.buckets import Buckets


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until it is set."""
    now = [0.0]
    monkeypatch.setattr(buckets.time, "monotonic", lambda: now[0])
    return now


def test_it_says_how_long_to_wait_and_is_refilled(clock):
    bucket = Buckets(2, 20)["a"]
    bucket.at = clock[0]
    assert [bucket.wait() for _ in range(3)] == [0, 0, 10]
    clock[0] = 20.0
    assert [bucket.wait() for _ in range(2)] == [0, 10]


def test_what_is_refused_takes_nothing(clock):
    bucket = Buckets(2, 20)["a"]
    bucket.at = clock[0]
    assert [bucket.refusal() for _ in range(50)] == [0, 0, *[10] * 48]
    clock[0] = 10.0
    assert [bucket.refusal() for _ in range(2)] == [0, 10]


def test_addresses_have_their_own():
    several = Buckets(1, 60)
    assert [several[each].wait() for each in "aba"] == [0, 0, pytest.approx(60, abs=1)]


def test_addresses_are_forgotten_before_they_fill_the_memory(monkeypatch):
    monkeypatch.setattr(buckets, "KEPT", 3)
    several = Buckets(1, 60)
    for number in range(10):
        several[str(number)]
    assert list(several.by_address) == ["7", "8", "9"]
