"""What tlmviz costs before it does anything: CPU seconds beyond `import torch`, what it brings, and its wheels.

`python benchmarks/package.py [--rounds N] [--no-wheel]`: medians of N fresh processes, in turns. Wheels are built with
what is installed here.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import tomllib
from importlib.metadata import requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
PROJECTS = {
    "": 20.0,
    "packages/app": 100.0,
    "packages/models": 100.0,
    "packages/models-translation": 100.0,
    "packages/models-zoo": 100.0,
}  # folder -> bar of its wheel, MB
BAR = 0.3  # CPU seconds of `import tlmviz` beyond torch
MEASURED = {  # label -> what runs; those of HELP without torch
    "import tlmviz": "import torch; begin(); import tlmviz",
    "tlmviz.load": "import torch; begin(); import tlmviz; tlmviz.load",
    'tlmviz.load("zoo-rope")': "import torch; begin(); import tlmviz; tlmviz.load('zoo-rope')",
    "tlmviz --help": "begin(); run('--help')",
    "tlmviz list": "import torch; begin(); run('list')",
}
CODE = """
import contextlib, io, json, sys, time
def begin():
    global start, before
    start, before = (time.process_time(), time.perf_counter()), set(sys.modules)
def run(*arguments):
    from tlmviz.cli.main import main
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        main(arguments)
{code}
end = time.process_time(), time.perf_counter()
new = {{name.split(".")[0] for name in set(sys.modules) - before}} - set(sys.stdlib_module_names)
print(json.dumps([end[0] - start[0], end[1] - start[1], sorted(name for name in new if name.isidentifier())]))
"""


def once(code: str) -> tuple[float, float, list[str]]:
    """CPU and wall seconds of one fresh process, and the packages that came."""
    command = [sys.executable, "-c", CODE.format(code=code)]
    cpu, wall, new = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout)
    return cpu, wall, new


def wheel_size(project: str) -> tuple[str, float]:
    """Name of the wheel of a project in this tree, and its MB."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "--no-index"]
        subprocess.run([*command, "-w", folder, str(ROOT / project)], check=True)
        [path] = Path(folder).glob("*.whl")
        return path.name, path.stat().st_size / 1e6


def brought(extras: str = "") -> list[str]:
    """The distributions that `pip install tlmviz[extras]` brings here, by what is installed: a name for each."""
    found: set[str] = set()
    waiting = [("tlmviz", PROJECT["dependencies"] + [each for name in extras.split() for each in EXTRAS[name]])]
    while waiting:
        name, lines = waiting.pop()
        found.add(name)
        others = [line for line in map(Requirement, lines) if not line.name.startswith("tlmviz-")]
        plain = [line for line in others if line.marker is None or line.marker.evaluate({"extra": ""})]
        waiting += [(own, requires(own) or []) for line in plain if (own := canonicalize_name(line.name)) not in found]
    return sorted(found - {"tlmviz"})


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--no-wheel", action="store_true")
    options = parser.parse_args()
    rounds = [{label: once(code) for label, code in MEASURED.items()} for _ in range(options.rounds)]
    for label in MEASURED:
        cpu, wall = (statistics.median(each[label][k] for each in rounds) for k in (0, 1))
        missed = "  MISSED" if label == "import tlmviz" and cpu > BAR else ""
        print(f"{label:26} {cpu:6.2f} CPU s {wall:6.2f} s   {' '.join(rounds[0][label][2])}{missed}")
    for extras in ("", "app"):
        names = brought(extras)
        print(f"pip install tlmviz[{extras}] brings {len(names)} packages: {' '.join(names)}")
    if not options.no_wheel:
        for project, bar in PROJECTS.items():
            name, size = wheel_size(project)
            print(f"{name:56} {size:6.1f} MB, bar {bar:g}{'' if size <= bar else '  MISSED'}")


if __name__ == "__main__":
    main()
