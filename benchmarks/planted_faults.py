"""Whether the tests guard: faults planted one at a time, and the test that turns red at each.

The faults are those of planted_faults.toml. Each is put into a temporary worktree of HEAD, where the test files that it
reaches (tests/affected.py) run, the nearest first, until a test is red: the core ring, then the deep one. A test that
is red without the fault too says nothing, and is left out. Every verdict is kept in a file at once: another run goes on
with what is missing.

    python benchmarks/planted_faults.py [--only NAME ...] [--area AREA] [--list] [--check] [--out FILE]
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]
TABLE = Path(__file__).with_suffix(".toml")
RINGS = {"core": "not deep", "deep": "deep"}  # in their order -> the expression that chooses their tests
NOT_RED, BROKEN = "not red", "broken"  # the other verdicts; broken: what failed did so before any test ran
PYTEST = "-m pytest -x -q -p no:cacheprovider -rfE --tb=no"
CHUNK = 20  # test files of one pytest
GREEN = (0, 5)  # pytest's exit codes where all passed, and where none was chosen
CUT = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)  # by somebody, and not by a fault
ITSELF = "tests/test_benchmarks.py::test_planted_faults"  # says that a planted fault cannot be planted: of every one
FAR = 99  # imports away: what a test file reaches otherwise than by imports
SUMMARY = re.compile(r"^(?:FAILED|ERROR) (?P<file>\S+\.py)(?P<test>::.*?(?:\[.*?\])?)?(?: - .*)?$", re.MULTILINE)


@dataclass(frozen=True)
class Fault:
    """One change: `text`, which stands once in `file`, gives way to `instead`. `breaks` says what a user would
    notice."""

    name: str
    area: str
    file: str
    text: str
    instead: str
    breaks: str

    def planted(self, root: Path) -> str:
        """The file with the fault. Raises ValueError unless the text stands there once."""
        source = (root / self.file).read_text(encoding="utf-8")
        if source.count(self.text) != 1:
            raise ValueError(f"{self.file} has {self.text!r} {source.count(self.text)} times")
        return source.replace(self.text, self.instead)


def read() -> list[Fault]:
    """All faults, in the order of the table."""
    return [Fault(**row) for row in tomllib.loads(TABLE.read_text(encoding="utf-8"))["fault"]]


def wrong_with(fault: Fault) -> str:
    """Why a fault cannot be planted in this checkout, or would be no more than an error of syntax; empty where it
    can."""
    try:
        source = fault.planted(ROOT)
        if fault.file.endswith(".py"):
            compile(source, fault.file, "exec")
    except (OSError, ValueError, SyntaxError) as error:
        return str(error)
    if not fault.file.endswith(".js"):
        return ""
    with tempfile.TemporaryDirectory() as folder:
        module = Path(folder) / "planted.mjs"
        module.write_text(source, encoding="utf-8")
        ended = subprocess.run(["node", "--check", module], capture_output=True, text=True)
    return ended.stderr.strip() if ended.returncode else ""


def check(faults: list[Fault]) -> int:
    """Say which faults cannot be planted; the exit status."""
    found = {fault.name: wrong for fault in faults if (wrong := wrong_with(fault))}
    for name, wrong in found.items():
        print(f"{name}: {wrong}")
    print(f"{len(faults) - len(found)} of {len(faults)} faults can be planted.")
    return int(bool(found))


# --- the worktree -----------------------------------------------------------------------------------------


def _git(*words: str) -> str:
    ended = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return ended.stdout.strip()


@contextlib.contextmanager
def worktree() -> Iterator[Path]:
    """A temporary worktree of HEAD, with the checkout's node_modules."""
    with tempfile.TemporaryDirectory(prefix="tlmviz-faults-") as folder:
        tree = Path(folder).resolve() / "tree"
        _git("worktree", "add", "--detach", str(tree), "HEAD")
        try:
            if (ROOT / "node_modules").exists():
                (tree / "node_modules").symlink_to((ROOT / "node_modules").resolve())
            yield tree
        finally:
            _git("worktree", "remove", "--force", str(tree))


