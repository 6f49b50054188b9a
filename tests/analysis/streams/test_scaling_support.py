"""Support and total support against all permutations; the rate against the residuals themselves; typed matrices."""

from itertools import permutations

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tlmviz import kernels
from tlmviz.analysis.streams import scaling_support
from tlmviz.analysis.streams.scaling_support import parse, rate, residuals, support
from tlmviz.errors import BadShape

patterns = st.integers(1, 5).flatmap(lambda n: arrays(bool, (n, n)))


def on_permutations(positive):
    """Which entries lie on a permutation of positive entries, by trying all n! of them."""
    n = len(positive)
    found = np.zeros_like(positive)
    for columns in map(list, permutations(range(n))):
        if positive[range(n), columns].all():
            found[range(n), columns] = True
    return found


def parts(positive):
    """Connected parts of rows and columns, by spreading labels."""
    label = np.arange(len(positive))
    for _ in label:
        for column in positive.T:
            label[column] = label[column].min(initial=len(label))
    return len(set(label.tolist()))


@settings(max_examples=300, deadline=None)
@given(patterns)
@example(np.zeros((3, 3), bool))
@example(np.tri(4, dtype=bool))
@example(np.eye(5, dtype=bool))
def test_support_is_what_all_permutations_say(positive):
    answer, found = support(positive), on_permutations(positive)
    if not found.any():
        assert answer.kind == "none"
        rows, columns = list(answer.rows), list(answer.columns)
        assert len(columns) < len(rows), "fewer columns than rows"
        assert not np.delete(positive[rows], columns, axis=1).any(), "and these rows are positive nowhere else"
        return
    assert {(int(i), int(j)) for i, j in np.argwhere(positive & ~found)} == set(answer.dropped)
    assert answer.kind == ("partial" if answer.dropped else "total")
    assert answer.blocks == parts(found)


@settings(max_examples=12, deadline=None)
@given(arrays(np.float64, (3, 3), elements=st.sampled_from([0.0, 0.2, 1.0, 3.0])))
def test_the_residual_ends_where_the_support_says(matrix):
    answer = support(matrix > 0)
    last = kernels.sinkhorn(torch.from_numpy(matrix).log(), 600)
    error = float(residuals(last[None])[0])
    if answer.kind == "none":
        assert error > 0.2 and scaling_support.limit(torch.from_numpy(matrix).log(), answer) is None
    elif answer.kind == "total":
        assert error < 1e-6
    else:
        assert error < 0.01 and all(last[i, j] < 0.01 for i, j in answer.dropped)


@pytest.mark.parametrize("n", [2, 4, 9, 16])
def test_the_residual_falls_at_the_square_of_the_second_singular_value(n):
    logits = torch.randn(n, n, generator=torch.Generator().manual_seed(n), dtype=torch.float64) * 2
    errors = residuals(kernels.sinkhorn_iterates(logits, 400))
    last = int((errors > 1e-11).nonzero()[-1])
    expected = rate(logits, support(np.ones((n, n), bool)))
    assert expected == pytest.approx(float(errors[last] / errors[last - 1]), rel=0.02)


def test_the_limit_is_what_the_kernel_comes_to():
    logits = torch.randn(5, 5, generator=torch.Generator().manual_seed(5), dtype=torch.float64)
    logits[0, 1] = -torch.inf
    answer = support(torch.isfinite(logits).numpy())
    assert torch.allclose(scaling_support.limit(logits, answer), kernels.sinkhorn(logits, 500), atol=1e-12)


def test_blocks_that_do_not_meet_are_left_out_of_the_rate():
    block = torch.tensor([[0.0, 1.0], [2.0, 0.0]], dtype=torch.float64)
    both = torch.block_diag(block.exp(), block.exp()).log()
    answer = support(torch.isfinite(both).numpy())
    assert answer.blocks == 2
    assert rate(both, answer) == pytest.approx(rate(block, support(np.ones((2, 2), bool))), abs=1e-12)
    assert rate(torch.eye(3).log(), support(np.eye(3, dtype=bool))) == 0


