"""pyproject.toml asks for what the requirements files pin, and a wheel works by itself, in any folder."""

import os
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import requires
from pathlib import Path
from urllib.request import urlopen

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import tlmviz
from tlmviz.checkpoints import wheels
from tlmviz.hosting.server import serve

ROOT = Path(__file__).resolve().parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]


def named(lines: list[str]) -> dict[str, Requirement]:
    """Requirements by name, but for those of this tree."""
    return {
        canonicalize_name(line.name): line for line in map(Requirement, lines) if not line.name.startswith("tlmviz")
    }


def pinned(name: str) -> dict[str, Requirement]:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return named([line for line in lines if line and not line.startswith("#")])


CORE, EXTRAS = (
    named(PROJECT["dependencies"]),
    {name: named(lines) for name, lines in PROJECT["optional-dependencies"].items()},
)


@pytest.mark.parametrize(
    "file, bounds, is_all",
    [
        ("requirements.txt", {**CORE, **EXTRAS["app"]}, True),
        ("requirements-train.txt", EXTRAS["train"], True),
        ("requirements-dev.txt", EXTRAS["transformers"] | EXTRAS["notebook"] | EXTRAS["shot"] | EXTRAS["train"], False),
    ],
)
def test_the_pins_are_of_what_the_project_asks_for_and_within_its_bounds(file, bounds, is_all):
    pins = pinned(file)
    assert bounds.keys() == pins.keys() if is_all else bounds.keys() <= pins.keys()
    for name, bound in bounds.items():
        [pin] = pins[name].specifier
        assert pin.operator == "==" and bound.specifier.contains(pin.version), name
        assert str(pins[name].marker) == str(bound.marker), name


def test_the_library_pins_nothing():
    for bounds in (CORE, *EXTRAS.values()):
        for name, bound in bounds.items():
            assert [each.operator for each in bound.specifier] == [">="], name


def test_a_wheel_is_built_without_a_download():
    [own] = PYPROJECT["build-system"]["requires"]
    assert own == str(pinned("requirements-dev.txt")["hatchling"])


def test_what_only_the_app_needs_comes_with_nothing_that_the_library_needs():
    """By what the installed packages say of themselves."""
    found, waiting = set(), [*CORE]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            needs = [Requirement(line) for line in requires(name) or ()]
            plain = [each for each in needs if each.marker is None or each.marker.evaluate({"extra": ""})]
            waiting += [canonicalize_name(each.name) for each in plain]
    assert "sympy" in found  # torch's
    assert not found & {"streamlit", "starlette", "plotly", "scikit-learn", "pyarrow", "prometheus-client"}


def test_python_is_named_alike_everywhere():
    assert PROJECT["requires-python"] == ">=3.11"
    assert PYPROJECT["tool"]["ruff"]["target-version"] == "py311"
    assert "Python 3.11 or newer" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert "sys.version_info < (3, 11)" in (ROOT / "Makefile").read_text(encoding="utf-8")