@contextlib.contextmanager
def planted(tree: Path, fault: Fault) -> Iterator[None]:
    """The worktree with the fault in it."""
    file = tree / fault.file
    before = file.read_bytes()
    file.write_text(fault.planted(tree), encoding="utf-8")
    try:
        yield
    finally:
        file.write_bytes(before)


def affected_of(tree: Path) -> ModuleType:
    """The worktree's own tests/affected.py, whose paths are those of the worktree."""
    spec = importlib.util.spec_from_file_location("affected_in_the_worktree", tree / "tests" / "affected.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def imports_between(affected: ModuleType, test: Path, changed: Path) -> int:
    """How many imports lead from a test file to a changed one, 1 where it imports or names it; at most FAR."""
    seen, level, count = {test}, affected._imported(test) | affected._named(test), 1
    while level and changed not in level:
        seen |= level
        level = frozenset(far for each in level for far in affected._imported(each)) - seen
        count += 1
    return count if level else FAR


def reached(tree: Path, fault: Fault) -> tuple[list[str], list[str]]:
    """The test files that a fault reaches, and the options that pytest is given with them, as `make affected` has
    both."""
    with planted(tree, fault):
        command = [sys.executable, "-m", "tests.affected", "HEAD"]
        ended = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=True)
    words = ended.stdout.split()
    return [word for word in words if word[0] != "-"], [word for word in words if word[0] == "-"]


def nearest_first(affected: ModuleType, tree: Path, fault: Fault, tests: list[str]) -> list[list[str]]:
    """Test files, CHUNK at a time: those that import or name what is changed, then the others by how far they are from
    it; of both the flows in a browser last."""

    def place(test: str) -> tuple[bool, bool, int]:
        own = test == affected.JAVASCRIPT  # which runs what it does not import
        steps = 1 if own else imports_between(affected, tree / test, tree / fault.file)
        return steps > 1, test.startswith("tests/browser/"), steps

    places, chunks = {test: place(test) for test in tests}, []
    order = sorted(tests, key=lambda test: (places[test], test))
    for _, alike in itertools.groupby(order, lambda test: places[test][:2]):
        files = list(alike)
        chunks += [files[start : start + CHUNK] for start in range(0, len(files), CHUNK)]
    return chunks


# --- runs -------------------------------------------------------------------------------------------------


