"""The matrices in the browser: what is sent, and the scripts' arithmetic against NumPy and the package."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from scipy.optimize import linear_sum_assignment

from pages.streams.mhc.matrices.data import pack_roots
from pages.streams.mhc.matrices.view import payload
from tests.javascript.node import evaluate
from tlmviz import kernels
from tlmviz.analysis.streams.birkhoff import TOLERANCE, birkhoff
from tlmviz.analysis.streams.mixing import Mixing, eigenvalues, sublayers
from tlmviz.errors import BadShape
from tlmviz.ui.components.attention_view import pack

ARITHMETIC = "pages/streams/mhc/matrices/arithmetic.js"
IMPORTS = {
    "tlmviz/ui/components/canvas/matrix.js": "singularValues, sums",
    ARITHMETIC: "birkhoff, distances, unpackRoots",
}


def matrices() -> list[np.ndarray]:
    """Free ones, doubly stochastic ones, and those that are hard for an eigenvalue routine."""
    rng = np.random.default_rng(0)
    found = []
    for n in (1, 2, 3, 4, 5, 8, 16):
        found += list(rng.standard_normal((3, n, n)))
        found += list(kernels.sinkhorn(torch.tensor(4 * rng.standard_normal((3, n, n))), 200).numpy())
        jordan = np.eye(n) + np.diag(np.ones(n - 1), 1)
        found += [
            np.eye(n),
            np.full((n, n), 1 / n),
            np.eye(n)[rng.permutation(n)],
            np.roll(np.eye(n), 1, 0),
            np.zeros((n, n)),
        ]
        found += [jordan, np.eye(n) + 1e-9 * rng.standard_normal((n, n)), 1e6 * rng.standard_normal((n, n))]
    return found


@pytest.fixture(scope="module")
def computed():
    """Every matrix with what the scripts compute of it, run by Node, and its eigenvalues as they come out of the
    payload."""
    given = matrices()
    body = """
result = given.matrices.map(({ matrix, values, pairs }) => {
  const n = values.length;
  const { rows, columns } = sums(matrix, n);
  return { roots: unpackRoots(values, pairs), singular: singularValues(matrix, n), rows: [...rows],
    columns: [...columns],
    ...distances(matrix, n), parts: birkhoff(matrix, n, given.tolerance) };
});"""
    sent = []
    for matrix in given:
        values, pairs = pack_roots(eigenvalues(torch.from_numpy(matrix)))
        sent.append({"matrix": matrix.ravel().tolist(), "values": values.tolist(), "pairs": pairs.tolist()})
    found = evaluate(IMPORTS, body, {"matrices": sent, "tolerance": TOLERANCE})
    return list(zip(given, found, strict=True))


def test_eigenvalues_are_numpys(computed):
    for matrix, found in computed:
        mine = np.array([complex(*root) for root in found["roots"]])
        apart = np.abs(mine[:, None] - np.linalg.eigvals(matrix)[None])
        assert apart[linear_sum_assignment(apart)].max() < 1e-9 * max(1, np.abs(matrix).max()), matrix
        assert (np.diff(np.abs(mine)) <= 1e-9 * max(1, np.abs(matrix).max())).all(), "largest first"


def test_singular_values_sums_and_distances_are_numpys(computed):
    for matrix, found in computed:
        size = max(1, np.abs(matrix).max())
        np.testing.assert_allclose(found["singular"], np.linalg.svd(matrix, compute_uv=False), atol=1e-12 * size)
        np.testing.assert_allclose(found["rows"], matrix.sum(1), atol=1e-12 * size)
        np.testing.assert_allclose(found["columns"], matrix.sum(0), atol=1e-12 * size)
        assert found["fromIdentity"] == pytest.approx(np.linalg.norm(matrix - np.eye(len(matrix))), abs=1e-12 * size)
        assert found["fromMean"] == pytest.approx(np.linalg.norm(matrix - 1 / len(matrix)), abs=1e-12 * size)


def test_permutations_are_those_of_the_package(computed):
    refused = 0
    for matrix, found in computed:
        try:
            wanted = birkhoff(matrix)
        except BadShape:
            refused += 1
            assert found["parts"] is None
            continue
        assert [term["columns"] for term in found["parts"]["terms"]] == wanted.permutations.tolist()
        np.testing.assert_allclose([term["weight"] for term in found["parts"]["terms"]], wanted.weights, atol=1e-13)
        assert found["parts"]["residual"] == pytest.approx(wanted.residual, abs=1e-12)
    assert 10 < refused < len(computed) - 20, "both kinds were tried"


def sent(mixing: Mixing, layers: int, kind: str = "hyper", tokens: list[str] | None = None) -> tuple[dict, dict]:
    """The header and the arrays that the view gets of these matrices."""
    tokens = tokens or ["token"] * mixing.res.shape[1]
    data = SimpleNamespace(
        tokens=tokens,
        sublayers=sublayers(layers),
        mixing=mixing,
        roots=pack_roots(eigenvalues(mixing.res)),
        connection=SimpleNamespace(streams=mixing.res.shape[-1], kind=kind),
        chosen=SimpleNamespace(model="m"),
    )
    return payload(data, maths=False)


def test_all_matrices_travel_as_they_are():
    generator = torch.Generator().manual_seed(0)
    mixing = Mixing(*(torch.randn(4, 3, *shape, generator=generator) for shape in ((2,), (2,), (2, 2))))
    header, arrays = sent(mixing, 2, tokens=["a", "<b>", " c"])
    assert header["names"] == ["attention 0", "MLP 0", "attention 1", "MLP 1"] and header["kind"] == "hyper"
    assert header["streams"] == 2 and header["tokens"] == ["a", "<b>", " c"]
    for name in ("pre", "post", "res"):
        assert arrays[name].dtype == np.float32
        np.testing.assert_array_equal(arrays[name], getattr(mixing, name).numpy())


def test_eigenvalues_travel_with_the_matrices():
    generator = torch.Generator().manual_seed(0)
    res = torch.randn(2, 3, 5, 5, generator=generator)
    _, arrays = sent(Mixing(torch.zeros(2, 3, 5), torch.zeros(2, 3, 5), res), 1)
    values, pairs = arrays["roots"], arrays["pairs"]
    assert pairs.dtype == np.uint8 and 0 < pairs.sum() < 30, "real ones and pairs were tried"
    trace = np.where(pairs == 0, values, 0).sum(-1)  # a pair adds twice its real part
    for p, t in np.ndindex(2, 3):
        firsts = np.flatnonzero(pairs[p, t])[::2]
        trace[p, t] += 2 * values[p, t, firsts].sum()
    np.testing.assert_allclose(trace, np.einsum("ptii->pt", res.numpy()), atol=1e-5)


def test_matrices_that_are_no_numbers_have_no_eigenvalues():
    res = torch.eye(2).repeat(3, 1, 1)
    res[1, 0, 0] = torch.nan
    roots = eigenvalues(res)
    assert np.isnan(roots[1]).all() and (roots[[0, 2]] == 1).all()


def test_the_longest_text_of_the_deepest_model_stays_below_the_limit():
    shares = torch.zeros(48, 256, 4)
    packed = pack(*sent(Mixing(shares, shares, torch.zeros(48, 256, 4, 4)), 24, kind="manifold"))
    assert len(packed) < 1_450_000  # matrices 1.18 MB, eigenvalues 0.25 MB
