"""Which pages and lessons use which term: counted in their texts, as their sources have them."""

from __future__ import annotations

import ast
import contextlib
import functools
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pages import ALL, Page
from tlmviz.ui import glossary
from tlmviz.ui.lessons.parts import Lesson
from tlmviz.ui.lessons.table import LESSONS

from .explained import Shown, explained
from .state import Glossary

PAGES = Path(__file__).resolve().parents[2]
OWN = "start/glossary"  # whose words say nothing about where a term is used
_PARSING = threading.Lock()  # visitors of a fresh server come at once, and two threads that parse make Python 3.11 fail
WRITTEN = ("claims.py", "examples.py")  # all strings of these are for visitors


@dataclass(frozen=True)
class Entry:
    """A term: its name, other forms of it, what it means, and who uses it, most often first.

    `pages` with how often their texts have it; `lessons` whose texts have it, most often first; `shown` where a page's
    example shows what it means.
    """

    name: str
    aliases: tuple[str, ...]
    text: str
    pages: tuple[tuple[Page, int], ...]
    lessons: tuple[Lesson, ...]
    shown: Shown


@dataclass(frozen=True)
class Data:
    """What the page shows."""

    chosen: Glossary

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Every term, in the order of the alphabet."""
        return entries()

    @property
    def lit(self) -> Entry | None:
        """The term that the link names by any of its forms; None where there is none."""
        name = glossary.named(self.chosen.asked.strip())
        return next((entry for entry in self.entries if entry.name == name), None)

    @property
    def pages(self) -> int:
        """In whose texts terms are counted."""
        return sum(page.folder != OWN for page in ALL)


def texts(source: str) -> Iterator[str]:
    """The texts of a module for visitors: its strings, without docstrings, equations, and code, which alone has several
    lines."""
    tree = _parsed(source)
    inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    inner |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        text = ""
        if isinstance(node, ast.JoinedStr):
            text = " … ".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner:
            text = node.value
        if text and "\n" not in text and "\\" not in text:
            yield text


def _parsed(source: str) -> ast.Module:
    """Its tree. Python 3.11 fails where another thread parses meanwhile, which wording a traceback does too: then once
    more."""
    for _ in range(9):
        with contextlib.suppress(SystemError):
            return ast.parse(source)
    return ast.parse(source)


def texts_of(page: Page) -> list[str]:
    """All texts of a page: its title, the sentence on it, its claims and examples, and what its other modules label and
    say.

    In these a text for visitors has several words and begins with a capital; other strings are names.
    """
    found = [page.title, page.shows]
    for path in sorted((PAGES / page.folder).rglob("*.py")):
        every = texts(path.read_text(encoding="utf-8"))
        if any(path.match(name) for name in WRITTEN):
            found += every
        else:
            found += [text for text in every if " " in text and text.strip("*: ")[:1].isupper()]
    return found


def _texts_of_lesson(lesson: Lesson) -> list[str]:
    """What a lesson says, as its module has it."""
    source = Path(sys.modules[lesson.plot.__module__].__file__ or "").read_text(encoding="utf-8")
    return [text for text in texts(source) if " " in text]


def entries() -> tuple[Entry, ...]:
    """Every term, in the order of the alphabet. Sources do not change while the app runs."""
    with _PARSING:
        return _entries()


@functools.cache
def _entries() -> tuple[Entry, ...]:
    pages = {page: glossary.count_in("\n".join(texts_of(page))) for page in ALL if page.folder != OWN}
    told = {name: glossary.count_in("\n".join(_texts_of_lesson(each))) for name, each in LESSONS.items()}

    def entry(text: str, forms: tuple[str, ...]) -> Entry:
        name = forms[0]
        using = Counter({page: found[name] for page, found in pages.items() if found[name]})
        taught = Counter({lesson: found[name] for lesson, found in told.items() if found[name]})
        return Entry(
            name,
            forms[1:],
            text,
            tuple(using.most_common()),
            tuple(LESSONS[lesson] for lesson, _ in taught.most_common()),
            explained()[name],
        )

    every = (entry(text, forms) for text, forms in glossary.TERMS.items())
    return tuple(sorted(every, key=lambda each: each.name.strip("[").lower()))
