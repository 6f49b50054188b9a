"""pyproject.toml agrees with the requirements files, and a wheel works by itself, in any folder."""

import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from urllib.request import urlopen

import pytest

import tlmviz
from tlmviz.cli.server import serve

ROOT = Path(__file__).resolve().parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]


def requirements(name: str) -> list[str]:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return [line.replace('"', "'") for line in lines if line and not line.startswith("#")]


def test_the_project_repeats_the_requirements():
    extras = PROJECT["optional-dependencies"]
    assert PROJECT["dependencies"] == requirements("requirements.txt")
    assert extras["dev"] == requirements("requirements-dev.txt")
    assert extras["train"] == requirements("requirements-train.txt")
    assert extras["docs"] == requirements("requirements-docs.txt")
    assert PYPROJECT["build-system"]["requires"][0] in extras["dev"]  # a wheel is built without a download


def test_python_is_named_alike_everywhere():
    assert PROJECT["requires-python"] == ">=3.11"
    assert PYPROJECT["tool"]["ruff"]["target-version"] == "py311"
    assert "Python 3.11 or newer" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert "sys.version_info < (3, 11)" in (ROOT / "Makefile").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of this tree, built with the packages at hand."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*command, "-w", str(folder), str(ROOT)], check=True)
    [path] = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    return tmp_path_factory.mktemp("elsewhere")


@pytest.fixture(scope="module")
def environment():
    """The variables of a shell that knows nothing of this tree."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "TLMVIZ_MODELS")}


@pytest.fixture(scope="module")
def command(wheel, tmp_path_factory):
    """`tlmviz` in an environment that holds the wheel, and beside it the packages that these tests run on."""
    venv = tmp_path_factory.mktemp("venv")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    [packages] = venv.glob("lib/python*/site-packages")
    here = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "heavy.pth").write_text("\n".join(here) + "\n")
    install = [sys.executable, "-m", "pip", "--python", str(venv / "bin" / "python"), "install", "-q"]
    subprocess.run([*install, "--no-deps", "--no-index", str(wheel)], check=True)
    return venv / "bin" / "tlmviz"


@pytest.fixture
def outside(command, elsewhere, environment):
    """Runs `tlmviz` in a folder that is not the repository; gives what it printed."""

    def call(*arguments: str) -> str:
        result = subprocess.run(
            [command, *arguments], cwd=elsewhere, env=environment, capture_output=True, text=True
        )
        assert result.returncode == 0, result.stderr
        return result.stdout

    return call


@pytest.mark.slow
class TestWheel:
    def test_holds_library_app_and_models_and_no_tests(self, wheel):
        names = set(zipfile.ZipFile(wheel).namelist())
        tops = {name.split("/")[0] for name in names}
        assert tops == {"tlmviz", f"tlmviz-{tlmviz.__version__}.dist-info"}
        for name in ("app.py", "pages/main.py", "pages/icon.svg", ".streamlit/config.toml", "models/zoo.csv"):
            assert f"tlmviz/_app/{name}" in names
        for folder in ("tlmviz", "pages", "models"):
            tracked = subprocess.run(["git", "ls-files", folder], cwd=ROOT, capture_output=True, text=True)
            for file in filter(None, tracked.stdout.splitlines()):
                if (ROOT / file).exists():
                    assert (file if folder == "tlmviz" else f"tlmviz/_app/{file}") in names

    def test_lists_the_models(self, outside):
        names = [line.split()[0] for line in outside("list").splitlines()]
        assert names == list(tlmviz.list_models())

    def test_traces(self, outside, elsewhere):
        out = outside("trace", "zoo-rope", "Tom saw a dog.", "--save", "trace.npz")
        assert "' dog'" in out and "induction" in out and (elsewhere / "trace.npz").is_file()

    def test_checks(self, outside):
        out = outside("check", "zoo-rope", "Tom saw a dog. Anna saw a dog.")
        assert "ok" in out and "FAIL" not in out

    def test_serves_the_app(self, command, elsewhere, environment):
        with serve([str(command), "run"], cwd=elsewhere, env=environment) as server:
            assert urlopen(server.url + "serving").status == 200
            # the wheel's .streamlit/config.toml is read: without it, nothing is said of origins
            assert urlopen(server.url + "health").read() == b'{"status":"ok"}'
