"""A formula as TeX, with the places of findings in colour."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .syntax import (
    Axis,
    Call,
    Condition,
    Index,
    Inverse,
    Line,
    Mask,
    Node,
    Number,
    Place,
    Product,
    Side,
    Size,
    Span,
    Sum,
    Tensor,
    Total,
)

NAMES = {
    "Htilde": r"\widetilde{H}",
    "Qhat": r"\widehat{Q}",
    "Khat": r"\widehat{K}",
    "Aout": "A",  # the notes use A for the weights and for attention's output
    "Hout": r"H^{\text{out}}",
    "delta": r"\delta",
}
RELATIONS = {"<=": r"\le ", ">=": r"\ge ", "==": "=", "!=": r"\ne ", "<": "<", ">": ">"}
FUNCTIONS = {"sigma": r"\sigma", "LN1": r"\mathrm{LN}_1", "LN2": r"\mathrm{LN}_2"}
_COLOR = "#d1490c"


class _Writer:
    def __init__(self, marks: Sequence[Span]):
        self.marks = [mark for mark in marks if mark[1] > mark[0]]

    def marked(self, text: str, at: Span) -> str:
        """The text in colour where its place lies within a mark."""
        inside = at[1] > at[0] and any(start <= at[0] and at[1] <= stop for start, stop in self.marks)
        return rf"\textcolor{{{_COLOR}}}{{\boldsymbol{{{text}}}}}" if inside else text

    def node(self, node: Node, bracket: bool = False) -> str:
        text = self.plain(node)
        return rf"\left({text}\right)" if bracket else text

    def plain(self, node: Node) -> str:
        match node:
            case Tensor():
                return self.tensor(node)
            case Number():
                return self.marked(node.text, node.at)
            case Size():
                return self.marked("d_k", node.at)
            case Place():
                return self.marked(_letter(node.letter), node.at)
            case Mask():
                return self.marked(rf"[\,{self.condition(node.condition)}\,]", node.at)
            case Sum():
                total = isinstance(node.body, Total)
                return rf"\sum_{{{self.axis(node.axis)}}} {self.node(node.body, total)}"
            case Call():
                return self.call(node)
            case Inverse():
                return rf"\frac{{1}}{{{self.plain(node.body)}}}"
            case Product():
                return self.product(node)
        return self.total(node)

    def call(self, node: Call) -> str:
        if node.function == "sqrt":
            return rf"\sqrt{{{self.plain(node.body)}}}"
        name = FUNCTIONS.get(node.function, rf"\mathrm{{{node.function}}}")
        axis = "" if node.axis is None else f"_{{{self.axis(node.axis)}}}"
        return rf"{name}{axis}\!\left({self.plain(node.body)}\right)"

    def product(self, node: Product) -> str:
        parts: list[str] = []
        for factor in node.factors:
            if isinstance(factor, Inverse) and parts:
                parts[-1] = rf"\frac{{{parts[-1]}}}{{{self.plain(factor.body)}}}"
            else:
                last = factor is node.factors[-1]
                bracket = isinstance(factor, Total | Product) or (isinstance(factor, Sum) and not last)
                parts.append(self.node(factor, bracket))
        return r"\, ".join(parts)

    def total(self, node: Total) -> str:
        text = ""
        for sign, term in node.terms:
            text += (" - " if sign < 0 else " + ") if text else ("-" if sign < 0 else "")
            text += self.node(term, isinstance(term, Total))
        return text

    def axis(self, axis: Axis) -> str:
        if not axis.conditions:
            return self.marked(_letter(axis.letter), axis.at)
        return self.marked(r",\ ".join(map(self.condition, axis.conditions)), axis.at)

    def condition(self, condition: Condition) -> str:
        text = f"{_side(condition.left)} {RELATIONS[condition.relation]} {_side(condition.right)}"
        return self.marked(text, condition.at)

    def tensor(self, tensor: Tensor) -> str:
        base, label = name(tensor.name)
        text = self.marked(base, tensor.named)
        groups = _groups(tensor.indices)
        if label and (not groups or groups[0][0]):
            text += f"_{{{label}}}"
        for number, (up, indices) in enumerate(groups):
            inside = "".join(self.index(index) for index in indices)
            if not number and not up and label:  # W_{Q hf}, as the notes write it
                inside = rf"{label}\,{inside}"
            # a second group stands behind the first, and not above it
            text = text + ("{}" if number else "") + ("^" if up else "_") + "{" + inside + "}"
        return text

    def index(self, index: Index) -> str:
        text = _letter(index.letter)
        text = rf"\pi({text})" if index.mapped else text
        return self.marked(f"({text})" if index.label else text, index.at)


def _groups(indices: tuple[Index, ...]) -> list[tuple[bool, list[Index]]]:
    found: list[tuple[bool, list[Index]]] = []
    for index in indices:
        if not found or found[-1][0] != index.up:
            found.append((index.up, []))
        found[-1][1].append(index)
    return found


def _letter(letter: str) -> str:
    return letter.replace("ρ", r"\rho ").replace("π", r"\pi ")


def _side(side: Side) -> str:
    text = "".join((" - " if sign < 0 else " + ") + part for sign, part in side.parts)
    return text.removeprefix(" + ")


def name(plain: str) -> tuple[str, str]:
    """A tensor's name as the notes write it, and what stands below it before its indices: Qhat has a hat, WQ is W with
    Q."""
    base, primes = plain.rstrip("'"), "'" * (len(plain) - len(plain.rstrip("'")))
    parts = re.fullmatch(r"([Wb])([A-Z0-9]+)", base)
    if parts:
        return parts[1] + primes, parts[2]
    text = NAMES.get(base) or (base if len(base) == 1 else rf"\mathrm{{{base}}}")
    return (f"{{{text}{primes}}}" if primes or "^" in text else text), ""


def latex(line: Line, marks: Sequence[Span] = ()) -> str:
    """A formula as KaTeX reads it; what stands within `marks`, places in its text, is coloured."""
    writer = _Writer(marks)
    right = writer.plain(line.right)
    return right if line.left is None else f"{writer.tensor(line.left)} = {right}"
