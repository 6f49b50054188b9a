"""The rules of the notation: every mistake by its name, at its place; and what holds to the rules is left alone."""

import pytest
import torch
from hypothesis import given

from tests import tiny
from tests.analysis.notation.formulas import einsums
from tlmviz.analysis.notation import slips, tensors
from tlmviz.analysis.notation.block import SAME, compare, lines_of
from tlmviz.analysis.notation.checking import KINDS
from tlmviz.analysis.notation.running import evaluate
from tlmviz.analysis.notation.syntax import BadNotation

OWN = tensors.of_sizes(tensors.read_sizes(tensors.OWN_SIZES))


def found(text, table=OWN):
    """The kinds of findings and what they mark."""
    return [(finding.kind, text[slice(*finding.at)]) for finding in evaluate(text, table).checked.findings]


@given(einsums())
def test_a_product_by_the_rules_is_left_alone(given):
    text, _, _, sizes = given
    assert not found(text, tensors.of_sizes(sizes))


@pytest.mark.parametrize(
    "text, kind, marked",
    [
        ("X_t = A_t^d B_d C_d", "thrice", "d"),
        ("X_t = A_t^d B_d (C_d + D_d)", "thrice", "d"),
        ("X_t = A_t^d B^d", "same-height", "d"),
        ("X_t = A_{td} B_d", "same-height", "d"),
        ("Y_{th}^d = A_{ts}^{(h)} V_{sh}^d", "time-implicit", "s"),
        ("L_{ts} = Q_{th}^d K_{shd}/sqrt(dk)", "head-lost", "h"),
        ("X_t = A_t^f", "free-lost", "f"),
        ("X_t^f = A_t", "free-extra", "f"),
        ("X_t^d = A_t^d B_d", "left-free", "d"),
        ("X_{tt} = A_t", "left-twice", "t"),
        ("X_t = sum_t A_t", "sum-free", "t"),
        ("X_t = sum_s A_t", "sum-nothing", "s"),
        ("Y_{th}^d = sum_{s<=t} A_{ts}^{(h)} V_{th}^d", "lonely-sum", "V_{th}^d"),
        ("X_t^f = A_t^f + B_t^e", "terms-differ", "e"),
        ("X_t^f = A_t^f + B_{tf}", "height", "f"),
        ("X_{tf} = A_t^f", "height", "f"),
        ("X_{tr'r} = delta_{rr'} A_t", "delta", "rr'"),
        ("A_{ts} = softmax_{u}(L_{ts})", "axis-missing", "{u}"),
        ("A_{ts} = softmax_{s<=t}(L_{ts} + [u<=t])", "free-lost", "u<=t"),
        ("A_{ts} = softmax_{s<=s}(L_{ts})", "mask-letter", "s<=s"),
        ("A_{ts} = softmax_{s<=u}(L_{ts})", "mask-letter", "s<=u"),
        ("A_{ts} = softmax_{t<=s}(L_{ts})", "softmax-axis", "{t<=s}"),
        ("A_{ts} = softmax_{s, t<=s}(L_{ts})", "mask-turned", "t<=s"),
        ("A_{ts} = softmax_{s>t}(L_{ts})", "mask-turned", "s>t"),
        ("Y_t = sum_{s<t} A_{ts} V_s", "mask-strict", "s<t"),
        ("A_{ts}^{(h)} = softmax_{h}(L_{ts}^{(h)})", "softmax-axis", "{h}"),
        ("L_{ts}^{(h)} = dk Qhat_{th}^k Khat_{shk}", "scale-wrong", "dk"),
        ("L_{ts}^{(h)} = 1/sqrt(dk) (Q_{th}^d R_{sd}^k) Khat_{shk}", "rope-position", "s"),
        ("X_{sh}^k = V_{sh}^d R_{sd}^k", "rope-value", "R_{sd}^k"),
        ("X_{rr'} = A_{rr'} delta_{ab}", "unknown", "delta_{ab}"),
        ("X_t = delta_t", "rank", "delta_t"),
        ("Y_{th}^d = sum_{s<=t} A_{st}^{(h)} V_{sh}^d", "map-transposed", "st"),
        ("A_{ts}^{(h)} = softmax_{s<=t}(L_{st}^{(h)})", "map-transposed", "st"),
        ("Y_{th}^d = sum_{s<=t} A_{ts}^{(h)} Khat_{sh}^d", "key-for-value", "Khat"),
        ("Y_{th}^d = sum_{s<=t} A_{ts}^{(h)} K_{sh}^d", "key-for-value", "K"),
        ("Y_{th}^d = sum_{s<=t} L_{ts}^{(h)} V_{sh}^d", "score-for-weight", "L"),
        ("L_{ts}^{(h)} = 1/sqrt(dk) Q_{sh}^d K_{thd}", "roles-exchanged", "Q_{sh}^d K_{thd}"),
        (
            "A_{ts}^{(h)} = softmax_{s<=t}(1/sqrt(dk) Khat_{thk} Qhat_{sh}^k)",
            "roles-exchanged",
            "Khat_{thk} Qhat_{sh}^k",
        ),
    ],
)
def test_a_mistake_has_a_name_and_a_place(text, kind, marked):
    kinds = found(text)
    assert kind in KINDS and (kind, marked) in kinds, kinds


