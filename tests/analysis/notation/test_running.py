"""Formulas computed: against torch.einsum, against plain loops, and against the code that is handed out."""

import einops
import pytest
import torch
from hypothesis import given, settings

from tests import tiny
from tests.analysis.notation.formulas import einsums
from tlmviz.analysis.notation import code, tensors
from tlmviz.analysis.notation.block import SAME, lines_of, run_lines
from tlmviz.analysis.notation.running import evaluate

SIZES = "t=5 s=6 u=4 h=2 g=1 f=8 d=4 k=4 m=4 e=16 r=2"
OWN = tensors.of_sizes(tensors.read_sizes(SIZES))


def value_of(name, *letters):
    return OWN.look(name, letters, (0, 0)).value


@given(einsums())
@settings(deadline=None)
def test_products_equal_torch_einsum(given):
    text, inputs, output, sizes = given
    table = tensors.of_sizes(sizes)
    operands = [table.look(name, tuple(letters), (0, 0)).value for name, letters in zip("ABCD", inputs)]
    expected = torch.einsum(f"{','.join(inputs)}->{output}", *operands)
    torch.testing.assert_close(evaluate(text, table).value, expected, rtol=1e-4, atol=1e-5)


def test_a_masked_sum_by_loops():
    a, v = value_of("A", "t", "s"), value_of("V", "s", "d")
    expected = torch.zeros(5, 4)
    for t in range(5):
        for s in range(6):
            if s <= t and t - s < 2:
                expected[t] += a[t, s] * v[s]
    result = evaluate("Y_t^d = sum_{s<=t, t-s<2} A_{ts} V_s^d", OWN)
    torch.testing.assert_close(result.value, expected)
    torch.testing.assert_close(evaluate("Y_t^d = sum_s A_{ts} [s<=t] [t-s<2] V_s^d", OWN).value, expected)


def test_softmax_positions_and_functions_by_loops():
    scores, slope = value_of("L", "t", "s", "h"), value_of("m", "h")
    expected = torch.zeros(5, 6, 2)
    for t in range(5):
        for h in range(2):
            row = torch.stack([scores[t, s, h] - slope[h] * (t - s) for s in range(t + 1)])
            expected[t, : t + 1, h] = row.exp() / row.exp().sum()
    result = evaluate("A_{ts}^{(h)} = softmax_{s<=t}(L_{ts}^{(h)} - m_h (t-s))", OWN)
    torch.testing.assert_close(result.value, expected)
    half = evaluate("X_t^d = exp(-Y_t^d)/(2 + 0.5)", OWN).value
    torch.testing.assert_close(half, (-value_of("Y", "t", "d")).exp() / 2.5)
    shares = evaluate("A_{ts} = E_{ts} / sum_s E_{ts}", OWN).value
    torch.testing.assert_close(shares, value_of("E", "t", "s") / value_of("E", "t", "s").sum(1, keepdim=True))


def test_deltas_traces_and_groups():
    q = value_of("Q", "r", "t")
    torch.testing.assert_close(evaluate("X_{r't} = Q_{rt} delta^r_{r'}", OWN).value, q)
    torch.testing.assert_close(evaluate("X = M_d^d".replace("X = ", ""), OWN).value, value_of("M", "d", "d").trace())
    k = OWN.look("K", ("s", "g", "d"), (0, 0)).value
    grouped = evaluate(
        "L_{sh}^d = K_{spi(h)}^d",
        tensors.Table(
            {"K": tensors.Named(k, ("time", "group", "dim"), "")}, {}, 4, 0.5, False, torch.zeros(2, dtype=torch.long)
        ),
    )
    torch.testing.assert_close(grouped.value, k.expand(6, 2, 4))


@pytest.mark.parametrize(
    "options",
    [
        {},
        dict(positions="alibi", window=5, n_kv_heads=2),
        dict(positions="learned", norm="layernorm", feedforward="gelu", bias=True, tied=False),
        dict(positions="none", n_kv_heads=1),
        dict(n_kv_heads=2, positions={"layout": "half"}, attention={"q_bias": True, "k_bias": True}),
    ],
    ids=["rope", "alibi-window", "notes", "none-mqa", "biases"],
)
def test_the_lines_of_a_block_are_the_models_tensors(options, tokenizer):
    lm = tiny.language_model(tokenizer, **options)
    trace = lm.trace(tiny.TEXT, keep=tensors.taps(1).__contains__)
    table, lines = tensors.of_block(lm, trace, 1), lines_of(lm.config, 1)
    assert len(lines) == (16 if lm.config.positions.kind == "rope" else 14)
    for line, result, compared in run_lines(lines, table):
        assert not result.checked.findings, (line.text, result.checked.findings)
        assert compared is not None and compared.error <= SAME, line.text
    torch.testing.assert_close(table.tensors["A"].value[..., 0], trace.attention(1, 0))
    torch.testing.assert_close(table.tensors["Hout"].value, trace["blocks.1.resid_post"][0])


FORMULAS = (
    "Y_{th}^d = sum_{s<=t, t-s<2} A_{ts}^{(h)} V_{sh}^d",
    "A_{ts}^{(h)} = softmax_{s<=t}(1/sqrt(dk) Q_{th}^d K_{shd} - m_h (t-s))",
    "X_{st} = relu(A_{ts} + B_s) - 2 C_t",
    "X_{r't} = Q_{rt} delta^r_{r'}",
    "Y_t^d = N_t^d / z_t",
    "X_t^e = sigma(G_t^e) (H''_t^f W1_f^e)",
    "L_{ts}^{(h)} = 1/sqrt(dk) H_t^f WQ_{hf}^d WK_{hcd} H_s^c",
    "H''_t^f = LN2(H'_t^f)",
)


@pytest.mark.parametrize("style", code.STYLES)
@pytest.mark.parametrize("text", FORMULAS)
def test_the_code_computes_the_same(text, style):
    table = tensors.of_sizes(tensors.read_sizes(SIZES.replace("s=6", "s=5") + " c=8"))
    result = evaluate(text, table)
    assert result.plan is not None and result.value is not None
    left = result.checked.line.left.name
    scope = {"torch": torch, "einsum": einops.einsum, "dk": table.head_dim, "pi": table.head_of, **table.functions}
    for step in code.steps(result.plan):
        if isinstance(step, code.Load):
            scope[code.name(step.name)] = table.look(step.name, step.letters, (0, 0)).value
    exec(code.write_code(result.plan, left, style), scope)
    torch.testing.assert_close(scope[code.name(left)], result.value, rtol=1e-4, atol=1e-5)


@given(einsums())
@settings(deadline=None)
def test_the_code_of_random_products_computes_the_same(given):
    text, inputs, _, sizes = given
    table = tensors.of_sizes(sizes)
    result = evaluate(text, table)
    for style in code.STYLES:
        scope = {"torch": torch, "einsum": einops.einsum}
        scope |= {name: table.look(name, tuple(letters), (0, 0)).value for name, letters in zip("ABCD", inputs)}
        exec(code.write_code(result.plan, "X", style), scope)
        torch.testing.assert_close(scope["X"], result.value, rtol=1e-4, atol=1e-5)
