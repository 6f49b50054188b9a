"""The two rings of the tests, and which tests share a process: rules by place and by order, a line each.

`make test` runs the core, all that is not deep; `make all` runs both, and `make affected` what a change reaches of
both.
"""

import functools
import re
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatch
from types import CodeType, FunctionType

import pytest
from xdist.scheduler import LoadScopeScheduling

from .affected import EVERY_PAGE

MARKS = ("slow", "quality")  # what takes long by itself, and what a model has learned: weights change seldom
# Files and functions that are deep whole: what looks at every page, card, old address or family once more.
DEEP = (
    "browser/test_deep_links.py::test_every_page_opens_by_its_link_and_is_for_everyone",
    "browser/test_window.py",  # windows and servers of their own
    "browser_engine/*::test_another_number_in_any_tensor_is_noticed",
    "pages/test_families.py",
    "pages/test_few_models.py",
    "pages/test_gallery_claims.py",
    "pages/test_links.py",
    "pages/workbench/test_doctor.py::test_every_fault_at_every_stop_is_named_with_its_number",
    "pages/test_moved.py::test_every_old_address_leads_to_a_page_with_all_that_it_says",
    "test_benchmarks.py::test_a_small_run",
    "test_benchmarks.py::test_trace",
    "test_benchmarks.py::test_a_press_costs_no_more_than_at_the_commit_before",
    "test_docs.py::test_*card*",
    "ui/lessons/test_lessons.py::test_what_lies_behind_a_scene_opens_in_its_state",
)
# Of a file's flows in a browser, and of its tests that open the app, the first so many are core, each with its first
# case alone.
FLOWS = {
    "browser/test_deep_links.py": 3,  # a fresh server is the third
    "browser/test_players.py": 0,
    "browser/*": 1,
    "pages/*/*": 1,
    "pages/test_guess.py": 1,
}
# Of each test in these, every so many-th case is core.
SAMPLED = {
    "analysis/attention/*": 8,
    "analysis/workbench/*": 8,
    "browser_engine/test_language_models.py": 3,
    "browser_engine/test_training_runs.py": 8,
    "browser_engine/test_translators.py": 8,
    "caches/*": 4,
    "checks/test_[!r]*": 4,
    "decoding/*": 4,
    "kernels/*": 2,
    "networks/*": 8,
    "pages/*_claims.py": 1,
    "pages/*/*": 3,
    "site/*": 4,
}
OPENS = {"open_page", "open_alone", "follow_link", "AppTest"}  # what opens the app without a browser
PAGE = re.compile(r"[\[-]([a-z_]+/[a-z_]+)\b")  # in a test's name, the page that it asks


def place(item: pytest.Item) -> str:
    """A test's file below tests/."""
    return item.nodeid.partition("::")[0].removeprefix("tests/")


def deep(items: list[pytest.Item]) -> Iterator[pytest.Item]:
    """Those of `items` that are deep."""
    flows: dict[str, list[str]] = {}
    cases: Counter = Counter()
    for item in items:
        file = place(item)
        name = f"{file}::{getattr(item, 'originalname', item.name)}"
        late, every = False, _rule(SAMPLED, file) or 1
        first = _rule(FLOWS, file)
        if first is not None and (file.startswith("browser/") or _opens_the_app(item)):
            names = flows.setdefault(file, [])
            if name not in names:
                names.append(name)
            late, every = names.index(name) >= first, len(items)
        if (
            late
            or cases[name] % every
            or any(item.get_closest_marker(mark) for mark in MARKS)
            or any(fnmatch(file, each) or fnmatch(name, each) for each in DEEP)
        ):
            yield item
        cases[name] += 1


def _rule(rules: dict[str, int], file: str) -> int | None:
    return next((count for pattern, count in rules.items() if fnmatch(file, pattern)), None)


def _opens_the_app(item: pytest.Item) -> bool:
    """Whether a test's function, a fixture of its file or a function of its file that these call opens the app."""
    fixtures = item._fixtureinfo.name2fixturedefs.values()
    functions = [item.function, *(definitions[-1].func for definitions in fixtures)]
    return any(_opens(each) for each in functions if each.__module__ == item.function.__module__)


@functools.cache
def _opens(function: FunctionType) -> bool:
    names = set(_names(function.__code__)) - {function.__name__}
    named = (function.__globals__.get(name) for name in names)
    named = [each.func if isinstance(each, functools.partial) else each for each in named]
    return bool((names | {getattr(each, "__name__", "") for each in named}) & OPENS) or any(
        isinstance(each, FunctionType) and each.__module__ == function.__module__ and _opens(each) for each in named
    )


def _names(code: CodeType) -> Iterator[str]:
    """The names of all that a function's code speaks of, inner functions' too."""
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)


def keep_pages(items: list[pytest.Item], pages: list[str]) -> None:
    """Take out what asks every page for other pages than these."""
    items[:] = [
        item
        for item in items
        if f"tests/{place(item)}" not in EVERY_PAGE or not (page := PAGE.search(item.name)) or page[1] in pages
    ]


def group(nodeid: str) -> str:
    """What runs in one process, one after the other: a chapter's pages, which share what they computed; else a file."""
    file, _, name = nodeid.partition("::")
    if file.startswith("tests/pages/"):
        chapter = re.match(r"tests/pages/(\w+)/", file) or PAGE.search(name)
        return f"pages of {chapter[1].partition('/')[0]}" if chapter else file
    return file


class InGroups(LoadScopeScheduling):
    """xdist's scheduler of scopes, with `group` as the scope."""

    def _split_scope(self, nodeid: str) -> str:
        return group(nodeid)