@pytest.mark.parametrize(
    "text",
    [
        "K_{shk} = K_{sh}^m delta_{mk}",  # the metric lowers
        "X_{r'}^t = A_r^t delta^r_{r'}",
        "A_{tu} = softmax_{u}(1/sqrt(dk) Q_t^d K_{ud})",  # cross attention hides nothing
        "L_{ts}^{(h)} = 1/sqrt(dk) Qhat_{th}^k Khat_{shk} - m_h (t-s)",
        "Y_{th}^d = N_{th}^d / z_{th}",
        "X_{th}^d = Q_{th}^d + b_h^d",  # a bias has no position
        "Q_{th}^d K_{shd}",
        "X_{ts'} = sum_{s<=t} A_{ts} A_{ss'}",  # rollout: a key of the one is a query of the other
        "A_{ts'} = sum_{s<=t} A_{ts} A_{ss'}",
        "Y_{uh}^d = sum_{t<=u} A_{ut}^{(h)} V_{th}^d",  # other letters, the same roles
        "L_{st}^{(h)} = 1/sqrt(dk) Khat_{thk} Qhat_{sh}^k",
        "Z_t^d = sum_{s<=t} A_{ts} K_s^d Q_t^e V_{se}",
        "Y_{th}^d = sum_{s<=t, t-s<4} A_{ts}^{(h)} V_{sh}^d",
    ],
)
def test_what_holds_is_left_alone(text):
    assert not found(text)


@pytest.fixture(scope="module")
def blocks(tokenizer):
    """Model -> its lines and tensors: with RoPE, and with groups of keys and values."""
    made = {}
    for name, options in (("rope", {}), ("groups", {"n_kv_heads": 2})):
        lm = tiny.language_model(tokenizer, **options)
        trace = lm.trace(tiny.TEXT, keep=tensors.taps(1).__contains__)
        made[name] = lines_of(lm.config, 1), tensors.of_block(lm, trace, 1)
    return made


def test_every_mistake_to_try_is_named_first(blocks):
    tried = set()
    for lines, table in blocks.values():
        for slip, text in slips.slips_of(lines):
            kinds = [finding.kind for finding in evaluate(text, table).checked.findings]
            assert kinds and kinds[0] == slip.kind, (text, kinds)
            tried.add(slip.kind)
    assert tried == {slip.kind for slip in slips.SLIPS} and len(tried) >= 25


def test_mistakes_that_run_make_other_numbers_or_break_the_notation_alone(blocks):
    lines, table = blocks["rope"]
    silent, same = 0, set()
    for slip, text in slips.slips_of(lines):
        result = evaluate(text, table)
        compared = compare(result, table)
        silent += result.value is not None
        if compared is not None and compared.error <= SAME:
            same.add(slip.kind)
    assert silent >= 18 and same == {"time-implicit", "same-height", "height"}


def test_the_notes_own_lines():
    table = tensors.of_sizes(tensors.read_sizes(slips.SIZES))
    for line in slips.NOTES:
        kinds = [kind for kind, _ in found(line.text, table)]
        assert kinds == [line.kind] * bool(line.kind), (line.text, kinds)


def test_one_index_has_one_size(blocks):
    _, table = blocks["rope"]
    result = evaluate("F_t^f = H'_t^e W2_e^f", table)
    assert [finding.kind for finding in result.checked.findings] == ["dimension"] and result.value is None
    turned = evaluate("F_t^f = Z_t^e W2_f^e", table)
    assert [finding.kind for finding in turned.checked.findings][:1] == ["transposed"]


def test_what_is_too_large_is_refused():
    table = tensors.of_sizes(tensors.read_sizes("t=4096 s=4096 d=4096 h=64"))
    for text in ("X_{tsh} = A_t B_s C_h", "X_{ts} = A_{tdh}"):
        with pytest.raises(BadNotation, match="too large here") as raised:
            evaluate(text, table)
        assert "smaller sizes" in str(raised.value)


def test_an_index_without_a_size_is_named():
    with pytest.raises(BadNotation, match="No size is given for the index q") as raised:
        evaluate("X_t = Y_{tq}", OWN)
    assert raised.value.at == (6, 7)


def test_one_name_is_one_tensor():
    table = tensors.of_sizes(tensors.read_sizes("t=5 s=6 f=4"))
    assert found("X_{ts} = H_t^f H_{sf}", table) == [("dimension", "H_{sf}")]


def test_hostile_sizes():
    for text in ("t=0", "t=99999", "tt=3", "t=-1", "=", "t=1e400", "t = 3"):
        with pytest.raises(BadNotation, match="gives no size"):
            tensors.read_sizes(text)
    assert tensors.read_sizes("") == {} and tensors.read_sizes("t=3, s=4;r'=2") == {"t": 3, "s": 4, "r'": 2}


def test_a_foreign_block_is_refused(tokenizer):
    lm = tiny.language_model(tokenizer, latent_dim=12, rope_dim=4)
    with pytest.raises(BadNotation, match="latent attention"):
        tensors.of_block(lm, lm.trace("Lily"), 0)
    assert torch.equal(OWN.look("Q", ("t",), (0, 1)).value, OWN.look("Q", ("t",), (0, 1)).value)
