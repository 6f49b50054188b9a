"""The part that a formula leaves out is found by trying, and none is named where it is not that one alone."""

import pytest

from tests import tiny
from tlmviz.analysis.notation import parts, tensors
from tlmviz.analysis.notation.block import lines_of
from tlmviz.analysis.notation.running import evaluate

MODELS = {"rope": {"n_kv_heads": 2}, "alibi": {"positions": "alibi"}, "biased": tiny.VARIANTS["notes"]}


@pytest.fixture(scope="module")
def blocks(tokenizer):
    """Model -> its lines by title, and its tensors."""
    made = {}
    for name, options in MODELS.items():
        lm = tiny.language_model(tokenizer, **options)
        trace = lm.trace(tiny.TEXT, keep=tensors.taps(1).__contains__)
        lines = {line.title: line.text for line in lines_of(lm.config, 1)}
        made[name] = lines, tensors.of_block(lm, trace, 1)
    return made


@pytest.mark.parametrize(
    "model, line, changes, part",
    [
        ("rope", "Logits", {"Qhat_{th}^k": "Q_{th}^k", "Khat": "K"}, parts.ROPE),
        ("rope", "Logits", {"1/sqrt(dk) ": ""}, parts.SCALE),
        ("rope", "Logits", {"1/sqrt(dk) ": "", "Qhat": "Q", "Khat": "K"}, parts.ROPE_AND_SCALE),
        ("rope", "Logits", {"Qhat": "Q"}, None),  # one alone is no part
        ("rope", "Logits", {"1/sqrt(dk)": "1/dk"}, None),
        ("rope", "Weights", {"s<=t": "s"}, parts.MASK),
        ("rope", "Weights", {"L_{ts}^{(h)}": "1/sqrt(dk) Q_{th}^k K_{spi(h)k}"}, parts.ROPE),
        ("rope", "Weights", {"s<=t": "s>=t"}, None),
        ("rope", "Norm", {"LN1(H_t^f)": "H_t^f"}, parts.NORM),
        ("rope", "Add", {"H_t^f + ": ""}, parts.STREAM),
        ("rope", "Add 2", {" + F_t^f": ""}, parts.SUBLAYER),
        ("rope", "Open", {"sigma(G_t^e)": "G_t^e"}, parts.ACTIVATION),
        ("rope", "Open", {"sigma(G_t^e) ": ""}, parts.GATE),
        ("rope", "Logits", {}, None),
        ("alibi", "Logits", {" - m_h (t-s)": ""}, parts.ALIBI),
        ("alibi", "Logits", {"1/sqrt(dk) ": ""}, parts.SCALE),
        ("biased", "Values", {" + bV_h^d": ""}, parts.BIAS),
        ("biased", "Narrow", {" + b2^f": ""}, parts.BIAS),
        ("biased", "Open", {"sigma(U_t^e)": "U_t^e"}, parts.ACTIVATION),
    ],
)
def test_the_part_that_is_left_out_is_named(blocks, model, line, changes, part):
    lines, table = blocks[model]
    text = lines[line]
    for right, wrong in changes.items():
        assert right in text
        text = text.replace(right, wrong)
    assert parts.missing(evaluate(text, table), table) == part
