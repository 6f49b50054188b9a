"""The checker of signatures: wrong shapes are refused, also after right ones, and own refusals come first."""

import pytest
import torch
from jaxtyping import Float, TypeCheckError
from torch import Tensor

from tests.typecheck import checked
from tlmviz.errors import BadShape


def test_a_wrong_shape_is_refused_also_after_a_right_one():
    @checked
    def join(x: Float[Tensor, "t d"], y: Float[Tensor, "t d"]) -> Float[Tensor, "t d"]:
        return x + y

    right, wrong = torch.zeros(3, 2), torch.zeros(1, 2)
    for _ in range(2):
        assert join(right, right).shape == (3, 2)
        with pytest.raises(TypeCheckError):
            join(right, wrong)


def test_a_wrong_result_is_refused():
    @checked
    def grow(x: Float[Tensor, " t"]) -> Float[Tensor, " t"]:
        return torch.cat((x, x))

    with pytest.raises(TypeCheckError):
        grow(torch.zeros(2))


def test_a_refusal_of_its_own_goes_first():
    @checked
    def refuse(x: Float[Tensor, " t"]) -> None:
        raise BadShape("one dimension, please")

    with pytest.raises(BadShape):
        refuse(torch.zeros(2, 2))
