"""Modules of the engine stand in one script without a name twice: those that run models, with the view and for each
page whose picture follows typing, and those that train."""

import subprocess

import pytest

from tests.javascript.node import ROOT, node
from tlmviz.ui.components.scripts import module

ENGINE = ROOT / "tlmviz" / "browser"
VIEW = ROOT / "tlmviz" / "ui" / "components" / "attention_view"


READERS = [VIEW / "typing.js", *sorted((ROOT / "pages").rglob("reader.js"))]
TRAINING = sorted((ENGINE / "training").rglob("*.js"))
RUNNING = [*(path for path in sorted(ENGINE.rglob("*.js")) if path not in TRAINING), VIEW / "live.js"]


@pytest.mark.parametrize("files", [RUNNING, TRAINING], ids=["running", "training"])
def test_all_modules_join_into_one_script(tmp_path, files):
    (tmp_path / "all.js").write_text("".join(f'import {{ }} from "{path}";\n' for path in files), encoding="utf-8")
    check(module(tmp_path, "all.js"), tmp_path)


@pytest.mark.parametrize("reader", READERS, ids=lambda path: path.parent.name)
def test_what_reads_for_a_picture_is_one_script(tmp_path, reader):
    check(module(reader.parent, reader.name), tmp_path)


def check(text, tmp_path):
    script = tmp_path / "joined.mjs"
    script.write_text(text, encoding="utf-8")
    run = subprocess.run(node("--check", str(script)), capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
