"""Fixtures every test may ask for: a tiny tokenizer, tiny random models, and the bundled model."""

import functools
import os
import sys
from collections import Counter
from pathlib import Path

os.environ["TRITON_INTERPRET"] = "1"  # read when Triton kernels are imported, so before anything else
# What the user has installed or opened is no business of the tests.
os.environ["TLMVIZ_CACHE"] = str(Path(__file__).with_name("nothing-is-installed"))
os.environ.pop("TLMVIZ_OPEN", None)

import pytest
import torch
from hypothesis import settings

from . import typecheck

typecheck.install()  # before the modules it checks are imported

import tlmviz
from tlmviz.figures import chart

from . import rings, tiny
from .summary import pytest_runtest_makereport, pytest_runtest_setup, pytest_sessionfinish, pytest_terminal_summary  # noqa: F401

MAIN = sys.modules["__main__"]
torch.set_num_threads(1)
chart.VALIDATE = True  # every property of every figure a test draws
# Deadlines measure the machine, not the code; a fixed seed makes a failure repeat.
settings.register_profile("tlmviz", deadline=None, derandomize=True, max_examples=40)
settings.load_profile("tlmviz")


# Seconds that a test takes, roughly. Only the order follows from it.
BROWSER, SLOW, PAGE, OTHER = 4.0, 1.0, 0.4, 0.05


def pytest_addoption(parser):
    parser.addoption("--second-tries", type=int, help="fail where more flows than this needed a second try")
    parser.addoption("--pages", help="of what asks every page, only the cases of these: chapter/page,chapter/page")


def pytest_collection_modifyitems(config, items):
    """Mark by place, so that `-m` can choose by it; put what belongs together behind each other, and the longest first.

    Two processes take group after group: one that starts a long group last works on alone.
    """
    if wanted := config.getoption("pages"):
        rings.keep_pages(items, wanted.split(","))
    for item in rings.deep(items):
        item.add_marker("deep")
    lasts = Counter()
    for item in items:
        folder = rings.place(item).partition("/")[0]
        if folder in ("pages", "browser"):
            item.add_marker(folder)
        if folder == "browser":  # a loaded machine may draw later than anybody waits; the summary names it
            item.add_marker(pytest.mark.flaky(reruns=1))
        slow = SLOW if item.get_closest_marker("slow") else OTHER
        cost = BROWSER if folder == "browser" else max(slow, PAGE if folder == "pages" else 0)
        lasts[rings.group(item.nodeid)] += cost
    items.sort(key=lambda item: (-lasts[rings.group(item.nodeid)], rings.group(item.nodeid)))


def pytest_xdist_make_scheduler(config, log):
    return rings.InGroups(config, log)


@pytest.fixture(scope="session", autouse=True)
def one_look_at_the_packages():
    """AppTest looks through every installed package for components at every start: half of what opening a page costs.

    No package comes or goes while tests run, so one look is enough.
    """
    with pytest.MonkeyPatch.context() as patch:
        if "streamlit.testing.v1" in sys.modules:
            from streamlit.components.v2 import manifest_scanner

            once = functools.cache(manifest_scanner.scan_component_manifests)
            patch.setattr(manifest_scanner, "scan_component_manifests", once)
        yield


@pytest.fixture(autouse=True)
def main_as_it_was():
    """AppTest leaves its page as `__main__`, which a process that a later test starts would run.

    Before the test, not after it: a fixture of a whole module opens its page before any test's own fixtures.
    """
    sys.modules["__main__"] = MAIN


@pytest.fixture(scope="session")
def tokenizer():
    return tiny.tokenizer()


@pytest.fixture(scope="session", params=sorted(tiny.VARIANTS))
def variant(request, tokenizer):
    """A tiny random language model of each variant in turn. Shared: tests must not change it."""
    return tiny.language_model(tokenizer, **tiny.VARIANTS[request.param])


@pytest.fixture(scope="session")
def lm(tokenizer):
    """One tiny random language model. Shared: tests must not change it."""
    return tiny.language_model(tokenizer)


@pytest.fixture(scope="session")
def stories():
    """The bundled default model."""
    return tlmviz.load("stories-rope")
