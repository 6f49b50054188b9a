"""Reads index notation: a small grammar by recursive descent, whose errors name the place.

line      = [tensor "="] sum
sum       = ["-"] term (("+" | "-") term)*
term      = factor (["*" | "/"] factor)*           "/" takes the next factor alone
factor    = number | "dk" | place | tensor | "(" sum ")" | "[" condition "]"
          | "sum_{" axis "}" term | "softmax_{" axis "}(" sum ")" | function "(" sum ")"
tensor    = name (("_" | "^") (index | "{" index+ "}"))+
index     = letter "'"* | "(" index ")" | "pi(" letter ")"
axis      = letter ["," conditions] | conditions   the first letter of the first condition is what it runs over
condition = side relation side                     a side is letters and whole numbers with + or -
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .syntax import (
    FUNCTIONS,
    RELATIONS,
    TEMPORAL,
    Axis,
    BadNotation,
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

LONGEST, DEEPEST, MOST_LETTERS = 600, 24, 12
SUMS = ("sum", "Σ")
DELTAS = ("delta", "δ")
_ALIKE = {"≤": "<=", "≥": ">=", "≠": "!=", "−": "-", "·": "*", "×": "*", "∑": "Σ", "’": "'", "σ": "sigma"}
_TOKEN = re.compile(
    r"(?P<space>\s+|\{\})|(?P<size>d_?k(?![\w']))|(?P<number>\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
    r"|(?P<name>[A-Za-zΑ-Ωα-ωΣ∑][A-Za-z0-9Α-Ωα-ω]*['’]*)|(?P<sign><=|>=|==|!=|[≤≥≠<>=+\-−*·×/()\[\]{}_^,])"
)
_SUBSCRIPT = re.compile(r"[A-Za-zα-ω]['’]*|\S")


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    at: Span


def parse(text: str) -> Line:
    """The formula as a tree. Raises BadNotation, whose `at` is the place."""
    if not text.strip():
        raise BadNotation("The formula is empty; write one such as Y_{th}^d = sum_{s<=t} A_{ts}^{(h)} V_{sh}^d.")
    if len(text) > LONGEST:
        raise BadNotation(
            f"The formula has {len(text):,} characters and at most {LONGEST} are read; shorten it, or split it into "
            "lines.",
            (LONGEST, len(text)),
        )
    line = _Parser(_tokens(text), len(text)).line()
    letters = _letters(line)
    if len(letters) > MOST_LETTERS:
        raise BadNotation(
            f"The formula has {len(letters)} different indices and at most {MOST_LETTERS} are taken, as a tensor of so "
            "many axes fits no memory; split it into lines.",
            list(letters.values())[MOST_LETTERS],
        )
    return line


def _letters(line: Line) -> dict[str, Span]:
    """Every index with the place where it stands first."""
    from .syntax import walk

    found: dict[str, Span] = {}
    for node in (*(() if line.left is None else (line.left,)), *walk(line.right)):
        for index in node.indices if isinstance(node, Tensor) else ():
            found.setdefault(index.letter, index.at)
    return found


def _tokens(text: str) -> list[_Token]:
    found, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            hint = " TeX commands are not: write Qhat, sqrt(dk), sum_{s<=t}." if text[at] == "\\" else ""
            raise BadNotation(f"“{text[at]}” is no part of a formula here.{hint}", (at, at + 1))
        if match.lastgroup != "space":
            word = match[0]
            word = _ALIKE.get(word, word).replace("’", "'")
            found.append(_Token(str(match.lastgroup), word, match.span()))
        at = match.end()
    return found


class _Parser:
    def __init__(self, tokens: list[_Token], length: int):
        self.tokens, self.here, self.depth = tokens, 0, 0
        self.end = _Token("end", "", (max(0, length - 1), length))

    # --- tokens ----------------------------------------------------------------------------

    @property
    def next(self) -> _Token:
        return self.tokens[self.here] if self.here < len(self.tokens) else self.end

    def take(self) -> _Token:
        token = self.next
        self.here += 1
        return token

    def sees(self, *texts: str) -> bool:
        return self.next.kind != "end" and self.next.text in texts

    def expect(self, text: str, where: str) -> _Token:
        if not self.sees(text):
            raise self.surprised(f"“{text}” {where}")
        return self.take()

    def surprised(self, wanted: str) -> BadNotation:
        found = "the formula ends" if self.next.kind == "end" else f"“{self.next.text}” stands"
        return BadNotation(f"Expected {wanted}, and here {found}.", self.next.at)

    def span(self, start: int) -> Span:
        return start, self.tokens[self.here - 1].at[1]

    # --- grammar ---------------------------------------------------------------------------

    def line(self) -> Line:
        if self.sees("="):
            raise self.surprised("a tensor before “=”")
        right, left = self.sum(), None
        if self.sees("="):
            sign = self.take()
            if not isinstance(right, Tensor):
                raise BadNotation("Left of “=” stands one tensor with its indices, such as L_{ts}^{(h)}.", sign.at)
            left, right = right, self.sum()
        if self.next.kind != "end":
            hint = " A formula has one “=”." if self.sees("=") else ""
            raise BadNotation(f"“{self.next.text}” does not belong here.{hint}", self.next.at)
        return Line(left, right)

    def sum(self) -> Node:
        start, terms = self.next.at[0], []
        sign = -1 if self.sees("-") else 1
        if sign < 0:
            self.take()
        terms.append((sign, self.term()))
        while self.sees("+", "-"):
            sign = -1 if self.take().text == "-" else 1
            terms.append((sign, self.term()))
        if len(terms) == 1 and terms[0][0] > 0:
            return terms[0][1]
        return Total(tuple(terms), self.span(start))

    def term(self) -> Node:
        start, factors = self.next.at[0], [self.factor()]
        while self.next.kind in ("number", "size", "name") or self.sees("(", "[", "*", "/"):
            joint = self.take().text if self.sees("*", "/") else ""
            begin = self.next.at[0]
            factor = self.factor()
            factors.append(Inverse(factor, self.span(begin)) if joint == "/" else factor)
        return factors[0] if len(factors) == 1 else Product(tuple(factors), self.span(start))

    def factor(self) -> Node:
        token = self.next
        if token.kind == "number":
            self.take()
            return Number(token.text, token.at)
        if token.kind == "size":
            self.take()
            return Size(token.at)
        if token.kind == "name":
            return self.named()
        if self.sees("("):
            self.take()
            return self.inside(")", "that closes the bracket")
        if self.sees("["):
            self.take()
            condition = self.condition()
            self.expect("]", "that closes the mask")
            return Mask(condition, self.span(token.at[0]))
        raise self.surprised("a tensor, a number or a bracket")

    def inside(self, closing: str, where: str) -> Node:
        self.depth += 1
        if self.depth > DEEPEST:
            raise BadNotation(f"More than {DEEPEST} brackets within one another; split the formula.", self.next.at)
        body = self.sum()
        self.expect(closing, where)
        self.depth -= 1
        return body

    def named(self) -> Node:
        token = self.take()
        if token.text in SUMS and self.sees("_"):
            axis = self.axis()
            self.depth += 1
            if self.depth > DEEPEST:
                raise BadNotation(f"More than {DEEPEST} sums within one another; split the formula.", token.at)
            body = self.term()
            self.depth -= 1
            return Sum(axis, body, self.span(token.at[0]))
        if token.text == "softmax":
            if not self.sees("_"):
                raise BadNotation("softmax needs the index that it runs over: softmax_{s<=t}( … ).", token.at)
            axis = self.axis()
            self.expect("(", "after softmax_{…}")
            body = self.inside(")", "that closes softmax")
            return Call("softmax", body, axis, self.span(token.at[0]))
        if token.text in FUNCTIONS and self.sees("("):
            self.take()
            body = self.inside(")", f"that closes {token.text}")
            return Call(token.text, body, None, self.span(token.at[0]))
        indices = self.scripts()
        if indices:
            name = "delta" if token.text in DELTAS else token.text
            return Tensor(name, indices, self.span(token.at[0]), token.at)
        if token.text[0] in TEMPORAL and not token.text[1:].strip("'"):
            return Place(token.text, token.at)
        raise BadNotation(f"“{token.text[:20]}” has no indices; write them as {token.text[:20]}_{{t}}^{{f}}.", token.at)

    def scripts(self) -> tuple[Index, ...]:
        found: list[Index] = []
        while self.sees("_", "^"):
            up = self.take().text == "^"
            if self.sees("{"):
                opened = self.take()
                while not self.sees("}"):
                    if self.next.kind == "end":
                        raise BadNotation("This “{” is never closed.", opened.at)
                    found += self.index(up)
                self.take()
            else:
                found += self.index(up)
        return tuple(found)

    def index(self, up: bool) -> list[Index]:
        """The indices of one word, such as "th"; of "(h)"; or of "pi(h)"."""
        token = self.take()
        if token.text == "(":
            inner = [
                Index(each.letter, up, True, each.mapped, (token.at[0], each.at[1] + 1)) for each in self.index(up)
            ]
            self.expect(")", "that closes the index in brackets")
            return inner
        if token.kind == "size":  # “dk” in a script is two indices
            token = _Token("name", token.text.replace("_", ""), token.at)
        if token.kind != "name":
            self.here -= 1
            raise self.surprised("an index, which is a letter such as t, h or d")
        word, before = token.text, []
        if self.sees("(") and re.search(r"(pi|π)$", word):
            head, self_at = re.sub(r"(pi|π)$", "", word), token.at[0]
            before = self.split(head, up, self_at) if head else []
            self.take()
            mapped = self.index(up)
            self.expect(")", "that closes π(h)")
            start = self_at + len(head)
            return before + [Index(each.letter, up, False, True, (start, each.at[1] + 1)) for each in mapped]
        return self.split(word, up, token.at[0])

    def split(self, word: str, up: bool, start: int) -> list[Index]:
        found = []
        for match in _SUBSCRIPT.finditer(word):
            if match[0][0].isdigit():
                at = (start + match.start(), start + match.end())
                raise BadNotation("An index is a letter; numbered tensors carry the number in the name: W1_f^e.", at)
            found.append(Index(match[0], up, False, False, (start + match.start(), start + match.end())))
        return found

    def axis(self) -> Axis:
        start = self.take().at[0]  # "_"
        if not self.sees("{"):
            token = self.take()
            if token.kind != "name" or len(token.text.rstrip("'")) != 1:
                raise BadNotation("After “_” stands one index, or several with conditions in {…}.", token.at)
            return Axis(token.text, (), token.at)
        self.take()
        conditions: list[Condition] = []
        letter = self.next.text if self.next.kind == "name" else ""
        if not letter:
            raise self.surprised("the index that is summed over")
        if self.here + 1 < len(self.tokens) and self.tokens[self.here + 1].text in (",", "}"):
            at = self.take().at
            if len(letter.rstrip("'")) != 1:
                raise BadNotation(
                    f"One sum runs over one index, and “{letter[:12]}” is {len(letter)}; write one sum for each.", at
                )
        else:
            conditions.append(self.condition())
        while self.sees(","):
            self.take()
            conditions.append(self.condition())
        self.expect("}", "that closes what is summed over")
        return Axis(letter, tuple(conditions), self.span(start + 1))

    def condition(self) -> Condition:
        start = self.next.at[0]
        left = self.side()
        if not self.sees(*RELATIONS):
            raise self.surprised("a comparison such as <=")
        relation = self.take().text
        return Condition(left, relation, self.side(), self.span(start))

    def side(self) -> Side:
        parts, sign = [], 1
        if self.sees("-"):
            self.take()
            sign = -1
        while True:
            token = self.take()
            whole = token.kind == "number" and token.text.isdigit() and len(token.text) < 7
            letter = token.kind == "name" and len(token.text.rstrip("'")) == 1
            if not (whole or letter):
                self.here -= 1
                raise self.surprised("an index or a whole number")
            parts.append((sign, token.text))
            if not self.sees("+", "-"):
                return Side(tuple(parts))
            sign = -1 if self.take().text == "-" else 1
