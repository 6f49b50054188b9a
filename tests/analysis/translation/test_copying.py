"""What is written and what is copied, against the mixture worked out by hand."""

import numpy as np
import pytest

from tests import tiny
from tlmviz.analysis.translation import copying

TEXT = "Lily had a red ball. Lily lost the red ball."


@pytest.fixture(scope="module")
def mt(tokenizer):
    return tiny.translator(tokenizer, "pointer")


def test_parts_add_up_to_what_the_network_says(mt):
    translation = [*mt.encode_target("Lily saw a red dog."), mt.tokenizer.end_of_text]
    found = copying.read(mt, TEXT, translation)
    np.testing.assert_allclose(found.written + found.copied, found.p, atol=1e-6)
    np.testing.assert_allclose(np.log(found.p), mt.read(TEXT, translation).logp, atol=1e-4)
    source = mt.encode(TEXT)
    for t, token in enumerate(translation):
        by_hand = sum(found.a[t, s] for s, other in enumerate(source) if other == token)
        assert found.copied[t] == pytest.approx((1 - found.g[t]) * by_hand)
        assert (found.share[t] > 0) == (token in source)
    assert found.share.min() + found.share.max() > 0 and ((found.g > 0) & (found.g < 1)).all()


def test_a_token_that_stands_twice_is_copied_from_both_places(mt):
    source, target = np.array([5, 7, 5]), np.array([5, 7, 9])
    a = np.array([[0.2, 0.3, 0.5], [0.1, 0.8, 0.1], [0.4, 0.4, 0.2]])
    np.testing.assert_allclose(copying.pointed(a, source, target), [0.7, 0.8, 0.0])


@pytest.mark.parametrize(
    "name, pieces, wanted",
    [
        ("Zorbak", ["Est", "-", "ce", " Z", "or", "bak", " ?"], [3, 4, 5]),
        ("Tom", ["Tom", " et", " Tom", "."], [0, 2]),
        ("Tom", ["Ma", "ry", "."], []),
    ],
)
def test_which_tokens_write_a_name(name, pieces, wanted):
    assert copying.tokens_of(name, pieces) == wanted
