"""One token's row through a layer: the rows are the model's tensors, and their cells find their products."""

import numpy as np
import pytest

import tlmviz
from tlmviz.analysis.attention.rows import main_panel, offered, rows_of
from tlmviz.analysis.attention.steps import make_step, step_names, tensor_names

TEXT = "Tom saw a big dog. Anna saw the dog too."
LAYER, HEAD, TOKEN = 4, 2, 7


@pytest.fixture(scope="module")
def steps():
    lm = tlmviz.load("stories-rope")
    trace = lm.trace(TEXT, keep=tensor_names(LAYER).__contains__)
    return [make_step(lm, trace, name, LAYER, HEAD) for name in step_names(lm.config)]


def test_the_rows_are_the_models(steps):
    trace = tlmviz.load("stories-rope").trace(TEXT)
    rows = {row.name: row for row in rows_of(steps, TOKEN)}
    assert list(rows) == [step.name for step in steps if step.name != "loss"]
    np.testing.assert_allclose(rows["embed"].values, trace["embed"][0, TOKEN], atol=1e-5)
    np.testing.assert_allclose(rows["add 2"].values, trace[f"blocks.{LAYER}.resid_post"][0, TOKEN], atol=1e-4)
    weights = trace.attention(LAYER, HEAD)[TOKEN].numpy()
    np.testing.assert_allclose(np.nan_to_num(rows["softmax"].values), weights, atol=1e-5)
    assert rows["softmax"].labels == tuple(trace.tokens) and rows["softmax"].inside == "attention"
    assert rows["add 1"].inside == "" and rows["down"].inside == "MLP"


def test_a_cell_is_the_product_of_its_column(steps):
    for step in steps:
        if step.product is None:
            continue
        values = main_panel(step).values[TOKEN]
        for cell in (0, 3, len(values) - 1):
            if np.isfinite(values[cell]):
                found = step.product.cell(TOKEN, offered(step, cell))
                assert found.actual == pytest.approx(float(values[cell]), abs=1e-5), step.name


def test_a_token_that_is_not_drawn_gives_the_nearest_before(steps):
    tokens = tlmviz.load("stories-rope").trace(TEXT).tokens
    assert {row.token for row in rows_of(steps, 10**6)} == {len(tokens) - 1}


def test_post_norms_stand_on_the_stream():
    lm = tlmviz.load("zoo-post")
    trace = lm.trace(TEXT, keep=tensor_names(0).__contains__)
    rows = rows_of([make_step(lm, trace, name, 0, 0) for name in step_names(lm.config)], TOKEN)
    assert {row.name: row.inside for row in rows}["norm 1"] == ""
