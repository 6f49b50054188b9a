"""Custom components: ES modules that are joined into the one script that Streamlit sends, and their style."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

ENTRY = "view.js"
CANVAS = Path(__file__).parent / "canvas"  # "#canvas/x.js" in an import, for Node and TypeScript by package.json
BROWSER = Path(__file__).parents[2] / "browser"  # "#browser/x.js"
SITE = Path(__file__).parents[2] / "site"  # "#site/x.js"
SHARED = {"#canvas/": CANVAS, "#browser/": BROWSER, "#components/": Path(__file__).parent, "#site/": SITE}
SOURCE = (
    "?source"  # behind a file's name in an import: what is imported is the text of that file's `module`, for a worker
)
EVERYONE = CANVAS / "everyone.css"  # for fingers, for those who asked for less motion, and on paper
IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";\n', re.MULTILINE)
IMPORTED = re.compile(r'^import (\{[^}]*\}|\w+) from "([^"]+)";\n', re.MULTILINE)  # a view, too, its module's default
DOCUMENTATION = re.compile(r"^ *(?:/\*\*(?:[^*]|\*(?!/))*\*/|//.*)\n", re.MULTILINE)  # comments that fill their lines
EXPORT = re.compile(r"^export (?=function\b|const\b|let\b|class\b)", re.MULTILINE)


def module(folder: Path, entry: str = ENTRY) -> str:
    """The `entry` of a `folder` and all that it imports, joined into one ES module that imports nothing.

    Every file comes once, after those that it imports. Their top-level names share one scope, so that files may import
    each other's functions in a circle. Raises ValueError for imports other than `import { a, b } from "./file.js";`.
    """
    texts: dict[Path, str] = {}
    _collect((folder / entry).resolve(), texts, set())
    return "\n".join(texts.values())


def separate(entry: Path, place: Callable[[Path], str]) -> dict[str, str]:
    """An `entry` and all that it imports as modules of their own: the address that `place` gives each -> its text.

    What several entries import is one module, which a browser fetches once. Raises ValueError as `module`.
    """
    found: dict[str, str] = {}
    waiting = [entry.resolve()]
    while waiting:
        path = waiting.pop()
        own = place(path)
        if own in found:
            continue
        text = path.read_text(encoding="utf-8")
        for names, source in IMPORTED.findall(text):
            target = _target(path, source.removesuffix(SOURCE))
            address = place(target)
            if source.endswith(SOURCE):
                address = address.removesuffix(".js") + ".source.js"
                found[address] = f"export {_as_text(names.strip('{}'), target)}"
            else:
                waiting.append(target)
            relative = os.path.relpath(address, os.path.dirname(own)).replace(os.sep, "/")
            text = text.replace(
                f'from "{source}";\n', f'from "{relative if relative[0] == "." else f"./{relative}"}";\n'
            )
        found[own] = DOCUMENTATION.sub("", text)
    return found


def component(
    name: str, folder: Path, html: str | None = None, entry: str = ENTRY, isolated: bool = True
) -> Callable[..., Any]:
    """Register the view of a `folder`: its `module` and its `style`. Called once, when a view is imported.

    Unless `isolated`, it lies in the page itself and not in a shadow root.
    """
    import streamlit as st  # late: notebooks join scripts too, without an app

    return st.components.v2.component(
        name, css=style(folder, isolated) or None, html=html, js=module(folder, entry), isolate_styles=isolated
    )


def style(folder: Path, isolated: bool = True) -> str:
    """The view.css of a view, if there is one, and what all views share; the page itself has that, so only to one
    `isolated`."""
    paths = (folder / "view.css", EVERYONE) if isolated else (folder / "view.css",)
    return "\n".join(path.read_text(encoding="utf-8") for path in paths if path.exists())


def _target(path: Path, source: str) -> Path:
    """The file that an import of the file `path` names."""
    for prefix, folder in SHARED.items():
        if source.startswith(prefix):
            return (folder / source.removeprefix(prefix)).resolve()
    return (path.parent / source).resolve()


def _as_text(names: str, target: Path) -> str:
    """The declaration of what `?source` imports: the text of a file's `module`."""
    return f"const {names.strip()} = {json.dumps(module(target.parent, target.name))};\n"


def _collect(path: Path, texts: dict[Path, str], visited: set[Path]) -> None:
    """Add what a file imports and then the file itself to `texts`, without import, export and documentation."""
    if path in visited:
        return
    visited.add(path)
    text = path.read_text(encoding="utf-8")
    for names, source in IMPORT.findall(text):
        if " as " in names:
            raise ValueError(f"{path.name}: joined files share one scope, so an import cannot be renamed.")
        target = _target(path, source.removesuffix(SOURCE))
        if source.endswith(SOURCE):
            texts[target.with_name(target.name + SOURCE)] = _as_text(names, target)
        else:
            _collect(target, texts, visited)
    text = IMPORT.sub("", text)
    if re.search(r"^import\b", text, re.MULTILINE):
        raise ValueError(f'{path.name}: write an import as `import {{ a, b }} from "./file.js";`.')
    texts[path] = DOCUMENTATION.sub("", EXPORT.sub("", text))
