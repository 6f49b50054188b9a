"""The texts that a visitor reads, as one file for translators: `make texts` writes texts.pot, page by page.

`stray` names the sentences that lie where no translator would look; tests/test_texts.py lets none pass.
"""

from __future__ import annotations

import ast
import builtins
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pygments.lexers.javascript import JavascriptLexer
from pygments.token import Comment, String

from pages import ALL

ROOT = Path(__file__).resolve().parents[1]
SENTENCE = 4  # words
WORD = re.compile(r"[(“‘\"'*_…]*[^\W\d_]+(?:[-’'][^\W\d_]+)*[)”’\"'*_.,:;?!…]*")
_ESCAPES = {"n": "\n", "t": "\t"}
HOLE = "\ufffc"  # where a text takes a number or a name, while its words are counted
PLACES = (
    "words",
    "examples",
    "controls",
)  # modules of a page, and packages; "controls_rules" is one of "controls"
UI_PLACES = ("texts.py", "glossary.py", "tours")  # in tlmviz/ui
MARKUP = re.compile(
    r"\{[^{}]*:[^{}]*[;}]|gradient\(|\[[\w-]+=|<!doctype|<style", re.IGNORECASE
)  # CSS, selectors, pages


class Found(NamedTuple):
    """A string of a file: its line, what it says with {expressions} for what is put in, and the same with holes for these."""

    line: int
    text: str
    static: str


class Text(NamedTuple):
    """A text: the file below the root, its line, and what it says."""

    file: str
    line: int
    text: str


def words_of(text: str) -> list[str]:
    """The words of a text: what between spaces is letters, with its punctuation. Code, CSS and formulas have few."""
    return [part for part in text.split() if WORD.fullmatch(part)]


def is_sentence(static: str) -> bool:
    """Whether a string says something in words: four or more, not all of them symbols, and neither code nor markup."""
    words = words_of(static)
    spoken = len(words) >= SENTENCE and sum(len(word) > 2 for word in words) >= 2
    return spoken and not MARKUP.search(static) and not _is_code(static)


def _is_code(static: str) -> bool:
    try:
        ast.parse(re.sub(rf"{HOLE}|\{{\w+\}}", "x", static))
    except (SyntaxError, ValueError):
        return static.startswith("import ")  # of a snippet whose holes are no expressions
    return True


def of_python(source: str) -> Iterator[Found]:
    """Every string but docstrings, annotations and what built-in exceptions say, which only developers read."""
    tree = ast.parse(source)
    silent = {part for node in ast.walk(tree) for part in _silent(node)}
    for node in ast.walk(tree):
        if node in silent:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield Found(node.lineno, node.value, node.value)
        elif isinstance(node, ast.JoinedStr):
            plain = [str(part.value) if isinstance(part, ast.Constant) else "" for part in node.values]
            text = "".join(said or _hole(part) for said, part in zip(plain, node.values))
            yield Found(node.lineno, text, "".join(said or HOLE for said in plain))


