"""Index notation as a tree: tensors with upper and lower indices, products, sums, masks and functions; and how it is
written.

`write` and `parsing.parse` are inverse to each other. A node knows where it stands in the text (`at`), which two equal
nodes may differ in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tlmviz.errors import Error

Span = tuple[int, int]  # from which character of the text, and up to which
NOWHERE: Span = (0, 0)
TEMPORAL = frozenset("tsu")  # never summed without a written sum (003 section 1)


class BadNotation(Error):
    """A formula that cannot be read, or not be run; `at` is the place in its text."""

    def __init__(self, message: str, at: Span = NOWHERE):
        super().__init__(message)
        self.at = at


def _at() -> Span:
    return field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Index:
    """One index of a tensor. `label` is one in brackets, as h in L_{ts}^{(h)}: it numbers and is neither up nor down.

    `mapped` is π(h), the group of keys and values that head h reads (003 section 6.1).
    """

    letter: str
    up: bool = False
    label: bool = False
    mapped: bool = False
    at: Span = _at()

    @property
    def temporal(self) -> bool:
        """Whether it is a position in a text."""
        return self.letter[0] in TEMPORAL


@dataclass(frozen=True)
class Tensor:
    """A name with its indices, in the order of the tensor's axes; "delta" is Kronecker's."""

    name: str
    indices: tuple[Index, ...]
    at: Span = _at()
    named: Span = _at()  # where the name alone stands


@dataclass(frozen=True)
class Number:
    """A number as it was written, without a sign."""

    text: str
    at: Span = _at()


@dataclass(frozen=True)
class Size:
    """d_k, the number of dimensions of a head."""

    at: Span = _at()


@dataclass(frozen=True)
class Place:
    """An index as a number: t in m_h (t - s)."""

    letter: str
    at: Span = _at()


@dataclass(frozen=True)
class Side:
    """One side of a comparison: letters and whole numbers, each with +1 or -1."""

    parts: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Condition:
    """A comparison of positions, such as s<=t or t-s<64."""

    left: Side
    relation: str  # one of RELATIONS
    right: Side
    at: Span = _at()


@dataclass(frozen=True)
class Mask:
    """[s<=t]: 1 where it holds, else 0."""

    condition: Condition
    at: Span = _at()


@dataclass(frozen=True)
class Axis:
    """What a sum or a softmax runs over, and which places of it."""

    letter: str
    conditions: tuple[Condition, ...] = ()
    at: Span = _at()


@dataclass(frozen=True)
class Sum:
    """Σ over one index of a term."""

    axis: Axis
    body: Node
    at: Span = _at()


@dataclass(frozen=True)
class Call:
    """A function of an expression; `axis` is there for softmax alone."""

    function: str
    body: Node
    axis: Axis | None = None
    at: Span = _at()


@dataclass(frozen=True)
class Inverse:
    """1 / x, as a factor."""

    body: Node
    at: Span = _at()


@dataclass(frozen=True)
class Product:
    """Factors side by side."""

    factors: tuple[Node, ...]
    at: Span = _at()


@dataclass(frozen=True)
class Total:
    """Terms with signs, +1 or -1."""

    terms: tuple[tuple[int, Node], ...]
    at: Span = _at()


Node = Tensor | Number | Size | Place | Mask | Sum | Call | Inverse | Product | Total


@dataclass(frozen=True)
class Line:
    """A formula: what it defines, if it says so, and the expression."""

    left: Tensor | None
    right: Node


RELATIONS = ("<=", ">=", "==", "!=", "<", ">")
# `sigma` is the model's activation, `LN1` and `LN2` the norms of its block.
FUNCTIONS = ("sigma", "exp", "log", "sqrt", "tanh", "relu", "gelu", "silu", "LN1", "LN2")


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly below one."""
    match node:
        case Product():
            return node.factors
        case Total():
            return tuple(term for _, term in node.terms)
        case Sum() | Call() | Inverse():
            return (node.body,)
    return ()


def walk(node: Node) -> Iterator[Node]:
    """A node and all below it."""
    yield node
    for child in children(node):
        yield from walk(child)


def write(line: Line) -> str:
    """The formula as text that `parsing.parse` reads as the same tree."""
    right = _sum_of(line.right)
    return right if line.left is None else f"{_tensor(line.left)} = {right}"


def _sum_of(node: Node) -> str:
    if not isinstance(node, Total):
        return _term(node)
    text = ""
    for sign, term in node.terms:
        joint = (" - " if sign < 0 else " + ") if text else ("-" if sign < 0 else "")
        text += joint + (f"({_sum_of(term)})" if isinstance(term, Total) else _term(term))
    return text


def _term(node: Node) -> str:
    if not isinstance(node, Product):
        return _factor(node, last=True)
    text = ""
    for number, factor in enumerate(node.factors):
        joint = "" if not text else ("/" if isinstance(factor, Inverse) else " ")
        text += joint + _factor(factor, last=number == len(node.factors) - 1)
    return text


def _factor(node: Node, last: bool) -> str:
    match node:
        case Tensor():
            return _tensor(node)
        case Number():
            return node.text
        case Size():
            return "dk"
        case Place():
            return node.letter
        case Mask():
            return f"[{_condition(node.condition)}]"
        case Inverse():
            return _factor(node.body, last=False)
        case Sum():
            body = f"({_sum_of(node.body)})" if isinstance(node.body, Total) else _term(node.body)
            text = f"sum_{{{_axis(node.axis)}}} {body}"
            return text if last else f"({text})"
        case Call():
            axis = "" if node.axis is None else f"_{{{_axis(node.axis)}}}"
            return f"{node.function}{axis}({_sum_of(node.body)})"
        case Product() | Total():
            return f"({_sum_of(node)})"


def _axis(axis: Axis) -> str:
    """The index, and its conditions: where the first of these begins with the index, that names it."""
    written = ", ".join(_condition(condition) for condition in axis.conditions)
    if axis.conditions and axis.conditions[0].left.parts[0] == (1, axis.letter):
        return written
    return ", ".join(filter(None, (axis.letter, written)))


def _condition(condition: Condition) -> str:
    return f"{_side(condition.left)}{condition.relation}{_side(condition.right)}"


def _side(side: Side) -> str:
    text = "".join(("-" if sign < 0 else "+") + part for sign, part in side.parts)
    return text.removeprefix("+")


def _tensor(tensor: Tensor) -> str:
    text, up = tensor.name, None
    for index in tensor.indices:
        name = f"pi({index.letter})" if index.mapped else index.letter
        name = f"({name})" if index.label else name
        if index.up is up:
            text = text[:-1] + name + "}"
        else:
            text += ("^" if index.up else "_") + "{" + name + "}"
        up = index.up
    return text
