"""Runs JavaScript modules of the repository with Node.js, so that Python tests can compare their results with
NumPy's."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
FUSED = "--experimental-wasm-relaxed-simd"  # what browsers have by default


def node(*arguments: str) -> list[str]:
    """The command that runs Node.js. Without it the test fails: a view whose arithmetic nobody checks is a broken view.

    Its compiler has no thread of its own: one that is still at work when the process ends may keep it from ending for
    ever (https://github.com/nodejs/node/issues/54918).
    """
    found = shutil.which("node")
    if found is None:
        pytest.fail(
            "Node.js is not installed, so the JavaScript of the views cannot be tested; "
            "install it, for example with `apt-get install nodejs`."
        )
    return [found, "--no-concurrent-recompilation", *arguments]


def evaluate(imports: dict[str, str], body: str, given: bytes | Any = None, *flags: str) -> Any:
    """What `body` assigns to `result`. `imports` maps a file below the repository's root to the names taken from it.

    `given` is there as `given`: bytes as they are, anything else by way of JSON. `flags` are Node.js's.
    """
    raw = given if isinstance(given, bytes) else json.dumps(given).encode()
    lines = [f'import {{ {names} }} from "./{path}";' for path, names in imports.items()]
    lines += ['import { readFileSync } from "node:fs";', "const raw = readFileSync(0);"]
    lines.append("const given = raw;" if isinstance(given, bytes) else "const given = JSON.parse(raw);")
    lines += ["let result;", body, "console.log(JSON.stringify(result));"]
    run = subprocess.run(
        node(*flags, "--input-type=module", "-e", "\n".join(lines)),
        input=raw,
        capture_output=True,
        cwd=ROOT,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr.decode()
    return json.loads(run.stdout)
