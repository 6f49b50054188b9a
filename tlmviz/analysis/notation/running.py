"""Computes the plan of a formula on the tensors of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import opt_einsum
import torch
from torch import Tensor
from torch.nn import functional as F

from .checking import Checked, check
from .costing import MOST_WORK, work
from .mistakes import look_for_mistakes, scalar
from .parsing import parse
from .plans import Added, Apply, Contract, Count, Eye, Load, Plan, Shares, Where, plan_of
from .syntax import NOWHERE, BadNotation, Condition, Side
from .tensors import Table, check_size

FUNCTIONS: dict[str, Callable[[Tensor], Tensor]] = {
    **{name: getattr(torch, name) for name in ("exp", "log", "sqrt", "tanh")},
    **{name: getattr(F, name) for name in ("relu", "gelu", "silu")},
    "1/": torch.reciprocal,
}


@dataclass(frozen=True)
class Result:
    """A formula, what was found in it, and, where it runs, its plan and value [sizes of `checked.out`]."""

    text: str
    checked: Checked
    plan: Plan | None
    value: Tensor | None


def evaluate(text: str, table: Table) -> Result:
    """Read, check and compute a formula. Raises BadNotation where it cannot be read, or is too large to be computed."""
    checked = check(parse(text), table)
    look_for_mistakes(checked, table)
    checked.sort()
    if not checked.runs:
        return Result(text, checked, None, None)
    plan = plan_of(checked)
    check_size([checked.sizes[letter] for letter in checked.out], NOWHERE)
    if work(plan, checked.sizes) > MOST_WORK:
        raise BadNotation(
            f"This takes {work(plan, checked.sizes):.1e} multiplications and additions, and at most {MOST_WORK:.0e} "
            "are made here; take smaller sizes."
        )
    with torch.inference_mode():
        value = Runner(table, checked.sizes).run(plan)
        value = spread(value, plan.letters, checked.out).expand([checked.sizes[letter] for letter in checked.out])
    return Result(text, checked, plan, value)


def spread(value: Tensor, letters: tuple[str, ...], onto: tuple[str, ...]) -> Tensor:
    """A tensor's axes in the order of `onto`, with an axis of one where it has none."""
    order = [letters.index(letter) for letter in onto if letter in letters]
    value = value.permute(order)
    for number, letter in enumerate(onto):
        if letter not in letters:
            value = value.unsqueeze(number)
    return value


class Runner:
    """Computes plans whose indices have these sizes."""

    def __init__(self, table: Table, sizes: Mapping[str, int]):
        self.table, self.sizes = table, sizes

    def run(self, plan: Plan) -> Tensor:
        """The plan's value, an axis for each of its letters."""
        match plan:
            case Load():
                return self.load(plan)
            case Eye():
                return torch.eye(self.sizes[plan.letters[0]])
            case Count():
                return torch.arange(self.sizes[plan.letters[0]], dtype=torch.float32)
            case Where():
                return self.where(plan.conditions, plan.letters).float()
            case Contract():
                return self.contract(plan)
            case Apply():
                function = self.table.functions.get(plan.function) or FUNCTIONS[plan.function]
                return function(self.run(plan.part))
            case Shares():
                scores = self.run(plan.part)
                kept = self.where(plan.conditions, plan.letters)
                return scores.masked_fill(~kept, -torch.inf).softmax(plan.letters.index(plan.axis))
        return self.added(plan)

    def load(self, plan: Load) -> Tensor:
        """A named tensor, its groups laid out for the heads where π(h) asks for it."""
        value = self.table.look(plan.name, plan.letters, NOWHERE).value
        for axis in plan.mapped:
            if value.shape[axis] != len(self.table.head_of):
                value = value.index_select(axis, self.table.head_of)
        return value

    def contract(self, plan: Contract) -> Tensor:
        """The product of the parts, in the order that costs least."""
        factor = scale_of(plan.text, self.table.head_dim)
        if not plan.parts:
            return torch.tensor(factor)
        operands = [each for part in plan.parts for each in (self.run(part), plan_ids(part.letters, self.sizes))]
        return opt_einsum.contract(*operands, plan_ids(plan.letters, self.sizes), optimize="auto") * factor

    def added(self, plan: Added) -> Tensor:
        """The sum of the parts."""
        total: Tensor = torch.zeros(())
        for sign, part in plan.parts:
            total = total + sign * spread(self.run(part), part.letters, plan.letters)
        return total

    def where(self, conditions: tuple[Condition, ...], letters: tuple[str, ...]) -> Tensor:
        """Which cells satisfy all conditions."""
        kept = torch.ones([1] * len(letters), dtype=torch.bool)
        for condition in conditions:
            kept = kept & holds(condition, letters, self.sizes)
        return kept


def plan_ids(letters: tuple[str, ...], sizes: Mapping[str, int]) -> list[int]:
    """Indices as the numbers that opt_einsum tells them apart by."""
    every = sorted(sizes)
    return [every.index(letter) for letter in letters]


def holds(condition: Condition, letters: tuple[str, ...], sizes: Mapping[str, int]) -> Tensor:
    """Where a condition holds, with an axis for each of the letters."""
    one, other = (_value(side, letters, sizes) for side in (condition.left, condition.right))
    compare = {"<=": torch.le, "<": torch.lt, ">=": torch.ge, ">": torch.gt, "==": torch.eq, "!=": torch.ne}[
        condition.relation
    ]
    shape = [sizes[letter] if letter in _letters(condition) else 1 for letter in letters]
    return compare(one, other).expand(shape)


def _letters(condition: Condition) -> set[str]:
    return {text for _, text in (*condition.left.parts, *condition.right.parts)}


def _value(side: Side, letters: tuple[str, ...], sizes: Mapping[str, int]) -> Tensor:
    total: Tensor = torch.zeros([1] * len(letters), dtype=torch.long)
    for sign, text in side.parts:
        if text.isdigit():
            total = total + sign * int(text)
        else:
            total = total + sign * spread(torch.arange(sizes[text]), (text,), letters)
    return total


def scale_of(text: str, head_dim: int) -> float:
    """The value of a product of numbers and d_k as `plans` writes it."""
    if not text:
        return 1.0
    value = scalar(parse(f"1{text}" if text.startswith("/") else text).right, head_dim)
    assert value is not None
    return value