def _silent(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        yield node.value
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        yield from ast.walk(node.exc) if getattr(node.exc.func, "id", "") in dir(builtins) else ()
    if isinstance(node, ast.JoinedStr):  # its parts are no strings of their own
        yield from (part for part in node.values if isinstance(part, ast.Constant))
    if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
        yield from ast.walk(node.format_spec)
    for name in ("annotation", "returns"):
        if isinstance(annotation := getattr(node, name, None), ast.AST):
            yield from ast.walk(annotation)


def _hole(part: ast.expr) -> str:
    return "{" + ast.unparse(part.value if isinstance(part, ast.FormattedValue) else part) + "}"


def of_javascript(source: str) -> Iterator[Found]:
    """Every string and template of a script; a template within another one is found on its own too."""
    line = 1
    open_templates: list[Found] = []
    in_hole: list[bool] = []  # of each open template: whether the reader is in one of its expressions
    for kind, value in JavascriptLexer(ensurenl=False, stripnl=False).get_tokens(source):
        text = static = value
        if kind is String.Backtick and value == "`":
            if in_hole and not in_hole[-1]:  # the end of the innermost template
                ended = open_templates.pop()
                yield Found(ended.line, _unescaped(ended.text), ended.static)
                in_hole.pop()
                text, static = f"`{ended.text}`", ""
            else:
                open_templates.append(Found(line, "", ""))
                in_hole.append(False)
                text = static = ""
        elif kind is String.Interpol and in_hole:
            in_hole[-1] = value == "${"
            text, static = ("{", HOLE) if in_hole[-1] else ("}", "")
        elif kind in (String.Double, String.Single):
            yield Found(line, said := _unescaped(value[1:-1]), said)
        if open_templates and kind not in Comment:
            at, before, counted = open_templates[-1]
            kept = static if not in_hole[-1] and kind in String or static == HOLE else ""
            open_templates[-1] = Found(at, before + text, counted + kept)
        line += value.count("\n")


def _unescaped(text: str) -> str:
    """What a script's string says: its escapes read."""
    return re.sub(r"\\(u[0-9a-fA-F]{4}|.)", lambda escape: _ESCAPES.get(escape[1]) or _sign(escape[1]), text)


def _sign(escape: str) -> str:
    return chr(int(escape[1:], 16)) if len(escape) == 5 else escape


def texts_of(path: Path) -> list[Found]:
    """The strings of a file."""
    source = path.read_text(encoding="utf-8")
    return sorted(of_javascript(source) if path.suffix == ".js" else of_python(source))


def is_place(file: str) -> bool:
    """Whether a translator looks into a file: see docs/adding.md."""
    parts = Path(file).parts
    if file.endswith(".js"):
        return parts[-1] == "words.js"
    if parts[0] == "tlmviz":
        return parts[2] in UI_PLACES
    if len(parts) < 4:
        return file == "pages/__init__.py"
    return any(part.removesuffix(".py").split("_")[0] in PLACES for part in parts[3:])


def files(root: Path = ROOT) -> list[str]:
    """Every Python file and script of the pages and of what they share, below the root."""
    found = [path for folder in ("pages", "tlmviz/ui") for path in (root / folder).rglob("*")]
    return sorted(path.relative_to(root).as_posix() for path in found if path.suffix in (".py", ".js"))


def stray(root: Path = ROOT) -> list[Text]:
    """The sentences that lie where no translator would look; pages repeat their titles, which `pages/__init__.py` has."""
    titles = {page.title for page in ALL}
    return [
        Text(file, found.line, found.text)
        for file in files(root)
        if not is_place(file)
        for found in texts_of(root / file)
        if is_sentence(found.static) and found.text not in titles
    ]


def of_page(file: str) -> str:
    """Whose text a file holds: `chapter/page`, `pages` or `ui`."""
    parts = Path(file).parts
    if parts[0] == "tlmviz":
        return "ui"
    return "/".join(parts[1:3]) if len(parts) > 3 else "pages"


def listed(root: Path = ROOT) -> list[Text]:
    """All texts that lie in their places, labels of one word too: what has a word that begins with a capital, or two words."""
    return [
        Text(file, found.line, found.text)
        for file in files(root)
        if is_place(file)
        for found in texts_of(root / file)
        if _is_label(found.static) or is_sentence(found.static)
    ]


def _is_label(static: str) -> bool:
    words = words_of(static)
    shown = len(words) >= 2 or any(word[:1].isupper() and word[1:].islower() for word in words)
    return shown and not MARKUP.search(static) and not ("\n" in static and _is_code(static))


def template(texts: list[Text]) -> str:
    """A PO template (GNU gettext): each text once for each page, with every place where it lies."""
    places: dict[tuple[str, str], list[str]] = {}
    for file, line, text in texts:
        places.setdefault((of_page(file), text), []).append(f"{file}:{line}")
    entries = ['msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n']
    for (page, text), where in sorted(places.items(), key=lambda entry: entry[0][0]):
        references = "".join(f"#: {place}\n" for place in where)
        entries.append(f'{references}msgctxt {_quoted(page)}\nmsgid {_quoted(text)}\nmsgstr ""\n')
    return "\n".join(entries)


def _quoted(text: str) -> str:
    """A string as PO files write it: C's escapes are JSON's."""
    return json.dumps(text, ensure_ascii=False)


if __name__ == "__main__":
    sys.stdout.write(template(listed()))
