"""What the page Glossary claims, counted anew in the pages' texts."""

import re
from functools import cache

from pages import ALL
from pages.start.glossary import claims, data
from pages.start.glossary.state import Glossary
from tests.pages.states import agree, each_speaks_and_is_silent
from tlmviz.ui import glossary

FORMS = {forms[0]: forms for forms in glossary.TERMS.values()}
OTHERS = [page for page in ALL if page.folder != data.OWN]


def using(name: str) -> list:
    """The pages in whose texts a term stands."""
    known = {folder: count for folder, count in _counted(name)}
    return [page for page in OTHERS if known.get(page.folder)]


def _counted(name: str):
    for page in OTHERS:
        yield page.folder, _counts(page)[name]


@cache
def _counts(page):
    """Of every term, in a page's texts."""
    return glossary.count_in("\n".join(data.texts_of(page)))


PLAINLY = {
    "lit_is_used": lambda shown: _used(name) if (name := _asked(shown)) and using(name) else None,
    "lit_is_not_used": lambda shown: (name,) if (name := _asked(shown)) and not using(name) else None,
    "used_most": lambda shown: None if _asked(shown) else _most(shown),
}


def _asked(shown: data.Data) -> str | None:
    return glossary.named(shown.chosen.asked) if shown.chosen.asked else None


def test_every_claim_is_counted_and_silent_elsewhere():
    found = []
    for asked in ("", "softmax", "SOFTMAX", "no such", "KV cache", "perplexity"):
        shown = data.Data(Glossary(find="", asked=asked))
        found.append(agree(claims.CLAIMS, PLAINLY, shown, shown))
    each_speaks_and_is_silent(found)


def _used(name: str) -> tuple:
    counts = dict(_counted(name))
    pages, times = [count for count in counts.values() if count], max(counts.values())
    title = next(page.title for page in OTHERS if counts[page.folder] == times)
    return times, name, len(pages), len(OTHERS), title


def _most(shown: data.Data) -> tuple:
    counts = {entry.name: len(using(entry.name)) for entry in shown.entries}
    best = max(counts, key=lambda name: counts[name])
    assert len(re.findall(r"\w", best)) > 1
    return (len(FORMS), best, counts[best], len(OTHERS))
