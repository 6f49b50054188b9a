"""What `import tlmviz` and the commands bring into a process: names are imported when they are asked for."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import tlmviz
from tlmviz import __main__ as commands
from tlmviz import cli
from tlmviz.cli.main import INTERRUPTED

HEAVY = (
    "torch",
    "numpy",
    "pandas",
    "scipy",
    "streamlit",
    "plotly",
    "sklearn",
    "transformers",
    "starlette",
    "prometheus_client",
    "pyarrow",
    "rapidfuzz",
    "opt_einsum",
    "tqdm",
    "playwright",
    "jinja2",
)
NEVER = (
    "streamlit",
    "plotly",
    "sklearn",
    "transformers",
    "starlette",
    "prometheus_client",
    "pyarrow",
    "pandas",
    "playwright",
)


def brought(code: str) -> set[str]:
    """The packages in a fresh process after this code, by their first names."""
    printed = (
        "import sys, json; print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", f"{code}\n{printed}"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stderr.splitlines()[-1]))


def test_the_import_brings_nothing():
    assert not brought("import tlmviz") & set(HEAVY)


def test_load_and_trace_bring_what_they_need():
    found = brought("import tlmviz; tlmviz.load('zoo-rope').trace('Tom saw a dog.').attention(0, 0)")
    assert "torch" in found and not found & set(NEVER)


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["list", "--help"], ["trace", "--help"], ["no-such"]])
def test_help_brings_nothing(arguments):
    code = f"from tlmviz.cli.main import main\ntry: main({arguments})\nexcept SystemExit: pass"
    assert not brought(code) & set(HEAVY)


def test_the_table_of_names_says_what_editors_read():
    """`_HOMES`, which runs, the imports for checkers, and `__all__`: the same names at the same places."""
    tree = ast.parse(Path(tlmviz.__file__).read_text(encoding="utf-8"))
    [block] = [node for node in tree.body if isinstance(node, ast.If)]
    read = {
        alias.name.replace("open_trace", "open"): node.module or alias.name
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert read == tlmviz._HOME
    assert set(tlmviz.__all__) == set(tlmviz._HOME) - {"open", "kernels", "monitoring"}
    assert all(hasattr(tlmviz, name) and name in dir(tlmviz) for name in tlmviz._HOME)


def test_a_star_import_leaves_open_alone():
    names: dict[str, object] = {}
    exec("from tlmviz import *", names)
    assert "open" not in names and names["load"] is tlmviz.load
    with pytest.raises(AttributeError, match="no attribute 'no_such'"):
        tlmviz.no_such  # noqa: B018


def test_every_command_has_its_module():
    for name in cli.COMMANDS:
        assert cli.command(name).run and cli.command(name).add_arguments


def test_a_reader_that_goes_away_is_no_error():
    command = [sys.executable, "-m", "tlmviz", "list"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        said = process.stderr.read()
    assert process.returncode == 0 and said == b"", said


def test_an_interrupted_command_says_nothing(monkeypatch, capsys):
    def stopped(options):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli.command("list"), "run", stopped)
    assert commands.main(["list"]) == INTERRUPTED
    assert capsys.readouterr() == ("", "")
