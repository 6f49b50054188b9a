"""The rules of index notation applied to a formula (003 sections 1 and 10): what is free, what is summed, what breaks a
rule.

Most slips raise no error when a formula is run: `einsum` sums every index that its result lacks, at whatever height it
stands. A finding says whether anything can be computed at all (`blocks`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .syntax import (
    NOWHERE,
    Axis,
    BadNotation,
    Call,
    Condition,
    Index,
    Inverse,
    Line,
    Mask,
    Node,
    Place,
    Product,
    Span,
    Sum,
    Tensor,
    Total,
    walk,
)
from .tensors import LETTERS, Table

# What a finding is called: the mistakes by name.
KINDS = {
    "thrice": "An index stands three times",
    "same-height": "Two indices at the same height are summed",
    "time-implicit": "A time index is summed without a Σ",
    "head-lost": "A head index is lost",
    "free-lost": "An index of the right side is missing on the left",
    "free-extra": "An index of the left side is missing on the right",
    "left-free": "A summed index stands on the left",
    "left-twice": "The left side names an index twice",
    "sum-free": "A sum over a free index",
    "sum-nothing": "A sum over an index that does not occur",
    "lonely-sum": "A sum that only one factor follows",
    "terms-differ": "Terms with different indices are added",
    "height": "An index changes its height",
    "delta": "A delta with both indices at one height",
    "dimension": "One index with two sizes",
    "rank": "The wrong number of indices",
    "unknown": "An unknown name",
    "transposed": "A transposed weight",
    "kv-head": "A query head where a group of keys and values belongs",
    "axis-missing": "A softmax over an index that does not occur",
    "softmax-axis": "A softmax over the wrong index",
    "mask-letter": "A mask that compares the wrong index",
    "mask-turned": "A causal mask turned round",
    "mask-strict": "A mask that hides the token itself",
    "mask-missing": "A causal mask is missing",
    "scale-missing": "The scale 1/√d_k is missing",
    "scale-wrong": "Another scale than 1/√d_k",
    "scaled-twice": "Scaled twice",
    "rope-position": "RoPE at the wrong position",
    "rope-inverse": "RoPE applied on the wrong side",
    "rope-value": "RoPE on the values",
    "rope-half": "Only one of query and key is rotated",
    "rope-missing": "Neither query nor key is rotated",
    "map-transposed": "A map with queries and keys exchanged",
    "roles-exchanged": "Query and key are exchanged",
    "key-for-value": "Keys stand where values belong",
    "score-for-weight": "Scores stand where weights belong",
}


@dataclass(frozen=True)
class Finding:
    """One broken rule: its kind, a sentence, the place in the text, and whether nothing can be computed."""

    kind: str
    says: str
    at: Span
    blocks: bool = False

    @property
    def name(self) -> str:
        """What the mistake is called."""
        return KINDS[self.kind]


@dataclass
class Checked:
    """A formula with what was found: sizes of its indices, and the indices of its result in order."""

    line: Line
    table: Table
    sizes: dict[str, int] = field(default_factory=dict)
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    out: tuple[str, ...] = ()
    summed: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def add(self, kind: str, says: str, at: Span, blocks: bool = False) -> None:
        """Note a finding, once."""
        if not any(found.kind == kind and found.at == at for found in self.findings):
            self.findings.append(Finding(kind, says, at, blocks))

    @property
    def has_heads(self) -> bool:
        """Whether what the left side names has an index of heads."""
        left = self.line.left
        own = None if left is None else self.table.tensors.get(left.name)
        return left is not None and (left.name in ("L", "A") if own is None else "head" in own.kinds)

    def sort(self) -> None:
        """What stops the formula first, then by place; at one place a mistake with a name before one of mere
        letters."""
        self.findings.sort(key=lambda found: (not found.blocks, found.at, found.kind == "free-lost"))

    @property
    def runs(self) -> bool:
        """Whether something can be computed."""
        return not any(found.blocks for found in self.findings)


@dataclass(frozen=True)
class _Seen:
    """One place where an index stands; `counts` is false in masks and positions, which sum nothing."""

    index: Index
    counts: bool = True


_Free = dict[str, list[_Seen]]


def check(line: Line, table: Table) -> Checked:
    """A formula by the rules of the notation, and by the sizes of its tensors."""
    checked = Checked(line, table)
    _sizes(checked, table)
    left = None if line.left is None else {index.letter for index in line.left.indices}
    free = _free(line.right, left, set(), checked)
    if line.left is None:
        checked.out = tuple(free)
        return checked
    _sides(checked, line.left, free)
    return checked


# --- sizes ----------------------------------------------------------------------------------------


def _sizes(checked: Checked, table: Table) -> None:
    for node in walk(checked.line.right):
        if isinstance(node, Tensor) and node.name != "delta":
            _sizes_of(node, checked, table)
    for node in walk(checked.line.right):
        if isinstance(node, Tensor) and node.name == "delta":
            _delta(node, checked, table)
    for letter, at in _other_letters(checked.line.right).items():
        if letter not in checked.sizes:
            size = table.size(letter)
            if size is not None:
                checked.sizes[letter] = size
            else:
                checked.add("mask-letter", f"No tensor has the index {letter}, so its size is unknown.", at, True)


def _other_letters(node: Node) -> dict[str, Span]:
    """Indices that stand as numbers and in conditions."""
    found: dict[str, Span] = {}
    for each in walk(node):
        if isinstance(each, Place):
            found.setdefault(each.letter, each.at)
        for condition in _conditions(each):
            for letter in letters_of(condition):
                found.setdefault(letter, condition.at)
    return found


def _conditions(node: Node) -> tuple[Condition, ...]:
    if isinstance(node, Mask):
        return (node.condition,)
    axis = node.axis if isinstance(node, Sum | Call) else None
    return () if axis is None else axis.conditions


def letters_of(condition: Condition) -> tuple[str, ...]:
    """The indices that a condition compares."""
    parts = (*condition.left.parts, *condition.right.parts)
    return tuple(dict.fromkeys(text for _, text in parts if not text.isdigit()))


def _sizes_of(node: Tensor, checked: Checked, table: Table) -> None:
    letters = tuple(index.letter for index in node.indices)
    try:
        named = table.look(node.name, letters, node.named)
    except BadNotation as error:
        if table.sizes is not None:  # no size, or too large a one
            raise
        checked.add("unknown", str(error), error.at, True)
        return
    if len(named.shape) != len(letters):
        checked.add(
            "rank",
            f"{node.name} ({named.says}) has {len(named.shape)} axes, "
            f"{', '.join(named.kinds)}; here stand {len(letters)} indices.",
            node.at,
            True,
        )
        return
    if checked.shapes.setdefault(node.name, named.shape) != named.shape:
        first, here = (" × ".join(map(str, shape)) for shape in (checked.shapes[node.name], named.shape))
        says = f"{node.name} is one tensor: {first} where it stands first, and {here} here."
        checked.add("dimension", says, node.at, True)
    conflicts = []
    for index, kind, size in zip(node.indices, named.kinds, named.shape):
        if index.mapped and size == int(table.head_of.max()) + 1:
            size = len(table.head_of)
        known = checked.sizes.setdefault(index.letter, size)
        if known != size:
            conflicts.append((index, kind, size, known))
    if _is_transposed(node, named.kinds):
        at = node.indices[0].at[0], node.indices[-1].at[1]
        says = f"The axes of {node.name} are {', '.join(named.kinds)}, and its indices stand in another order."
        checked.add("transposed", says, at, bool(conflicts))
        return
    for conflict in conflicts:
        _conflict(checked, node, *conflict)


def _is_transposed(node: Tensor, kinds: tuple[str, ...]) -> bool:
    read = [LETTERS.get(index.letter[0], "?") for index in node.indices]
    return node.name.startswith("W") and tuple(read) != kinds and sorted(read) == sorted(kinds)


def _conflict(
    checked: Checked, node: Tensor, index: Index, kind: str, size: int, known: int, blocks: bool = True
) -> None:
    if kind == "group" and LETTERS.get(index.letter[0]) == "head":
        says = (
            f"{node.name} has {size} groups of keys and values and {index.letter} counts {known} heads; write "
            f"pi({index.letter}), the group that head {index.letter} reads."
        )
        checked.add("kv-head", says, index.at, blocks)
        return
    what = f" ({kind})" if kind else ""
    says = f"{index.letter} has {known} values elsewhere, and this axis of {node.name}{what} has {size}."
    checked.add("dimension", says, index.at, blocks)


def _delta(node: Tensor, checked: Checked, table: Table) -> None:
    if len(node.indices) != 2:
        checked.add("rank", f"A delta has two indices; here stand {len(node.indices)}.", node.at, True)
        return
    sizes = {checked.sizes.get(index.letter, table.size(index.letter)) for index in node.indices} - {None}
    if len(sizes) == 1:
        for index in node.indices:
            checked.sizes.setdefault(index.letter, sizes.copy().pop() or 1)
    elif sizes:
        says = f"The indices of a delta have one size; these have {' and '.join(map(str, sorted(sizes, key=str)))}."
        checked.add("dimension", says, node.at, True)
    else:
        checked.add("unknown", "No other tensor has an index of this delta, so its size is unknown.", node.at, True)


# --- free and summed indices ----------------------------------------------------------------------


def _free(node: Node, left: set[str] | None, outer: set[str], checked: Checked) -> _Free:
    """The indices that a node leaves, with the places where they stand; `left` those wanted, `outer` those beside
    it."""
    match node:
        case Tensor():
            return _contract([{index.letter: [_Seen(index)]} for index in node.indices], left, outer, checked)
        case Place():
            return {node.letter: [_Seen(Index(node.letter, at=node.at), False)]}
        case Mask():
            return _of_condition(node.condition)
        case Product():
            return _product(node, left, outer, checked)
        case Total():
            return _total(node, left, outer, checked)
        case Inverse():
            return _free(node.body, left, outer, checked)
        case Sum():
            return _sum(node, left, outer, checked)
        case Call(axis=Axis()):
            return _softmax(node, left, outer, checked)
        case Call():
            return _free(node.body, left, outer, checked)
    return {}


def _of_condition(condition: Condition) -> _Free:
    return {letter: [_Seen(Index(letter, at=condition.at), False)] for letter in letters_of(condition)}


def letters_in(node: Node) -> set[str]:
    """Every index of a node's tensors, masks and positions."""
    tensors = {index.letter for each in walk(node) if isinstance(each, Tensor) for index in each.indices}
    return tensors | set(_other_letters(node))


