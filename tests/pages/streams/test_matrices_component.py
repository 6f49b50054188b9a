"""The matrices in the browser: what is sent, and the script's arithmetic against NumPy and the package."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.optimize import linear_sum_assignment

from pages.streams.mhc.matrices import component as view
from tlmviz import kernels
from tlmviz.analysis.streams.birkhoff import TOLERANCE, birkhoff
from tlmviz.analysis.streams.mixing import Mixing, sublayers
from tlmviz.errors import BadShape

FOLDER = Path(view.__file__).parent
STATE = {"token": 1, "sublayer": 2, "row": 1, "col": 0, "colors": "value", "seq": 3}


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
    """Every matrix with what the script computes of it, run by Node."""
    given = matrices()
    script = (
        (FOLDER / "math.js").read_text(encoding="utf-8")
        + """
const found = JSON.parse(require("fs").readFileSync(0)).map((matrix) => {
  const n = Math.round(Math.sqrt(matrix.length));
  const { rows, columns } = sums(matrix, n);
  return { roots: eigenvalues(matrix, n), singular: singularValues(matrix, n), rows: [...rows], columns: [...columns],
    ...distances(matrix, n), parts: birkhoff(matrix, n, TOLERANCE) };
});
console.log(JSON.stringify(found));"""
    )
    done = subprocess.run(
        [shutil.which("node"), "-e", f"const TOLERANCE = {TOLERANCE};\n{script}"],
        input=json.dumps([one.ravel().tolist() for one in given]),
        capture_output=True,
        text=True,
        check=True,
    )
    return list(zip(given, json.loads(done.stdout), strict=True))


def test_eigenvalues_are_numpys(computed):
    for matrix, found in computed:
        mine = np.array([complex(*root) for root in found["roots"]])
        apart = np.abs(mine[:, None] - np.linalg.eigvals(matrix)[None])
        assert apart[linear_sum_assignment(apart)].max() < 1e-9 * max(1, np.abs(matrix).max()), matrix
        assert (np.diff(np.abs(mine)) <= 1e-9 * max(1, np.abs(matrix).max())).all(), "largest first"


def test_singular_values_sums_and_distances_are_numpys(computed):
    for matrix, found in computed:
        size = max(1, np.abs(matrix).max())
        np.testing.assert_allclose(
            found["singular"], np.linalg.svd(matrix, compute_uv=False), atol=1e-12 * size
        )
        np.testing.assert_allclose(found["rows"], matrix.sum(1), atol=1e-12 * size)
        np.testing.assert_allclose(found["columns"], matrix.sum(0), atol=1e-12 * size)
        assert found["fromIdentity"] == pytest.approx(
            np.linalg.norm(matrix - np.eye(len(matrix))), abs=1e-12 * size
        )
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
        np.testing.assert_allclose(
            [term["weight"] for term in found["parts"]["terms"]], wanted.weights, atol=1e-13
        )
        assert found["parts"]["residual"] == pytest.approx(wanted.residual, abs=1e-12)
    assert 10 < refused < len(computed) - 20, "both kinds were tried"


def test_all_matrices_travel_as_they_are():
    generator = torch.Generator().manual_seed(0)
    mixing = Mixing(*(torch.randn(4, 3, *shape, generator=generator) for shape in ((2,), (2,), (2, 2))))
    data = view.payload(
        mixing, ["a", "<b>", " c"], sublayers(2), STATE, kind="hyper", model="m", tolerance=TOLERANCE
    )
    end = 4 + int.from_bytes(data[:4], "little")
    header = json.loads(data[4:end])
    assert header["names"] == ["attention 0", "MLP 0", "attention 1", "MLP 1"] and header["state"] == STATE
    assert header["streams"] == 2 and header["tokens"] == ["a", "<b>", " c"]
    for name in ("pre", "post", "res"):
        values = getattr(mixing, name).numpy()
        sent = np.frombuffer(data, "<f4", values.size, end + header["arrays"][name]["offset"])
        np.testing.assert_array_equal(sent, values.ravel())


def test_the_longest_text_of_the_deepest_model_stays_below_the_limit():
    shares = torch.zeros(48, 256, 4)
    data = view.payload(
        Mixing(shares, shares, torch.zeros(48, 256, 4, 4)),
        ["token"] * 256,
        sublayers(24),
        STATE,
        kind="manifold",
        model="m",
        tolerance=TOLERANCE,
    )
    assert len(data) < 1_250_000


def test_scripts_are_short_and_never_parse_the_users_text():
    for name in view.SCRIPTS:
        text = (FOLDER / name).read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 300 and "innerHTML" not in text
