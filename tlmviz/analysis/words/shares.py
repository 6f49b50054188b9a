"""What each part adds to a mean of vectors."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor


def shares(parts: Float[Tensor, "n c"]) -> Float[Tensor, " n"]:
    """Each part's share of the mean v of N vectors, p·v / (N |v|^2), [N]: how far it leads along v. They sum to 1.

    A part that points away from the mean has a share below 0. All are 0 where the mean is 0.
    """
    mean = parts.mean(0)
    return (parts @ mean) / (len(parts) * (mean @ mean)).clamp(min=1e-30)
