"""A checked formula as what is to be computed: contractions, masks, functions and sums, each with the indices of its
result.

`running` computes a plan, `costing` counts its products, `code` writes it as Python.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .checking import Checked, letters_in, letters_of
from .mistakes import scalar
from .syntax import Axis, Call, Condition, Inverse, Mask, Node, Place, Product, Sum, Tensor, Total, write
from .syntax import Line as _Line

Letters = tuple[str, ...]


@dataclass(frozen=True)
class Load:
    """A tensor by name, an index for each axis; `mapped` are axes that π(h) picks groups from."""

    name: str
    letters: Letters
    mapped: tuple[int, ...] = ()


@dataclass(frozen=True)
class Eye:
    """Kronecker's delta of two indices."""

    letters: Letters


@dataclass(frozen=True)
class Where:
    """1 where all conditions hold, else 0."""

    conditions: tuple[Condition, ...]
    letters: Letters


@dataclass(frozen=True)
class Count:
    """An index as a number: 0, 1, 2, …"""

    letters: Letters


@dataclass(frozen=True)
class Contract:
    """The product of its parts, summed over every index that `letters` lack, times a scalar that `text` writes."""

    parts: tuple[Plan, ...]
    letters: Letters
    factor: float = 1.0
    text: str = ""


@dataclass(frozen=True)
class Apply:
    """A function of every number (or of the last axis, for a norm)."""

    function: str
    part: Plan
    letters: Letters


@dataclass(frozen=True)
class Shares:
    """softmax over one index of what the conditions leave."""

    part: Plan
    axis: str
    conditions: tuple[Condition, ...]
    letters: Letters


@dataclass(frozen=True)
class Added:
    """A sum of parts with signs, each spread over the indices that it lacks."""

    parts: tuple[tuple[int, Plan], ...]
    letters: Letters


Plan = Load | Eye | Where | Count | Contract | Apply | Shares | Added


def plan_of(checked: Checked) -> Plan:
    """The plan of a formula that runs; its result has the indices of the left side, in their order."""
    return _plan(checked.line.right, checked.out)


def steps(plan: Plan) -> Iterator[Plan]:
    """Every part of a plan, those that are computed first coming first."""
    for part in parts_of(plan):
        yield from steps(part)
    yield plan


def parts_of(plan: Plan) -> tuple[Plan, ...]:
    """The plans directly below one."""
    match plan:
        case Contract():
            return plan.parts
        case Added():
            return tuple(part for _, part in plan.parts)
        case Apply() | Shares():
            return (plan.part,)
    return ()


def _plan(node: Node, wanted: Letters) -> Plan:
    match node:
        case Tensor(name="delta"):
            return _kept(Eye(tuple(index.letter for index in node.indices)), wanted)
        case Tensor():
            mapped = tuple(number for number, index in enumerate(node.indices) if index.mapped)
            return _kept(Load(node.name, tuple(index.letter for index in node.indices), mapped), wanted)
        case Place():
            return _kept(Count((node.letter,)), wanted)
        case Mask():
            return _kept(Where((node.condition,), letters_of(node.condition)), wanted)
        case Sum():
            return _product((node,), wanted)
        case Call(axis=Axis()):
            return _shares(node, wanted)
        case Call():
            return _apply(node, wanted)
        case Total():
            return _added(node, wanted)
        case Product():
            return _product(node.factors, wanted)
        case Inverse():
            return _product((node,), wanted)
    return _product((node,), wanted)


def _kept(plan: Plan, wanted: Letters) -> Plan:
    """A plan without the indices that nobody wants, in the order that is wanted."""
    letters = tuple(letter for letter in wanted if letter in plan.letters)
    return plan if letters == plan.letters else Contract((plan,), letters)