def _product(node: Product, left: set[str] | None, outer: set[str], checked: Checked) -> _Free:
    letters = [letters_in(factor) for factor in node.factors]
    parts = []
    for number, factor in enumerate(node.factors):
        beside = set().union(*(own for other, own in enumerate(letters) if other != number))
        parts.append(_free(factor, left, outer | beside, checked))
    _deltas(node, checked)
    return _contract(parts, left, outer, checked)


def _contract(parts: list[_Free], left: set[str] | None, outer: set[str], checked: Checked) -> _Free:
    together: _Free = {}
    for part in parts:
        for letter, seen in part.items():
            together.setdefault(letter, []).extend(seen)
    return {letter: seen for letter, seen in together.items() if _stays(letter, seen, left, outer, checked)}


def _stays(letter: str, seen: list[_Seen], left: set[str] | None, outer: set[str], checked: Checked) -> bool:
    """Whether an index is still free behind a product in which it stands at these places."""
    counted = [each.index for each in seen if each.counts]
    if len(counted) < 2:
        return True
    wanted = left is None or letter in left
    at = counted[1].at
    if counted[0].temporal or any(index.label for index in counted):
        if not (wanted or letter in outer):
            _summed_silently(letter, counted, checked)
        return wanted or letter in outer
    if len({index.up for index in counted}) == 1:
        if wanted or letter in outer:
            return True
        if LETTERS.get(letter[0]) == "head" and checked.has_heads:
            _summed_silently(letter, counted, checked)
            return False
        height = "above" if counted[0].up else "below"
        says = (
            f"{letter} stands {height} both times; a sum pairs one above with one below. einsum sums it all the same."
        )
        checked.add("same-height", says, at)
        checked.summed.append(letter)
        return False
    if len(counted) > 2 or letter in outer:
        at = counted[2].at if len(counted) > 2 else at
        says = (
            f"{letter} is summed over a pair already and stands there once more; give one of the pairs another letter."
        )
        checked.add("thrice", says, at)
    elif left is not None and letter in left:
        says = f"{letter} stands above and below, so it is summed, and yet the left side keeps it."
        checked.add("left-free", says, at)
        return True
    if letter in outer:
        return True
    checked.summed.append(letter)
    return False


