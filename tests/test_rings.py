"""The rules of the two rings fit tests that there are, and `make test`, `make all` and `make affected` choose by
them."""

import re
from fnmatch import fnmatch
from types import SimpleNamespace

import pytest

from . import rings
from .affected import EVERY_PAGE, ROOT, files_of_tests

FILES = [str(test.relative_to(ROOT / "tests")) for test in files_of_tests()]


def item(nodeid: str, function=lambda: None, **marks) -> SimpleNamespace:
    """What pytest knows of a test, as far as the rules look."""
    name = nodeid.rpartition("::")[2]
    fixtures = SimpleNamespace(name2fixturedefs={})
    return SimpleNamespace(
        nodeid=f"tests/{nodeid}",
        name=name,
        originalname=name.partition("[")[0],
        function=function,
        get_closest_marker=marks.get,
        _fixtureinfo=fixtures,
    )


def deep(*items) -> list[str]:
    return [each.nodeid.rpartition("::")[2] for each in rings.deep(list(items))]


@pytest.mark.parametrize("rule", [*rings.FLOWS, *rings.SAMPLED, *rings.DEEP])
def test_a_rule_fits_a_test_that_is_there(rule):
    pattern, _, name = rule.partition("::")
    found = [file for file in FILES if fnmatch(file, pattern)]
    assert found
    if name:
        wanted = re.compile("def " + name.replace("*", r"\w*") + r"\(")
        assert any(wanted.search((ROOT / "tests" / file).read_text(encoding="utf-8")) for file in found)


def test_of_a_pages_flows_the_first_is_core_with_its_first_case():
    file = "browser/caches/test_serving.py"
    flows = [item(f"{file}::{name}") for name in ("test_a[x]", "test_a[y]", "test_b")]
    other = item("browser/caches/test_kv_cache.py::test_c")
    assert deep(*flows, other) == ["test_a[y]", "test_b"]


def test_marks_and_whole_files_are_deep_and_the_library_is_sampled():
    assert deep(item("test_trace.py::test_a", slow=True), item("test_trace.py::test_b")) == ["test_a"]
    assert deep(item("browser/test_window.py::test_a")) == ["test_a"]
    cases = [item(f"caches/test_kinds.py::test_a[{case}]") for case in range(6)]
    assert deep(*cases) == [f"test_a[{case}]" for case in (1, 2, 3, 5)]


def open_page():
    """The name is what counts."""


def test_what_opens_the_app_is_told_by_what_its_functions_name():
    def asks_data():
        return len(FILES)

    def opens():
        open_page()

    file = "pages/caches/test_serving.py"
    first, second = item(f"{file}::test_first", opens), item(f"{file}::test_second", opens)
    assert deep(first, item(f"{file}::test_data", asks_data), second) == ["test_second"]


def test_pages_of_a_chapter_share_a_process_and_what_asks_every_page_can_be_asked_for_some():
    own = "tests/pages/caches/test_serving.py::test_a"
    generic = f"{EVERY_PAGE[-1]}::test_a[caches/serving]"
    assert rings.group(own) == rings.group("tests/pages/test_links.py::test_a[caches/serving]")
    assert rings.group(own) != rings.group("tests/pages/cost/test_pipeline.py::test_a")
    assert rings.group("tests/test_trace.py::test_a") == "tests/test_trace.py"
    items = [
        item(name.removeprefix("tests/"))
        for name in (own, generic, generic.replace("serving", "kv_cache"), f"{EVERY_PAGE[-1]}::test_b")
    ]
    rings.keep_pages(items, ["caches/serving"])
    assert [each.nodeid for each in items] == [own, generic, f"{EVERY_PAGE[-1]}::test_b"]
