"""Which test files the changed files reach: `python -m tests.affected [BASE]` prints them, for `make affected`.

A test file reaches what it imports, what that imports, the files, pages and models that it names, and all that these
import. What nobody can trace (conftest, requirements) reaches everything.
"""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EVERYTHING = ("requirements", "pyproject.toml", "Makefile", "tests/conftest.py", "tests/typecheck.py", "tests/tiny.py")
# Ask every page there is: of these, a change reaches the cases of the pages that it reaches.
EVERY_PAGE = (
    "tests/browser/test_deep_links.py",
    "tests/pages/test_galleries.py",
    "tests/pages/test_hints.py",
    "tests/pages/test_link_keys.py",
    "tests/pages/test_links.py",
    "tests/pages/test_parts.py",
    "tests/ui/test_state.py",
)
LAYERING = "tests/test_layering.py"
JAVASCRIPT = "tests/javascript/test_javascript.py"  # the unit tests of scripts, and what holds for every one
SCRIPTS = (".js", ".mjs")
WORDS = re.compile(r"[\w./-]+")


def _git(*words: str) -> list[str]:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()


@functools.cache
def _folders() -> dict[str, frozenset[Path]]:
    """What a word in a test may name: a file of the repository, a page by its folder or the last part of it, a
    model."""
    found: dict[str, set[Path]] = {}
    for name in _git("ls-files", "--cached", "--others", "--exclude-standard"):
        parts, path = name.split("/"), ROOT / name
        names = [name]
        if parts[0] == "pages" and len(parts) > 3:
            names += ["/".join(parts[1:3]), f"page {parts[2]}"]
        if parts[0] == "models":
            names.append(parts[1])
        for each in names:
            found.setdefault(each, set()).add(path)
    return {name: frozenset(paths) for name, paths in found.items()}


@functools.cache
def _named(file: Path) -> frozenset[Path]:
    """What a file of the tests names."""
    words, folders = set(WORDS.findall(file.read_text(encoding="utf-8"))), _folders()
    if file.is_relative_to(ROOT / "tests" / "browser"):
        words |= {f"page {word}" for word in words}  # a flow opens a page by its path in a link
    return frozenset(path for word in words & folders.keys() for path in folders[word])


@functools.cache
def _imported(file: Path) -> frozenset[Path]:
    """The files that a Python file, or a JavaScript module, imports directly; a component has its folder's scripts."""
    if file.suffix in SCRIPTS:
        sources = re.findall(r'from "([^"]+)"', file.read_text(encoding="utf-8"))
        canvas = ROOT / "tlmviz/ui/components/canvas"
        paths = [canvas / each[8:] if each.startswith("#canvas/") else file.parent / each for each in sources]
        return frozenset(path.resolve() for path in paths if path.exists())
    if file.suffix != ".py":
        return frozenset()
    found, package = set(), file.relative_to(ROOT).parts[:-1]
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(filter(None, (base, node.module or "")))
            names = [module, *(f"{module}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in names:
            path = ROOT / name.replace(".", "/")
            found |= {each for each in (path.with_suffix(".py"), path / "__init__.py") if each.is_file()}
    return frozenset(found | set(file.parent.glob("*.js")))


@functools.cache
def reached(file: Path) -> frozenset[Path]:
    """All that a file reaches by imports, itself included."""
    seen, left = {file}, [file]
    while left:
        for each in _imported(left.pop()):
            if each not in seen:
                seen.add(each)
                left.append(each)
    return frozenset(seen)


def of_test(test: Path) -> frozenset[Path]:
    """All that a test file reaches: by imports, and by the pages and files that it, or what it imports of the tests,
    names."""
    own = {each for each in reached(test) if each.is_relative_to(ROOT / "tests")}
    named = {path for each in own if each.suffix == ".py" for path in _named(each)}
    pages = {path for path in named if path.suffix in (".py", *SCRIPTS)}
    if test.is_relative_to(ROOT / "tests" / "pages") or test.is_relative_to(ROOT / "tests" / "browser"):
        pages |= {ROOT / "pages" / "main.py", ROOT / "app.py"}
    return frozenset(reached(test) | named | {far for path in pages for far in reached(path)})


def files_of_tests() -> list[Path]:
    """Every test file."""
    return sorted((ROOT / "tests").rglob("test_*.py"))


def pages(changed: set[Path]) -> list[str]:
    """The folders of the pages that reach any of the changed files."""
    found = []
    for page in sorted((ROOT / "pages").glob("*/*/page.py")):
        own = {file for file in page.parent.rglob("*") if file.is_file()}
        if changed & own or any(changed & reached(file) for file in own):
            found.append("/".join(page.parent.relative_to(ROOT / "pages").parts))
    return found


def untraceable(changed: set[Path]) -> bool:
    return any(str(path.relative_to(ROOT)).startswith(EVERYTHING) for path in changed)


def affected(changed: set[Path]) -> list[Path]:
    """The test files that reach any of the changed files; all of them where a change cannot be traced."""
    if untraceable(changed):
        return files_of_tests()
    always = EVERY_PAGE if pages(changed) else ()
    if any(path.is_relative_to(ROOT / "pages") for path in changed):
        always += (LAYERING,)
    if any(path.suffix in SCRIPTS for path in changed):
        always += (JAVASCRIPT,)
    return [test for test in files_of_tests() if str(test.relative_to(ROOT)) in always or changed & of_test(test)]


def changes(base: str) -> set[Path]:
    """The files that differ from a commit, new ones included."""
    named = [*_git("diff", "--name-only", base), *_git("ls-files", "--others", "--exclude-standard")]
    return {ROOT / name for name in named}


if __name__ == "__main__":
    changed = changes(sys.argv[1] if len(sys.argv) > 1 else "HEAD")
    print(*(path.relative_to(ROOT) for path in affected(changed)), sep="\n")
    if not untraceable(changed) and (names := pages(changed)):
        print(f"--pages={','.join(names)}")
