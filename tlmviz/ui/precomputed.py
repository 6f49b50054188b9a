"""The badge of figures that were computed beforehand: one of them is computed again, on this server, now."""

from __future__ import annotations

import numpy as np

from tlmviz.checks import Check
from tlmviz.ui import texts

TOLERANCE = 1e-3  # nats: other processors and versions of torch round otherwise; the pages show three digits


def precomputed_equals_live(what: str, found: np.ndarray, again: np.ndarray) -> Check:
    """A badge that says by how much a shipped figure differs from the same one computed now; another shape fails."""
    same = np.shape(found) == np.shape(again)
    error = float(np.abs(np.asarray(found) - again).max()) if same else float("inf")
    claim = texts.precomputed_claim(what)
    return Check("Shipped = computed now", claim, error, TOLERANCE, "nats")