def _summed_silently(letter: str, counted: list[Index], checked: Checked) -> None:
    if counted[0].temporal:
        says = (
            f"{letter} stands {len(counted)} times on the right and not on the left: a sum over time is always "
            f"written, as sum_{{{letter}<=t}}. einsum sums it silently, over all of the text."
        )
        checked.add("time-implicit", says, counted[-1].at)
    else:
        checked.add("head-lost", f"{letter} is missing on the left; einsum adds all of its values up.", counted[-1].at)
    checked.summed.append(letter)


def _deltas(node: Product, checked: Checked) -> None:
    """A delta has one index above and one below, unless it lowers or raises one of its neighbours (003 section 1)."""
    for delta in node.factors:
        if not (isinstance(delta, Tensor) and delta.name == "delta" and len(delta.indices) == 2):
            continue
        one, other = delta.indices
        others = [
            index
            for factor in node.factors
            if factor is not delta and isinstance(factor, Tensor)
            for index in factor.indices
        ]
        metric = any(index.letter == own.letter and index.up != own.up for own in (one, other) for index in others)
        if one.up == other.up and not metric:
            says = f"δ pairs one index above with one below: delta_{one.letter}^{other.letter}."
            checked.add("delta", says, (one.at[0], other.at[1]))


def _total(node: Total, left: set[str] | None, outer: set[str], checked: Checked) -> _Free:
    every: _Free = {}
    for _, term in node.terms:
        free = _free(term, left, outer, checked)
        new = {letter for letter in free.keys() - every.keys() if free[letter][0].counts}
        gone = {letter for letter in every.keys() - free.keys() if every[letter][0].counts}
        if new and gone:
            letter = min(new)
            says = (
                f"This term has the index {letter} and the one before has {min(gone)}; terms that are added share "
                "theirs."
            )
            checked.add("terms-differ", says, free[letter][0].index.at)
        for letter, seen in free.items():
            first = every.setdefault(letter, seen)[0]
            both = (first, seen[0])
            level = any(not each.counts or each.index.label or each.index.temporal for each in both)
            if first.index.up != seen[0].index.up and not level:
                says = f"{letter} stands above in one term and below in the other."
                checked.add("height", says, seen[0].index.at)
    return every


