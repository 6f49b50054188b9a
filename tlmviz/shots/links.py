"""Links of the app, read before any browser opens them: which page, which fields, are there such."""

from __future__ import annotations

import difflib
import functools
import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit

from tlmviz.errors import BadShot
from tlmviz.hosting.server import PACKAGE, app_file

QUOTED = re.compile(r"""["']([A-Za-z_][\w-]*)["']""")
HOST = re.compile(r"[\w.-]+:\d")  # localhost:8501/pipeline, whose host is no scheme
# Fields that a picture is taken without: those that Streamlit reads itself, and the question that would stand in its
# place.
LEFT_OUT = ("embed", "embed_options", "guess")


@dataclass(frozen=True)
class Link:
    """A link of the app: what was written, the page's path ("" for the first), and its fields."""

    text: str
    page: str
    fields: tuple[tuple[str, str], ...]

    def address(self, server: str) -> str:
        """Where a server shows the page without its sidebar. `server` ends with a slash."""
        fields = [*self.fields, ("embed", "true")]
        page = "" if self.page == home() else self.page
        if self.page == home() and not self.fields:  # a visit without any field would begin on the page Start
            fields.append(("shot", "1"))
        return f"{server}{page}?{urlencode(fields)}"


def read_link(text: str) -> Link:
    """A whole link of any host, `/page?fields`, `page?fields` or `?fields`; an app may be served below a path of its
    host.

    Raises BadShot where it is none, and where this app has no such page or field.
    """
    written = text.strip()
    try:
        parts = urlsplit(f"//{written}" if HOST.match(written) else written)
    except ValueError:  # half of an IPv6 address
        parts = None
    if not written or parts is None or parts.scheme not in ("", "http", "https") or (parts.scheme and not parts.netloc):
        raise BadShot(
            f"{text!r} is no link of the app; give one such as /explorer?head=5.4, or copy it from the browser."
        )
    page = page_of(parts.path)
    fields = tuple(
        (name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True) if name not in LEFT_OUT
    )
    for name, _ in fields:
        if name not in field_names():
            raise BadShot(
                f"The link of {page or 'the first page'} names a field {name!r}, which no page has; copy it from the "
                "browser."
            )
    return Link(written, page, fields)


def page_of(path: str) -> str:
    """The page at the path of a link: the last part, or "", the first page, where that is the folder the app is served
    below.

    Raises BadShot where this app has no such page.
    """
    page = path.strip("/").rpartition("/")[2]
    known = pages()
    near = difflib.get_close_matches(page, known, 1)
    if page in known or not page:
        return page
    if path.endswith("/") and not near:
        return ""
    hint = f"; did you mean {near[0]}?" if near else f"; the pages are {', '.join(known)}."
    raise BadShot(f"There is no page {page!r}{hint}")


@functools.cache
def pages() -> tuple[str, ...]:
    """The paths of all pages."""
    return tuple(sorted(file.parent.name for file in (app_file().parent / "pages").glob("*/*/page.py")))


@functools.cache
def home() -> str:
    """The path of the page that is shown where a link names none; Streamlit knows it by no other path than "/"."""
    text = (app_file().parent / "pages" / "__init__.py").read_text(encoding="utf-8")
    named = re.search(r'^HOME = "\w+/(\w+)"', text, re.MULTILINE)
    return named[1] if named else ""


@functools.cache
def field_names() -> frozenset[str]:
    """Every word in quotes in the sources of the pages and of what they share: the name of each field is among them."""
    sources = [*(app_file().parent / "pages").rglob("*.py"), *(PACKAGE / "ui").rglob("*.py")]
    return frozenset(name for file in sources for name in QUOTED.findall(file.read_text(encoding="utf-8")))


def changed_fields(link: Link, shown: str) -> list[tuple[str, str, str]]:
    """The fields that the page did not take as they were given: name, what was given, what the address `shown` says.

    A field that went out of the address is the page's default, or nonsense that gave way to it.
    """
    now = dict(parse_qsl(urlsplit(shown).query, keep_blank_values=True))
    given = dict(link.fields)
    return [
        (name, value, now[name])
        for name, value in given.items()
        if name in now and sorted(now[name].split(",")) != sorted(value.split(",")) and now[name] != value
    ]
