"""What a run says at its end: CPU minutes by folder, second tries, and what passed only when it was asked alone."""

from types import SimpleNamespace

import pytest

from . import summary


def report(nodeid: str, when: str = "call", seconds: float | None = None) -> SimpleNamespace:
    spent = [] if seconds is None else [(summary.COST, seconds)]
    return SimpleNamespace(nodeid=nodeid, when=when, user_properties=spent)


def said(stats: dict, **options) -> list[str]:
    lines: list[str] = []
    reporter = SimpleNamespace(stats=stats, write_line=lines.append, section=lines.append)
    summary.pytest_terminal_summary(reporter, SimpleNamespace(getoption=options.get))
    return lines


def test_minutes_are_summed_by_folder_where_a_run_is_long():
    ended = [report("tests/pages/caches/test_a.py::test_a", "teardown", 90.0)]
    ended += [report("tests/test_b.py::test_b", "teardown", 30.0)] * 2
    assert said({"": ended}) == ["2.5 CPU minutes", "   1.5  pages (1 tests)", "   1.0  tests (2 tests)"]
    assert said({"": ended[1:2]}) == []


@pytest.mark.parametrize("options", [{}, {"lf": False}], ids=["without the cache", "with it"])
def test_second_tries_are_named_and_a_first_run_calls_nothing_flaky(options):
    stats = {"rerun": [report("tests/browser/test_a.py::test_a")], "passed": [report("tests/test_b.py::test_b")]}
    assert said(stats, **options) == ["needed a second try: tests/browser/test_a.py::test_a"]


def test_what_passes_alone_is_flaky_but_for_what_then_ends_in_an_error():
    stats = {"passed": [report("a::test_a"), report("b::test_b")], "error": [report("b::test_b", "teardown")]}
    assert said(stats, lf=True) == ["failed beside others and passed alone, flaky: a::test_a"]
