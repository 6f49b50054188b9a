"""The page of docs/adding.md is built from its text, and does what it says there."""

import base64
import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import pages
import tlmviz
from tests.pages.helpers import PATIENCE, READING, ROOT, by_title, run_snippet, words
from tests.pages.states import above_the_picture
from tlmviz.ui.deferred import PAINTED

TEXT = (ROOT / "docs" / "adding.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"\*\*`surprise/(\w+\.py)`\*\*.*?```python\n(.*?)```", TEXT, re.DOTALL))
FOLDER = "words/surprise"


@pytest.fixture
def app(tmp_path, monkeypatch):
    folder = tmp_path / "pages" / FOLDER
    folder.mkdir(parents=True)
    for name, code in FILES.items():
        (folder / name).write_text(code)
    [entry] = re.findall(r"^Page\(.*?^\)$", TEXT, re.DOTALL | re.MULTILINE)
    monkeypatch.setattr(pages, "__path__", [*pages.__path__, str(tmp_path / "pages")])
    monkeypatch.setitem(pages.IN, FOLDER, eval(entry, vars(pages)))
    app = AppTest.from_file(folder / "page.py", default_timeout=PATIENCE)
    app.session_state["model"], app.session_state[PAINTED], app.session_state[READING] = "zoo-rope", True, "maths"
    app.run().text_input[0].set_value("The cat sat on a zebra.").run()
    assert not app.exception
    return app


def test_it_is_five_short_files():
    assert [*FILES] == ["state.py", "data.py", "claims.py", "view.py", "page.py"]
    assert sum(code.count("\n") for code in FILES.values()) <= 140


def test_it_shows_what_each_token_costs_and_marks_what_was_asked_for(app):
    trace = tlmviz.load("zoo-rope").trace("The cat sat on a zebra.")
    p = trace.logits.double().softmax(-1).numpy()
    bits = -np.log2([p[at, i] for at, i in enumerate(trace.ids[1:])])
    [bars] = next(iter(by_title(app).values()))["data"]
    drawn = np.frombuffer(base64.b64decode(bars["y"]["bdata"]), bars["y"]["dtype"])
    np.testing.assert_allclose(drawn, bits, rtol=1e-4)
    [said] = above_the_picture(app)
    assert f"{bits.max():.1f} bits" in said and trace.tokens[1 + int(bits.argmax())].strip() in said
    for marked in (3, 2):
        app.slider[0].set_value(marked).run()
        [bars] = next(iter(by_title(app).values()))["data"]
        colors = bars["marker"]["color"]
        assert {i for i, color in enumerate(colors) if colors.count(color) == marked} == {*np.argsort(-bits)[:marked]}
        assert f"The {marked} marked tokens cost {np.sort(bits)[-marked:].sum() / bits.sum():.0%}" in words(app)
    run_snippet(app)
