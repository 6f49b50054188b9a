"""Every launched kernel compiles for every target, in one process of its own; none may lack a case."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .compile_kernels import TARGETS, collect

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
CASES = collect()


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """What the compiler said, case by case. This process interprets kernels, so another one compiles them."""
    path = tmp_path_factory.mktemp("compile") / "report.json"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TRITON_")}
    done = subprocess.run(
        [sys.executable, "-m", "tests.kernels.compile_kernels", str(path)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("capability", TARGETS)
@pytest.mark.parametrize("index", range(len(CASES)), ids=lambda i: f"{CASES[i][0]}-{i}-{CASES[i][1].__name__}")
def test_compiles(report, index, capability):
    error = report[index][str(capability)]
    assert error is None, error


def is_jit(function: ast.FunctionDef) -> bool:
    named = (node.func if isinstance(node, ast.Call) else node for node in function.decorator_list)
    return any("jit" in (getattr(node, "attr", ""), getattr(node, "id", "")) for node in named)


def launched(sources: list[str]) -> set[str]:
    """Names of the jitted functions that no other jitted function calls: those a grid is given to."""
    functions = [
        node
        for source in sources
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and is_jit(node)
    ]
    calls = [node.func for function in functions for node in ast.walk(function) if isinstance(node, ast.Call)]
    return {function.name for function in functions} - {
        getattr(call, "id", getattr(call, "attr", "")) for call in calls
    }


def test_every_launched_kernel_has_a_case():
    files = (ROOT / "tlmviz" / "kernels").glob("*_triton.py")
    missing = launched([path.read_text(encoding="utf-8") for path in files]) - {case[1].__name__ for case in CASES}
    assert not missing, f"add cases to tests/kernels/compile_*.py for {', '.join(sorted(missing))}"


def test_the_reader_of_kernels_tells_launched_from_called():
    source = """
@triton.jit
def helper(x):
    return x

@triton.jit(do_not_specialize=["n"])
def kernel(x, n):
    helper(tl.load(x))

@triton.autotune(configs, key=[])
@jit
def tuned(x):
    module.other(x)

@triton.jit
def other(x):
    return x

def plain(x):
    kernel[(1,)](x)
"""
    assert launched([source]) == {"kernel", "tuned"}
