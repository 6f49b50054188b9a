"""The JavaScript unit tests, the joining of modules, and what holds for every script."""

import subprocess
from pathlib import Path

import pytest

from tests.javascript.node import ROOT, node
from tlmviz.ui.components.scripts import module

TESTS = sorted(Path(__file__).parent.glob("*.test.mjs"))
FOLDERS = ("tlmviz/ui/components/*/*.js", "tlmviz/browser/**/*.js", "tlmviz/site/*.js", "pages/**/*.js")
SCRIPTS = sorted(path for folder in FOLDERS for path in ROOT.glob(folder))
ENTRIES = [path for path in SCRIPTS if "\nexport default" in path.read_text(encoding="utf-8")]


def label(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_the_javascript_unit_tests_pass():
    run = subprocess.run(
        node("--test", "--test-reporter=tap", *map(str, TESTS)), cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "# pass 0" not in run.stdout and "# fail 0" in run.stdout


@pytest.mark.parametrize("entry", ENTRIES, ids=label)
def test_the_files_of_a_view_join_into_one_module(entry):
    """Two files with one top-level name would be a syntax error here."""
    text = module(entry.parent, entry.name)
    assert text.count("export default") == 1 and "\nimport " not in text and "\nexport function" not in text
    run = subprocess.run(node("--check", "--input-type=module"), input=text, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("path", SCRIPTS, ids=label)
def test_every_script_is_short_and_checked_for_types(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 320 and max(map(len, text.splitlines())) <= 160
    assert text.startswith("// @ts-check\n")


def test_users_texts_are_never_parsed_as_markup():
    assert not [label(path) for path in SCRIPTS if "innerHTML" in path.read_text(encoding="utf-8")]


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.js").write_text(text, encoding="utf-8")
    return folder


def test_joining_puts_every_file_once_behind_what_it_imports(tmp_path):
    folder = write(
        tmp_path,
        view='import { a } from "./a.js";\nimport { b } from "./b.js";\n/** Doc. */\nexport default () => a + b();\n',
        a='import { b } from "./b.js";\nexport const a = 1;\n',
        b='import { a } from "./a.js";\n// A circle.\nexport function b() {\n  return a;\n}\n',
    )
    text = module(folder)
    assert " ".join(text.split()) == "function b() { return a; } const a = 1; export default () => a + b();"


def test_the_canvas_folder_is_imported_by_its_short_name(tmp_path):
    text = module(write(tmp_path, view='import { debounce } from "#canvas/dom.js";\nexport default debounce;\n'))
    assert "function debounce(" in text and text.endswith("export default debounce;\n")


@pytest.mark.parametrize("line", ['import { a as b } from "./a.js";', 'import a from "./a.js";', 'import "./a.js";'])
def test_other_forms_of_import_are_refused(tmp_path, line):
    write(tmp_path, view=line + "\n", a="export const a = 1;\n")
    with pytest.raises(ValueError, match="view.js"):
        module(tmp_path)