def pytest(tree: Path, *arguments: str) -> tuple[int, str]:
    """Run pytest in the worktree, one process, until the first red; its exit code and what it said."""
    command = [sys.executable, *PYTEST.split(), *arguments]
    with tempfile.TemporaryFile() as said:  # a pipe stays open as long as anything that a test left behind
        process = subprocess.Popen(
            command,
            cwd=tree,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = process.wait()
        finally:
            with contextlib.suppress(ProcessLookupError):  # servers and browsers, where the run was cut
                os.killpg(process.pid, signal.SIGKILL)
        if -code in CUT:
            sys.exit(f"pytest was ended by signal {-code}; another run begins this fault anew.")
        said.seek(0)
        return code, said.read().decode("utf-8", "replace")


def red(tree: Path, fault: Fault, arguments: list[str], tests: list[str], innocent: set[str]) -> tuple[str, str]:
    """The first of some tests that is red with the fault and green without, and what failed before any test ran; empty:
    none.

    A test that is red without the fault joins the `innocent` ones, which are left out from then on.
    """
    left, broken = list(tests), ""
    while left:
        without = [word for test in sorted(innocent) for word in ("--deselect", test)]
        with planted(tree, fault):
            code, said = pytest(tree, *arguments, *without, *left)
        if code in GREEN:
            break
        found = SUMMARY.search(said)
        if found is None or found["file"] not in left:
            return "", said.strip().rpartition("\n")[2][:200] or f"pytest ended with {code}"
        if found["test"] is None:  # the file could not be collected; the others are still asked
            broken = found["file"]
            left.remove(broken)
            continue
        test = found["file"] + found["test"]
        if pytest(tree, test)[0] == 0:
            return test, broken
        innocent.add(test)
    return "", broken


def judged(tree: Path, affected: ModuleType, fault: Fault, innocent: set[str]) -> dict:
    """The row of a fault: its verdict (a ring, NOT_RED or BROKEN), the red test, the test files it reaches, and the
    seconds."""
    began, (tests, given) = time.monotonic(), reached(tree, fault)
    chunks = nearest_first(affected, tree, fault, tests)
    verdict, test, broken = NOT_RED, "", ""
    for ring, chunk in itertools.product(RINGS, chunks):
        test, why = red(tree, fault, [*given, "-m", RINGS[ring]], chunk, innocent)
        broken = broken or why
        if test:
            verdict = ring
            break
    if broken and not test:
        verdict, test = BROKEN, broken
    return {
        "name": fault.name,
        "area": fault.area,
        "verdict": verdict,
        "test": test,
        "files": len(tests),
        "seconds": round(time.monotonic() - began),
    }


def judge(faults: list[Fault], kept: dict[str, dict], commit: str, out: Path) -> None:
    """Plant every fault that has no row yet; each row is written at once."""
    missing = [fault for fault in faults if fault.name not in kept]
    if not missing:
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    with worktree() as tree:
        code, said = pytest(tree, "--collect-only", "-m", " or ".join(RINGS.values()), "tests/test_affected.py")
        if code not in GREEN:
            sys.exit(f"The tests of {commit} cannot be collected:\n{said}")
        affected, innocent = affected_of(tree), {ITSELF}
        for fault in missing:
            row = kept[fault.name] = judged(tree, affected, fault, innocent) | {"commit": commit}
            with out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            print(f"{fault.name}: {row['verdict']} {row['test']} ({row['seconds']} s)", file=sys.stderr, flush=True)
        for test in sorted(innocent - {ITSELF}):
            print(f"left out, as it is red without any fault: {test}", file=sys.stderr)


def rows_of(out: Path, commit: str) -> dict[str, dict]:
    """The rows of a file that are of a commit, by the fault's name."""
    lines = out.read_text(encoding="utf-8").splitlines() if out.is_file() else []
    rows = [json.loads(line) for line in lines]
    return {row["name"]: row for row in rows if row["commit"] == commit}


def table(faults: list[Fault], rows: dict[str, dict], commit: str) -> str:
    """All rows in Markdown, and their sums by area and verdict."""
    said = [f"Commit {commit}.", "", "| area | fault | red | seconds |", "| --- | --- | --- | --- |"]
    found = [(fault, rows[fault.name]) for fault in faults if fault.name in rows]
    for fault, row in found:
        test = f": `{row['test']}`".replace("|", r"\|") if row["test"] else ""
        said.append(f"| {fault.area} | {fault.name}: {fault.breaks} | {row['verdict']}{test} | {row['seconds']} |")
    verdicts = (*RINGS, NOT_RED, BROKEN)
    said += ["", f"| area | faults | {' | '.join(verdicts)} |", "| --- " * (2 + len(verdicts)) + "|"]
    areas = [*dict.fromkeys(fault.area for fault, _ in found), "all"]
    for area in areas:
        counts = Counter(row["verdict"] for fault, row in found if area in (fault.area, "all"))
        said.append(f"| {area} | {counts.total()} | {' | '.join(str(counts[each]) for each in verdicts)} |")
    return "\n".join(said)


def options(faults: list[Fault]) -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=[fault.name for fault in faults])
    parser.add_argument("--area", choices=list(dict.fromkeys(fault.area for fault in faults)))
    parser.add_argument("--list", action="store_true", help="the faults, and what each breaks")
    parser.add_argument("--check", action="store_true", help="whether every fault can still be planted")
    parser.add_argument("--out", type=Path, default=ROOT / "runs" / "planted_faults.jsonl", help="where rows are kept")
    return parser.parse_args()


def main() -> int:
    """Plant the chosen faults, and print what came of all of them."""
    every = read()
    chosen = options(every)
    faults = [
        fault for fault in every if (not chosen.only or fault.name in chosen.only) and chosen.area in (None, fault.area)
    ]
    if chosen.list:
        print(*(f"{fault.area}: {fault.name} ({fault.file}): {fault.breaks}" for fault in faults), sep="\n")
        return 0
    if chosen.check:
        return check(faults)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the worktree goes
    commit = _git("rev-parse", "--short", "HEAD")
    rows = rows_of(chosen.out, commit)
    judge(faults, rows, commit, chosen.out)
    print(table(faults, rows, commit))
    return 0


if __name__ == "__main__":
    sys.exit(main())