def test_there_is_no_rate_without_a_scaling_and_none_out_of_reach():
    triangle, empty = torch.tril(torch.ones(3, 3)).log(), torch.full((2, 2), -torch.inf)
    for logits in (triangle, empty):
        assert np.isnan(rate(logits, support(torch.isfinite(logits).numpy())))
    far = torch.randn(16, 16, generator=torch.Generator().manual_seed(0), dtype=torch.float64) * 1e4
    answer = support(np.ones((16, 16), bool))
    assert answer.kind == "total" and np.isnan(rate(far, answer)) and scaling_support.limit(far, answer) is None


def test_entries_that_vanish_are_gone_in_the_limit():
    logits = torch.tensor([[0.0, 0.0], [-torch.inf, 0.0]])
    answer = support(torch.isfinite(logits).numpy())
    assert answer.dropped == ((0, 1),)
    assert torch.equal(scaling_support.limit(logits, answer), torch.eye(2, dtype=torch.float64))


def test_gains_over_depth_are_those_of_the_product():
    logits = torch.randn(6, 4, 4, generator=torch.Generator().manual_seed(0))
    found = scaling_support.depth_gains(logits, 5)
    for k in range(6):
        product = np.eye(4)
        for one in logits.double():
            h = one.exp().numpy() / float(one.exp().max()) if k == 0 else kernels.sinkhorn(one, k).numpy()
            product = h @ product
        assert np.allclose(found[k], [np.abs(product).sum(1).max(), np.abs(product).sum(0).max()], atol=1e-12)
    assert found[1:, 1].numpy() == pytest.approx(1, abs=1e-12), "columns end exact"


@pytest.mark.parametrize(
    "text",
    ["1 2; 3 4", "1, 2\n3, 4\n", "[[1, 2], [3, 4]]", "[[1. 2.]\n [3. 4.]]", "1\t2\n\n3\t4", "[1 2; 3 4]", "1 2;3 4;"],
)
def test_ways_to_write_a_matrix(text):
    assert parse(text, "logits").tolist() == [[1, 2], [3, 4]]
    assert np.allclose(np.exp(parse(text, "entries")), [[1, 2], [3, 4]])


def test_zeros_and_extremes_are_read():
    assert parse("7", "logits").tolist() == [[7]]
    assert parse("1e4 −1e4; -inf −∞", "logits").tolist() == [[1e4, -1e4], [-np.inf, -np.inf]]
    assert parse("0 1; 1e-300 1e300", "entries")[0, 0] == -np.inf
    assert parse(";".join(["1 " * 16] * 16), "logits").shape == (16, 16)


@pytest.mark.parametrize(
    "text, kind, said",
    [
        ("", "logits", "no matrix"),
        ("[[]]", "entries", "no matrix"),
        (" ;;\n", "logits", "no matrix"),
        ("1 2; 3 four", "logits", "Row 2, number 2, “four”"),
        ("1_0", "logits", "“1_0”"),
        ("hello " * 2000, "logits", "“hello”"),
        ("1 2 3; 4 5 6", "logits", "2 rows, and row 1 has 3 numbers"),
        ("1 2", "logits", "1 row, and row 1 has 2 numbers"),
        ("1 2; 3", "logits", "row 2 has 1 number;"),
        ("nan 1; 1 1", "logits", "“nan”"),
        ("inf 1; 1 1", "entries", "“inf”"),
        ("1 -2; 3 4", "entries", "is negative"),
        ("-inf 1; 1 1", "entries", "is negative"),
        ("1e400", "logits", "1e300"),
        ("-1e305", "logits", "use -inf"),
        (";".join(["1 " * 17] * 17), "logits", "17 × 17; at most 16 × 16"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(text, kind, said):
    with pytest.raises(BadShape) as caught:
        parse(text, kind)
    assert said in str(caught.value) and len(str(caught.value)) < 200 and str(caught.value).count(". ") == 0


@given(st.text(max_size=60), st.sampled_from(scaling_support.KINDS))
def test_any_text_is_a_square_matrix_or_a_sentence(text, kind):
    try:
        found = parse(text, kind)
    except BadShape:
        return
    assert found.ndim == 2 and found.shape[0] == found.shape[1] <= 16 and not np.isnan(found).any()