def folders_of(project: str, place: str) -> list[str]:
    """The models that a project's wheel holds, by the folders it puts them into."""
    text = tomllib.loads((ROOT / project / "pyproject.toml").read_text(encoding="utf-8"))
    included = text["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    paths = [ROOT / project / path for path, into in included.items() if into.startswith(place)]
    return [path.name for path in paths if (path / "config.json").is_file()]


def test_every_model_lies_in_one_wheel_the_one_that_is_named_where_it_is_missing():
    assert folders_of("", "tlmviz/_models") == [*wheels.CORE]
    for name, models in wheels.WHEELS.items():
        assert folders_of(f"packages/{name.removeprefix('tlmviz-')}", wheels.SPACE) == [*models]
    every = [*wheels.CORE, *(model for models in wheels.WHEELS.values() for model in models)]
    assert sorted(every) == sorted(path.parent.name for path in (ROOT / "models").glob("*/config.json"))


@pytest.mark.parametrize("project", ["models", "models-translation", "models-zoo"])
def test_the_wheels_of_models_have_the_version_of_tlmviz_and_a_size_that_an_index_takes(project):
    text = tomllib.loads((ROOT / "packages" / project / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert text["name"] == f"tlmviz-{project}" and text["name"] in wheels.WHEELS
    assert text["version"] == tlmviz.__version__
    others = [f"{name}=={tlmviz.__version__}" for name in wheels.WHEELS if name != text["name"]]
    assert text.get("dependencies", []) == (others if project == "models" else [])  # one command brings all
    files = [
        file for name in wheels.WHEELS[text["name"]] for file in (ROOT / "models" / name).rglob("*") if file.is_file()
    ]
    assert sum(file.stat().st_size for file in files) < 100e6  # before it is packed


@pytest.mark.parametrize("extra", ["app", "models"])
def test_one_command_brings_the_pages_or_all_models(extra):
    assert PROJECT["optional-dependencies"][extra][0] == f"tlmviz-{extra}>={tlmviz.__version__}"


def test_the_pages_are_for_this_version_alone():
    text = tomllib.loads((ROOT / "packages" / "app" / "pyproject.toml").read_text(encoding="utf-8"))
    assert text["project"]["version"] == tlmviz.__version__
    assert text["project"]["dependencies"] == [f"tlmviz=={tlmviz.__version__}"]


def built(project: Path, folder: Path) -> Path:
    """The wheel of a project, built with the packages at hand."""
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*command, "-w", str(folder), str(project)], check=True)
    [path] = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of this tree."""
    return built(ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def wheel_of_models(tmp_path_factory):
    """One of the smaller wheels that hold models alone."""
    return built(ROOT / "packages" / "models-translation", tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def wheel_of_pages(tmp_path_factory):
    """The wheel that holds the app."""
    return built(ROOT / "packages" / "app", tmp_path_factory.mktemp("pages"))


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    return tmp_path_factory.mktemp("elsewhere")


@pytest.fixture(scope="module")
def environment():
    """The variables of a shell that knows nothing of this tree."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "TLMVIZ_MODELS")}


@pytest.fixture(scope="module")
def command(wheel, wheel_of_pages, wheel_of_models, tmp_path_factory):
    """`tlmviz` in an environment that holds these wheels, and beside them the packages that these tests run on."""
    venv = tmp_path_factory.mktemp("venv")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    [packages] = venv.glob("lib/python*/site-packages")
    here = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "heavy.pth").write_text("\n".join(here) + "\n")
    install = [sys.executable, "-m", "pip", "--python", str(venv / "bin" / "python"), "install", "-q"]
    own = map(str, (wheel, wheel_of_pages, wheel_of_models))
    subprocess.run([*install, "--no-deps", "--no-index", *own], check=True)
    return venv / "bin" / "tlmviz"


@pytest.fixture
def outside(command, elsewhere, environment):
    """Runs `tlmviz` in a folder that is not the repository; gives what it printed."""

    def call(*arguments: str) -> str:
        result = subprocess.run([command, *arguments], cwd=elsewhere, env=environment, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        return result.stdout

    return call


def tracked(folder: str) -> list[str]:
    """The files of a folder that are in the repository."""
    listed = subprocess.run(["git", "ls-files", folder], cwd=ROOT, capture_output=True, text=True)
    return [file for file in listed.stdout.splitlines() if (ROOT / file).exists()]


@pytest.mark.slow
class TestWheel:
    def test_holds_the_library_and_three_models_and_no_tests(self, wheel):
        models = ["models/zoo.csv", *(file for name in wheels.CORE for file in tracked(f"models/{name}"))]
        wanted = {*tracked("tlmviz"), *(f"tlmviz/_{file}" for file in models)}
        assert {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name} == wanted
        assert wheel.stat().st_size < 20e6

    def test_a_wheel_of_pages_holds_the_app_alone(self, wheel_of_pages):
        names = {name for name in zipfile.ZipFile(wheel_of_pages).namelist() if ".dist-info/" not in name}
        wanted = {"app.py", ".streamlit/config.toml", *tracked("pages")}
        assert names == {f"tlmviz_app/{file}" for file in wanted}

    def test_a_wheel_of_models_holds_models_alone(self, wheel_of_models):
        names = zipfile.ZipFile(wheel_of_models).namelist()
        own = {name for name in names if ".dist-info/" not in name}
        models = wheels.WHEELS["tlmviz-models-translation"]
        wanted = {file.replace("models", wheels.SPACE, 1) for name in models for file in tracked(f"models/{name}")}
        assert own == wanted

    def test_lists_the_models_of_both_wheels_and_names_another(self, outside, command, elsewhere, environment):
        names = [line.split()[0] for line in outside("list").splitlines()]
        assert names == sorted([*wheels.CORE, *wheels.WHEELS["tlmviz-models-translation"]])
        told = subprocess.run(
            [command, "trace", "zoo-mla", "Tom"], cwd=elsewhere, env=environment, capture_output=True, text=True
        )
        assert told.returncode == 2 and "run `pip install tlmviz-models-zoo`" in told.stderr

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