def _flat(factors: tuple[Node, ...]) -> tuple[list[Node], list[Condition], set[str]]:
    """The factors of a product and of a sum at its end, with the conditions and the indices of the sum."""
    every: list[Node] = []
    conditions: list[Condition] = []
    summed: set[str] = set()
    for factor in factors:
        if isinstance(factor, Sum) and factor is factors[-1]:
            body = factor.body.factors if isinstance(factor.body, Product) else (factor.body,)
            inner, more, also = _flat(body)
            every += inner
            conditions += [*factor.axis.conditions, *more]
            summed |= {factor.axis.letter} | also
        else:
            every.append(factor)
    return every, conditions, summed


def _product(factors: tuple[Node, ...], wanted: Letters) -> Plan:
    nodes, conditions, summed = _flat(factors)
    if any(summed & letters_in(factor) for factor in factors[:-1]):  # another index of the same name outside of the sum
        nodes, conditions, summed = [*factors[:-1], factors[-1]], [], set()
    factor, texts, parts = 1.0, [], []
    letters = [letters_in(node) for node in nodes]
    of_conditions = {letter for condition in conditions for letter in letters_of(condition)}
    for number, node in enumerate(nodes):
        value = scalar(node, HEAD_DIM)
        if value is not None:
            texts.append(("/" if isinstance(node, Inverse) else "") + _scalar_text(node))
            continue
        beside = set().union(of_conditions, *(own for other, own in enumerate(letters) if other != number))
        asked = tuple(dict.fromkeys((*wanted, *sorted((beside | summed) & letters[number]))))
        if isinstance(node, Sum):  # not flattened: its own index is gone behind it
            asked = tuple(letter for letter in asked if letter != node.axis.letter)
            parts.append(_product((node,), asked))
        elif isinstance(node, Inverse):
            body = _plan(node.body, tuple(dict.fromkeys((*asked, *sorted(letters[number])))))
            parts.append(Apply("1/", body, body.letters))
        else:
            parts.append(_operand(node, asked))
    if conditions:
        compared = tuple(dict.fromkeys(letter for condition in conditions for letter in letters_of(condition)))
        parts.append(Where(tuple(conditions), compared))
    there = {letter for part in parts for letter in part.letters}
    out = tuple(letter for letter in wanted if letter in there and letter not in summed)
    return Contract(tuple(parts), out, factor, "".join(texts))


def _operand(node: Node, wanted: Letters) -> Plan:
    """A factor's plan; a tensor whose indices are all wanted is taken as it lies."""
    if isinstance(node, Tensor):
        letters = tuple(index.letter for index in node.indices)
        if set(letters) <= set(wanted):
            return _plan(node, letters)
    return _plan(node, wanted)


HEAD_DIM = 1  # any number will do to see whether a node is a scalar


def _scalar_text(node: Node) -> str:
    return write(_Line(None, node.body if isinstance(node, Inverse) else node)).replace(" ", "*")


def _shares(node: Call, wanted: Letters) -> Plan:
    axis = node.axis
    assert axis is not None
    own = {letter for condition in axis.conditions for letter in letters_of(condition)}
    inside = letters_in(node.body)
    asked = tuple(dict.fromkeys((*wanted, *sorted((own | {axis.letter}) & inside))))
    part = _plan(node.body, asked)
    held = tuple(c for c in axis.conditions if set(letters_of(c)) <= set(part.letters))
    return _kept(Shares(part, axis.letter, held, part.letters), wanted)


def _apply(node: Call, wanted: Letters) -> Plan:
    part = _plan(node.body, wanted)
    if node.function.startswith("LN") and part.letters and part.letters[-1] != _channel(part.letters):
        order = (*(letter for letter in part.letters if letter != _channel(part.letters)), _channel(part.letters))
        part = _kept(part, order)
    return _kept(Apply(node.function, part, part.letters), wanted)


def _channel(letters: Letters) -> str:
    """The index that a norm runs over: the model's channel, else the last."""
    return next((letter for letter in letters if letter[0] in "fec"), letters[-1])


def _added(node: Total, wanted: Letters) -> Plan:
    parts = tuple((sign, _plan(term, wanted)) for sign, term in node.terms)
    there = {letter for _, part in parts for letter in part.letters}
    return Added(parts, tuple(letter for letter in wanted if letter in there))
