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

from . import tiny

HERE = Path(__file__).resolve().parent
MAIN = sys.modules["__main__"]
torch.set_num_threads(1)
chart.VALIDATE = True  # every property of every figure a test draws
# Deadlines measure the machine, not the code; a fixed seed makes a failure repeat.
settings.register_profile("tlmviz", deadline=None, derandomize=True, max_examples=40)
settings.load_profile("tlmviz")


# Seconds that a test takes, roughly. Only the order follows from it.
BROWSER, SLOW, PAGE, OTHER = 4.0, 1.0, 0.4, 0.05


def pytest_collection_modifyitems(items):
    """Mark what lies in tests/pages and tests/browser, so that `-m` can choose by it; put the longest files first.

    Two processes take file after file: one that starts a long file last works on alone.
    """
    lasts = Counter()
    for item in items:
        folder = item.path.relative_to(HERE).parts[0]
        if folder in ("pages", "browser"):
            item.add_marker(folder)
        if (
            folder == "browser"
        ):  # a loaded machine may draw a page later than anybody waits; the summary names it
            item.add_marker(pytest.mark.flaky(reruns=1))
        slow = SLOW if item.get_closest_marker("slow") else OTHER
        lasts[item.path] += BROWSER if folder == "browser" else max(slow, PAGE if folder == "pages" else 0)
    items.sort(key=lambda item: -lasts[item.path])


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
