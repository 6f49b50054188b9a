"""The parts Scores, Logits and Isotropy of the page Norms, run as Streamlit runs it."""

import base64
import contextlib

import numpy as np
import pytest

import tlmviz
from pages.numbers.norms.spread import claims, data, view
from pages.numbers.norms.spread.state import Spreads
from tests.pages.helpers import assert_healthy, by_title, charted, green, open_page, run_code, run_snippet, words
from tests.pages.states import told
from tlmviz.analysis.numbers import logits
from tlmviz.errors import BadText
from tlmviz.ui.inputs import DEFAULT_TEXT

PAGE = "numbers/norms"
SCORES, HEAD, DIRECTIONS = "Scores", "Logits", "Isotropy"
PICTURES = view.scores, view.logits, view.directions
MODEL = "stories-rope"


def sent(values):
    """The numbers of a figure's line, as Plotly sends them."""
    return np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"])


def table(app):
    return app.dataframe[0].value


def test_it_opens_on_the_head_whose_products_pull_together_most():
    app = open_page(PAGE, {"noview": SCORES})
    assert "red-badge" not in words(app)
    trace = tlmviz.load(MODEL).trace(DEFAULT_TEXT)
    pulls = np.array([[head.pull for head in layer] for layer in logits.all_growths(trace)])
    layer, head = map(int, np.unravel_index(pulls.argmax(), pulls.shape))
    found = logits.growth(*trace.qk(layer, head)[:2])
    title = f"L{layer}H{head}: variance of a sum of products, {found.variance / found.of_one:.3g} times one's at 32"
    chart = by_title(app)[title]
    np.testing.assert_allclose(sent(chart["data"][3]["y"]), found.by_dimensions() / found.of_one, rtol=1e-5)
    assert len(sent(chart["data"][0]["y"])) == 36 * 33
    dot = trace.scores(layer, head, "dot")
    soft = logits.softness(dot, (1, 32**0.5, 32))
    assert list(table(app)["Entropy (bits)"]) == pytest.approx([row.entropy for row in soft])
    assert f"Of 36 heads {int((pulls > 1).sum())} lie above" in words(app)
    assert found.pull > 3


def test_the_spread_and_the_loss_of_the_logits():
    app = open_page(PAGE, {"noview": HEAD})
    lm = tlmviz.load(MODEL)
    spread = logits.spread(lm, lm.trace(DEFAULT_TEXT))
    rows = table(app).set_index("Model")
    assert rows.loc["trained", "Measured"] == pytest.approx(spread.measured.mean())
    assert rows.loc["before training", "Ratio"] == pytest.approx(1, abs=0.05)
    assert rows.loc["trained", "Ratio"] > 1.2
    assert any(title.startswith("Loss of this text") for title in by_title(app))
    scope = run_snippet(app)
    assert scope["spread"].measured.mean() == pytest.approx(rows.loc["trained", "Measured"])
    assert scope["before"].predicted.mean() == pytest.approx(rows.loc["before training", "√E·σ·RMS"])


def test_the_directions_of_the_embedding():
    app = open_page(PAGE, {"noview": DIRECTIONS})
    rows = table(app).set_index("Embedding")
    found = logits.isotropy(tlmviz.load(MODEL).network.token_emb.weight)
    assert rows.loc["as it is", "Mean cosine"] == pytest.approx(found.mean_cosine)
    assert abs(rows.loc["less its mean", "Mean cosine"]) < 0.01
    assert rows.loc["before training", "Z least/greatest"] > 0.99
    assert len(by_title(app)) == 4
    assert run_snippet(app)["found"].shares.sum() == pytest.approx(1)


def test_what_the_page_says_of_the_two_story_models():
    found = data.Data(Spreads(model=MODEL, text="")).embedding
    apart = np.linalg.norm(found.as_is.points, axis=1) > 0.66
    tokenizer = tlmviz.load(MODEL).tokenizer
    assert apart.sum() > 100 and all(len(tokenizer.token_bytes(int(row))) == 1 for row in found.numbers[apart])
    assert round(data.Data(Spreads(model="stories-gpt", text="")).embedding.as_is.mean_cosine, 2) == 0.01


def test_the_snippet_gives_the_head_of_the_page():
    found = data.Data(Spreads(model=MODEL, text=DEFAULT_TEXT, layer=2, head=3))
    scope = run_code(view.snippet_of_scores(found))
    assert f"{scope['growth'].pull:.2f} times what independent" in told(claims.OF_SCORES, found)


@pytest.mark.parametrize("picture", PICTURES)
@pytest.mark.parametrize("text", ["a", "Hi.", "x" * 9000, "🙂 $x$ <b>"])
def test_any_text(picture, text):
    found = data.Data(Spreads(model=MODEL, text=text))
    if picture is view.scores and text == "a":
        with pytest.raises(BadText):
            picture(found)
        return
    with contextlib.suppress(BadText):  # the longest is cut where it is typed
        assert charted(picture, found) and green(found.checks)


def test_a_text_that_is_too_short_is_said_and_another_is_shown():
    app = open_page(PAGE, {"noview": SCORES}, text="a")
    assert not app.exception and app.error
    app.text_input("text").set_value("Tom had a big red ball.").run()
    assert_healthy(app)


@pytest.mark.parametrize("model", ["zoo-mla", "zoo-window", "zoo-alibi", "stories-mhc", "zoo-mqa"])
def test_other_models(model):
    layer, head = data.Data(Spreads(model=model, text=DEFAULT_TEXT)).strongest
    found = data.Data(Spreads(model=model, text=DEFAULT_TEXT, layer=layer, head=head))
    assert charted(view.scores, found) and green(found.checks)
