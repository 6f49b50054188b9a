"""The kernels of the engine: their bytes are what their text compiles to, and their numbers are NumPy's."""

import json
import subprocess

import numpy as np
import pytest

from tests.javascript.node import FUSED, ROOT, evaluate, node

COMPILER = ROOT / "tests/browser_engine/compile_kernels.mjs"
IMPORTS = {"tlmviz/browser/memory.js": "Memory, Matrix, Panels"}


@pytest.mark.parametrize("folder", [".", "training", "blocks"])
def test_compiling_the_kernels_again_gives_the_same_bytes(folder):
    command = node(str(COMPILER), folder)
    run = subprocess.run(command, capture_output=True, cwd=ROOT, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    written = ROOT / "tlmviz" / "browser" / folder / "kernel_bytes.js"
    assert run.stdout == written.read_text(encoding="utf-8")


def test_the_kernels_are_compiled_by_a_script_of_the_package():
    scripts = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["scripts"]
    assert scripts["kernels"].count(str(COMPILER.relative_to(ROOT))) == 3


@pytest.mark.parametrize("flags", [(), (FUSED,)], ids=["plain", "fused"])
@pytest.mark.parametrize("rows", [1, 3, 4, 5, 9])
@pytest.mark.parametrize("outputs, inputs", [(8, 1), (6, 5), (24, 16), (33, 10)])
def test_a_matrix_product_of_any_size(rows, outputs, inputs, flags):
    draw = np.random.default_rng(rows)
    x, w, bias = (draw.standard_normal(shape) for shape in ((rows, inputs), (outputs, inputs), outputs))
    body = """
const memory = new Memory();
const [x, y] = [memory.take(1000), memory.take(1000)];
const flat = (name) => Float32Array.from(given[name].flat());
const matrix = new Matrix(memory, flat("w"), given.outputs, given.inputs, flat("bias"));
memory.numbers.set(flat("x"), x);
memory.numbers.fill(7, y, y + 1000);
matrix.apply(x, y, given.rows);
result = Array.from(memory.numbers.subarray(y, y + given.rows * given.outputs + 1));
"""
    arrays = {"x": x.tolist(), "w": w.tolist(), "bias": bias.tolist()}
    given = {**arrays, "rows": rows, "outputs": outputs, "inputs": inputs}
    found = np.array(evaluate(IMPORTS, body, given, *flags))
    assert found[-1] == 7  # nothing behind the last row is touched
    np.testing.assert_allclose(found[:-1].reshape(rows, outputs), x @ w.T + bias, rtol=1e-5, atol=1e-5)


def numbers_of(call: str, given: list[float], size: int) -> np.ndarray:
    """What a kernel leaves of some numbers at `x`, and of those at `out` behind them."""
    body = f"""
const memory = new Memory();
const [x, out] = [memory.take({size}), memory.take({size})];
memory.numbers.set(given, x);
const {{ kernels }} = memory;
{call};
result = Array.from(memory.numbers.subarray(x, x + 2 * {size}));
"""
    return np.array(evaluate(IMPORTS, body, given)).reshape(2, size)


def test_exponentials_are_exact_to_float32_and_0_far_below():
    x = np.linspace(-39.9, 20, 4096)
    found, _ = numbers_of("kernels.exponentials(x * 4, 4096, 1, 0)", x.tolist(), 4096)
    np.testing.assert_allclose(found, np.exp(np.float32(x).astype(float)), rtol=4e-7)
    found, _ = numbers_of("kernels.exponentials(x * 4, 8, 2, 3)", [0, 1, -1, -18.6, -1e30, -3e38, 1.5, 0.5], 8)
    expected = np.exp([-3, -1, -5, -np.inf, -np.inf, -np.inf, 0, -2])
    np.testing.assert_allclose(found, expected, rtol=4e-7)
    assert (found[3:6] == 0).all()


def test_softmax_gives_each_rows_largest_score_and_sum():
    x = np.random.default_rng(0).normal(0, 5, (3, 8)).astype(np.float32)
    x[1, 3:] = -1e30  # hidden
    found, out = numbers_of("kernels.softmax(x * 4, 3, 8, 0.5, out * 4)", x.ravel().tolist(), 24)
    scaled = x.astype(float) / 2
    weights = np.exp(scaled - scaled.max(1, keepdims=True))
    np.testing.assert_allclose(found.reshape(3, 8), weights, rtol=1e-6)
    np.testing.assert_allclose(out[:6].reshape(3, 2), np.stack([scaled.max(1), weights.sum(1)], 1), rtol=1e-6)


def test_silu_is_exact_to_float32_at_both_ends():
    x = np.array([-100, -41, -39, -1, 0, 1, 39, 100])
    _, out = numbers_of("kernels.silu(x * 4, out * 4, 8)", x.tolist(), 8)
    np.testing.assert_allclose(out, x / (1 + np.exp(-x.astype(float))), rtol=1e-6, atol=1e-30)
