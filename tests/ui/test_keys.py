"""Widgets of different pages share the session's state by key: one key must not name two kinds of widget."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WITHOUT_STATE = {"chart", "container", "attention_view"}


def widgets() -> dict[str, set[str]]:
    """Key -> the functions that are called with it as a constant."""
    found: dict[str, set[str]] = {}
    for path in [*(ROOT / "tlmviz" / "ui").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                for keyword in node.keywords:
                    if keyword.arg == "key" and isinstance(keyword.value, ast.Constant):
                        found.setdefault(keyword.value.value, set()).add(node.func.attr)
    return found


DECLARED = {"text": "text_input", "number": "number_input"}  # ui.state's names for Streamlit's widgets


def test_one_key_names_one_kind_of_widget():
    known = widgets()
    assert known["text"] == {"text"} and len(known) > 20  # declared once, by ui.state
    known = {key: {DECLARED.get(kind, kind) for kind in kinds} for key, kinds in known.items()}
    clashes = {key: kinds - WITHOUT_STATE for key, kinds in known.items() if len(kinds - WITHOUT_STATE) > 1}
    assert not clashes
