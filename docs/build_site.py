"""The documentation site: `make docs`, or `python -m docs.build_site [--pictures] [--app URL]` (packages:
requirements-docs.txt).

Markdown is generated into build/docs, beside copies of the documents and pictures at their own paths; MkDocs builds
`site/` from it, where a link that leads nowhere is an error. Pages show the pictures of the repository, or with
--pictures new ones, which `tlmviz shot` takes: minutes, and a browser.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pages import ALL, Page
from tlmviz.errors import BadShot
from tlmviz.shots import Options, shots
from tlmviz.site import write_site

from .galleries import GALLERIES, picture_of
from .page_table import DOCUMENT
from .pictures import pictures
from .site_pages import APP, ROOT, TRIED, app_link, nav, site

SOURCES, BUILT = ROOT / "build" / "docs", ROOT / "site"
PATTERNS = (
    "docs/*.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "benchmarks/README.md",
    "deploy/README.md",
    "models/*/card.md",
)
# Of the pages that run in the browser.
MODELS = ("stories-rope", "zoo-rope", "eng-fra", "pointer-hull", "words-negative")
LINK = re.compile(r"\]\(([^)#\s]+)")


def documents() -> list[str]:
    """The documents that the site repeats as they are, by their paths in the repository."""
    found = [path for pattern in PATTERNS for path in sorted(ROOT.glob(pattern)) if path != DOCUMENT]
    return [str(path.relative_to(ROOT)) for path in found]


def needed() -> Iterator[str]:
    """Files that go to the site as they are: documents, what they and the README link to, and all pictures."""
    for document in (written := documents()) + ["README.md"]:
        for target in LINK.findall((ROOT / document).read_text(encoding="utf-8")):
            path = (ROOT / document).parent / target
            if not urlsplit(target).scheme and path.is_file():
                yield str(path.resolve().relative_to(ROOT))
    yield from (name for name in written)
    yield from (str(path.relative_to(ROOT)) for path in ROOT.glob("docs/*.png"))
    for page, cards in GALLERIES.items():
        yield from (str(picture_of(page, card).relative_to(ROOT)) for card in cards)


def write(app: str, taken: Iterable[str]) -> None:
    """All of SOURCES but the pictures that were taken, and the configuration with the menu."""
    for name in sorted(set(needed()) - {"README.md"}):
        target = SOURCES / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target)
    for name, text in site(app, frozenset(taken)).items():
        target = SOURCES / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    config = {"INHERIT": "../docs/mkdocs.yml", "nav": nav(documents())}
    (ROOT / "build" / "mkdocs.yml").write_text(json.dumps(config), encoding="utf-8")  # JSON is YAML


def take() -> list[str]:
    """New pictures of all pages that have one, by `tlmviz shot`: their paths on the site. One that has none is
    named."""
    (SOURCES / "pictures").mkdir(parents=True)
    taken = []
    paths = [f"pictures/{page.path}.svg" for page in ALL]
    wanted = [(link_of(page), SOURCES / path) for page, path in zip(ALL, paths, strict=True)]
    for page, path, (_, made) in zip(ALL, paths, shots(wanted, Options(width=1100)), strict=True):
        if isinstance(made, BadShot):
            print(f"{page.title}: the picture of the repository stays. {made}", file=sys.stderr)
        else:
            taken.append(path)
    return taken


def link_of(page: Page) -> str:
    """The link that the picture of a page shows."""
    return app_link(APP, page, dict(pictures(page)[0].query))


class References(HTMLParser):
    """What a file of the site refers to: links, and what a browser loads by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the addresses of a tag."""
        given = dict(attrs)
        if tag == "a" and given.get("href"):
            self.links.append(str(given["href"]))
        elif tag == "link" and given.get("rel") in ("stylesheet", "icon", "preload", "preconnect"):
            self.loaded.append(str(given.get("href")))
        elif tag in ("script", "img", "iframe", "source") and given.get("src"):
            self.loaded.append(str(given["src"]))


def faults(built: Path) -> list[str]:
    """What is wrong with a built site: files that a page refers to and that are not there, or that other hosts would
    send."""
    found = []
    for file in sorted(built.rglob("*.html")):
        references = References()
        references.feed(file.read_text(encoding="utf-8"))
        where = file.relative_to(built)
        found += [f"{where} loads {url}" for url in references.loaded if urlsplit(url).netloc]
        for url in references.links + references.loaded:
            parts = urlsplit(url)
            if parts.scheme or parts.netloc or not parts.path:
                continue
            base = built if parts.path.startswith("/") else file.parent
            target = base / unquote(parts.path).lstrip("/")
            if not (target / "index.html" if target.is_dir() else target).is_file():
                found.append(f"{where} leads to {url}, which is not there")
    return found


def main() -> int:
    """Write, build and check."""
    parser = argparse.ArgumentParser(description=str(__doc__), formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", action="store_true", help="take the pages' pictures anew; needs the extra `shot`")
    parser.add_argument("--app", default=APP, help=f"where links to the app lead, {APP} unless given")
    options = parser.parse_args()
    shutil.rmtree(SOURCES, ignore_errors=True)
    write(options.app.rstrip("/") + "/", take() if options.pictures else ())
    write_site(SOURCES / TRIED, MODELS)
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--clean", "-f", "build/mkdocs.yml"]
    if status := subprocess.run([*command, "-d", str(BUILT)], cwd=ROOT).returncode:
        return status
    wrong = faults(BUILT)
    print(
        "\n".join(wrong)
        or f"{BUILT.name}/index.html: {len(list(BUILT.rglob('*.html')))} pages, every link leads somewhere"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
