"""Keys of caches: other arguments have another key, equal ones the same, and what is not plain is left to Streamlit."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
import streamlit as st
from hypothesis import given
from hypothesis import strategies as some
from streamlit.runtime.caching import cache_utils

from tlmviz.ui import cache_keys

PLAIN = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats(allow_nan=False) | some.text() | some.binary(),
    lambda inner: some.lists(inner, max_size=3).map(tuple),
)


@dataclass(frozen=True)
class Place:
    layer: int
    head: int | float


@dataclass(frozen=True)
class Other:
    layer: int
    head: int


def key(*args, **kwargs):
    return cache_keys._key(None, key, args, kwargs, None)


def told_apart(value):
    """A value and the types in it, as 1, 1.0 and True are equal."""
    if isinstance(value, tuple):
        return tuple(map(told_apart, value))
    return type(value), value, isinstance(value, float) and math.copysign(1, value)


@given(PLAIN, PLAIN)
def test_keys_are_equal_where_the_arguments_are(one, other):
    assert (key(one) == key(other)) == (told_apart(one) == told_apart(other))
    assert (key(one, other) == key(other, one)) == (told_apart(one) == told_apart(other))
    assert (key(one) == key((one,))) is False


def test_names_and_classes_are_part_of_it():
    keys = [key(1), key(a=1), key(b=1), key(Place(1, 2)), key(Place(1, 2.0)), key(Other(1, 2)), key((1, 2))]
    assert len(set(keys)) == len(keys) and key(Place(1, 2)) == key(Place(1, 2)) and key("\ud800") != key("\\ud800")


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(cache_utils, "_make_value_key", cache_utils._make_value_key)
    cache_keys.quicken()


def test_streamlits_caches_take_them_and_what_is_not_plain_is_streamlits(quick):
    calls = []

    @st.cache_resource
    def twice(_unseen, values, by=2):
        calls.append(1)
        return values * by

    assert twice(0, 3) == twice(0, 3) == 6 and len(calls) == 1
    assert twice(0, 4) == 8 and twice(0, 3, by=3) == 9 and len(calls) == 3
    ones = np.ones(3)
    assert (twice(object(), ones) is twice(object(), np.ones(3))) and len(calls) == 4
