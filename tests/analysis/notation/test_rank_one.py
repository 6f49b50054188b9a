"""Sums of outer products against sums made term by term, and typed matrices against what they say."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from tests import tiny
from tlmviz.analysis.notation import model_products, rank_one
from tlmviz.analysis.notation.rank_one import COLUMNS, PRODUCT, ROWS, SINGULAR, Product
from tlmviz.errors import BadShape


def drawn(m, k, n, seed=0):
    draw = np.random.default_rng(seed)
    return Product(draw.standard_normal((m, k)), draw.standard_normal((k, n)))


def plainly(terms, order):
    """What the first 0, 1, ... terms leave, by adding them up."""
    whole = terms.columns @ terms.rows
    left, sizes = whole.copy(), [1.0]
    for k in order:
        left -= np.outer(terms.columns[:, k], terms.rows[k])
        sizes.append(np.linalg.norm(left) / np.linalg.norm(whole))
    return sizes


@pytest.mark.parametrize("shape", [(5, 3, 7), (3, 9, 4), (1, 1, 1), (6, 6, 6), (1, 8, 3), (8, 2, 1)])
def test_every_way_adds_up_term_by_term(shape):
    product = drawn(*shape)
    assert product.ways == (PRODUCT, COLUMNS, ROWS, SINGULAR)
    for way in product.ways:
        terms = rank_one.terms(product, way)
        np.testing.assert_allclose(terms.columns @ terms.rows, product.matrix, atol=1e-12)
        for order in (np.arange(len(terms)), terms.largest_first()):
            np.testing.assert_allclose(terms.errors(order), plainly(terms, order), atol=1e-7)
        sizes = terms.sizes[terms.largest_first()]
        assert (np.diff(sizes) <= 0).all()


def test_columns_and_rows_are_equations_1_and_2():
    whole = drawn(3, 3, 4).matrix
    columns, rows = (rank_one.terms(Product(whole), way) for way in (COLUMNS, ROWS))
    assert len(columns) == 4 and len(rows) == 3
    only = np.zeros_like(whole)
    only[:, 2] = whole[:, 2]
    np.testing.assert_array_equal(np.outer(columns.columns[:, 2], columns.rows[2]), only)
    only = np.zeros_like(whole)
    only[1] = whole[1]
    np.testing.assert_array_equal(np.outer(rows.columns[:, 1], rows.rows[1]), only)


@pytest.mark.parametrize("shape", [(40, 3, 50), (4, 9, 6), (5, 5, 5)])
def test_the_svd_of_a_product_is_numpys(shape):
    product = drawn(*shape)
    u, values, v = rank_one.svd(product)
    expected = np.linalg.svd(product.matrix, compute_uv=False)
    np.testing.assert_allclose(values, expected[: len(values)], atol=1e-10)
    np.testing.assert_allclose(expected[len(values) :], 0, atol=1e-10)
    np.testing.assert_allclose(u * values @ v, product.matrix, atol=1e-10)
    np.testing.assert_allclose(u.T @ u, np.eye(len(values)), atol=1e-10)
    assert rank_one.rank(values) == min(shape)


@settings(max_examples=40, deadline=None)
@given(some.integers(1, 7), some.integers(1, 7), some.integers(1, 7), some.integers(0, 10_000))
def test_no_terms_come_nearer_than_the_singular_ones(m, k, n, seed):
    product = drawn(m, k, n, seed)
    best = rank_one.terms(product, SINGULAR).errors()
    values = rank_one.svd(product)[1]
    tails = np.sqrt(np.append(np.square(values)[::-1].cumsum()[::-1], 0)) / np.linalg.norm(values)
    np.testing.assert_allclose(best, tails, atol=1e-6)
    for way in product.ways:
        terms = rank_one.terms(product, way)
        errors = terms.errors(terms.largest_first())
        shared = min(len(errors), len(best))
        assert (best[:shared] <= errors[:shared] + 1e-6).all()


def test_nothing_is_left_of_zeros():
    terms = rank_one.terms(Product(np.zeros((2, 3))), SINGULAR)
    assert not terms.errors().any() and rank_one.rank(np.zeros(2)) == 0 and rank_one.needed(terms.errors()) == 0


# --- of a model -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["rope", "latent", "alibi-window", "notes"])
def test_products_of_a_head_are_the_models(variant, tokenizer):
    lm = tiny.language_model(tokenizer, **tiny.VARIANTS[variant])
    trace, layer, head = lm.trace(tiny.TEXT), 1, 2
    mixed = model_products.of_head(lm, trace, "P V", layer, head, 5)
    np.testing.assert_allclose(mixed.matrix, trace[f"blocks.{layer}.attn.z"][0, head, :5], atol=1e-5)
    size, width = lm.config.d_model, mixed.matrix.shape[1]
    output = model_products.of_head(lm, trace, "W_O", layer, head, 5)
    own = lm.network.blocks[layer].attn.proj.weight.detach().double().numpy()
    np.testing.assert_array_equal(output.matrix, own[:, head * width : (head + 1) * width].T)
    assert output.right is None and output.matrix.shape == (width, size)
    whole = model_products.of_head(lm, trace, "W_V W_O", layer, head, 5)
    np.testing.assert_array_equal(whole.right, output.matrix)
    reads = (
        trace[f"blocks.{layer}.attn.latent"][0, 0] if variant == "latent" else trace[f"blocks.{layer}.normed_attn"][0]
    )
    reads = reads[:, : whole.left.shape[0]].double().numpy()
    values = trace[f"blocks.{layer}.attn.v"][0]
    values = values[head * len(values) // lm.config.n_heads].double().numpy()
    bias = values - reads @ whole.left  # the same for every token
    np.testing.assert_allclose(bias, np.broadcast_to(bias[0], bias.shape), atol=1e-5)


def test_the_plainest_head_leaves_least(tokenizer):
    lm = tiny.language_model(tokenizer)
    trace = lm.trace(tiny.TEXT)
    found = model_products.plainest(lm, trace, 20, count=2)
    left = {
        (layer, head): rank_one.terms(model_products.of_head(lm, trace, "P V", layer, head, 20), SINGULAR).errors()[2]
        for layer in range(trace.n_layers)
        for head in range(trace.n_heads)
    }
    assert left[found] == min(left.values())


# --- typed ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, left, right",
    [
        ("1 2; 3 4", [[1, 2], [3, 4]], None),
        ("1,2\n3,4\n", [[1, 2], [3, 4]], None),
        ("[[1, −2.5], [3e-2, 4]]".replace("], [", "]; ["), [[1, -2.5], [0.03, 4]], None),
        ("5", [[5]], None),
        ("1; 2 × 3 4", [[1], [2]], [[3, 4]]),
        ("1 2 * 3; 4", [[1, 2]], [[3], [4]]),
        ("-0", [[0]], None),
    ],
)
def test_a_typed_matrix_is_read(text, left, right):
    product = rank_one.read(text)
    np.testing.assert_array_equal(product.left, left)
    assert (product.right is None) == (right is None)
    if right is not None:
        np.testing.assert_array_equal(product.right, right)


@pytest.mark.parametrize(
    "text, said",
    [
        ("", "There is no matrix yet"),
        ("  ;; ", "is empty"),
        ("1 2; 3", "2 numbers in row 1 and 1 in row 2"),
        ("1 x; 2 3", "“x”, which is no number"),
        ("0x7f", "“0x7f”, which is no number"),
        ("nan", "neither infinite nor NaN"),
        ("1e400 1", "neither infinite nor NaN"),
        (
            "1 2 × 3 4",
            "1 × 2 times 1 × 2 is no product: the first has 2 columns, so the second needs 2 rows, and has 1",
        ),
        ("1 × 2 × 3", "2 signs ×"),
        ("1 × ", "The second matrix is empty"),
        (" ".join("1" * 25), "1 × 25; at most 24 × 24"),
        ("1 " * 4000, "at most 6,000"),
    ],
)
def test_what_is_no_matrix_is_one_sentence(text, said):
    with pytest.raises(BadShape) as error:
        rank_one.read(text)
    assert said in str(error.value) and "\n" not in str(error.value)