def _sum(node: Sum, left: set[str] | None, outer: set[str], checked: Checked) -> _Free:
    letter = node.axis.letter
    wanted = None if left is None else left | {letter}
    free = _free(node.body, wanted, outer, checked)
    _conditions_occur(node.axis, free, checked)
    if letter not in free:
        checked.add("sum-nothing", f"{letter} does not occur in what is summed.", node.axis.at, True)
    if left is not None and letter in left and letter not in outer:
        says = (
            f"The left side keeps {letter}, so it cannot be summed; sum over another index, or take {letter} off "
            "the left."
        )
        checked.add("sum-free", says, node.axis.at, True)
    factors = node.body.factors if isinstance(node.body, Product) else ()
    tensors = [factor for factor in factors if any(isinstance(each, Tensor) for each in walk(factor))]
    having = [factor for factor in tensors if letter in letters_in(factor)]
    if len(tensors) > 1 and len(having) == 1:
        other = next(factor for factor in tensors if factor is not having[0])
        says = f"Only one factor depends on {letter}, so it is summed alone and the other stands outside of the sum."
        checked.add("lonely-sum", says, other.at if other.at != NOWHERE else node.axis.at)
    checked.summed.append(letter)
    conditions = [_of_condition(condition) for condition in node.axis.conditions]
    for condition in conditions:
        for name, seen in condition.items():
            free.setdefault(name, seen)
    return {name: seen for name, seen in free.items() if name != letter}


def _softmax(node: Call, left: set[str] | None, outer: set[str], checked: Checked) -> _Free:
    axis = node.axis
    assert axis is not None
    wanted = None if left is None else left | {axis.letter}
    free = _free(node.body, wanted, outer, checked)
    if axis.letter not in free:
        checked.add("axis-missing", f"{axis.letter} does not occur in what softmax is taken of.", axis.at, True)
    _conditions_occur(axis, free, checked)
    return free


def _conditions_occur(axis: Axis, free: _Free, checked: Checked) -> None:
    for condition in axis.conditions:
        letters = letters_of(condition)
        gone = [letter for letter in letters if letter not in free]
        if gone:
            says = f"The condition compares {gone[0]}, which does not occur in what it masks."
            checked.add("mask-letter", says, condition.at)
        if condition.left == condition.right:
            says = (
                f"Both sides of the condition are {letters[0] if letters else 'one number'}: it hides nothing, or "
                "everything."
            )
            checked.add("mask-letter", says, condition.at)


def _sides(checked: Checked, left: Tensor, free: _Free) -> None:
    """The free indices of both sides."""
    letters = [index.letter for index in left.indices]
    known = checked.table.tensors.get(left.name)
    for index, kind, size in zip(left.indices, known.kinds, known.shape) if known else ():
        if not index.mapped and checked.sizes.get(index.letter, size) != size:
            _conflict(checked, left, index, kind, size, checked.sizes[index.letter], blocks=False)
    checked.out = tuple(dict.fromkeys(letters))
    if len(checked.out) < len(letters):
        again = next(index for number, index in enumerate(left.indices) if index.letter in letters[:number])
        checked.add("left-twice", f"{again.letter} stands twice on the left.", again.at, True)
    for index in left.indices:
        if index.letter not in free:
            if index.letter not in checked.summed:
                says = f"{index.letter} stands on the left and nowhere on the right."
                checked.add("free-extra", says, index.at, True)
            continue
        seen = free[index.letter][0]
        heights = seen.counts and not (index.label or seen.index.label or index.temporal)
        if heights and seen.index.up != index.up:
            says = f"{index.letter} is {_height(seen.index)} on the right and {_height(index)} on the left."
            checked.add("height", says, index.at)
    for letter, places in free.items():
        if letter in checked.out:
            continue
        head = LETTERS.get(letter[0]) in ("head", "group")
        says = f"{letter} stands on the right and not on the left; einsum adds all of its values up and says nothing."
        checked.add("head-lost" if head else "free-lost", says, places[0].index.at)
        checked.summed.append(letter)


def _height(index: Index) -> str:
    return "above" if index.up else "below"
