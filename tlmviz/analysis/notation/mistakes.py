"""Mistakes that the rules of the notation cannot see, since only attention makes them wrong: scale, mask, rotation,
axis.

A formula may break none of `checking`'s rules, have the right shape, run, and be another model.
"""

from __future__ import annotations

from collections.abc import Iterator

from .checking import Checked, letters_in
from .syntax import Axis, Call, Condition, Inverse, Node, Number, Product, Size, Sum, Tensor, children, walk
from .tensors import KEY, QUERY, ROLES, Table

QUERIES, KEYS = ("Q", "Qhat"), ("K", "Khat")
MAPS = ("L", "A")


def look_for_mistakes(checked: Checked, table: Table) -> None:
    """Add to a checked formula what attention forbids."""
    right, left = checked.line.right, checked.line.left
    scores = left is not None and left.name in MAPS
    known = _known_by_left(left)
    for node, inside in _walk(right, scores):
        if isinstance(node, Product):
            _rotations(node, checked)
            _rotated_pairs(node, checked, table)
            _exchanged(node, known, checked)
            _mixed(node, checked)
            if inside:
                _scale(node, checked, table)
        if isinstance(node, Call) and node.axis is not None:
            _softmax(node, node.axis, checked, table)
        if isinstance(node, Tensor) and node.name in MAPS:
            _transposed(node, known, _roles(right, but=node), checked)
        if isinstance(node, Sum):
            _conditions(node.axis, letters_in(node.body), checked)


def _walk(node: Node, scores: bool) -> Iterator[tuple[Node, bool]]:
    """Every node, and whether what it makes is a score."""
    yield node, scores
    inside = scores or (isinstance(node, Call) and node.axis is not None)
    for child in children(node):
        yield from _walk(child, inside)


def _tensors(node: Product) -> list[Tensor]:
    return [factor for factor in node.factors if isinstance(factor, Tensor)]


def _pair(node: Product) -> tuple[Tensor, Tensor] | None:
    """The query and the key of a score."""
    names = {tensor.name: tensor for tensor in _tensors(node)}
    query = next((names[name] for name in QUERIES if name in names), None)
    key = next((names[name] for name in KEYS if name in names), None)
    return None if query is None or key is None else (query, key)


def _scale(node: Product, checked: Checked, table: Table) -> None:
    pair = _pair(node)
    again = next((tensor for tensor in _tensors(node) if tensor.name == "L"), None)
    if pair is None and again is None:
        return
    factor, said = 1.0, False
    for each in node.factors:
        value = scalar(each, table.head_dim)
        if value is not None:
            factor, said = factor * value, True
    if again is not None:
        if said and abs(factor - 1) > 1e-6:
            checked.add(
                "scaled-twice", f"L holds 1/√d_k already; here it is multiplied by {factor:.3g} again.", again.at
            )
        return
    assert pair is not None
    if not said:
        at = pair[0].at[0], pair[1].at[1]
        checked.add("scale-missing", "Without 1/√d_k the scores grow with the head's size and softmax saturates.", at)
    elif abs(factor / table.scale - 1) > 1e-4:
        at = next(each.at for each in node.factors if scalar(each, table.head_dim) is not None)
        says = f"The scores are multiplied by {factor:.4g}; this model's scale is {table.scale:.4g}."
        checked.add("scale-wrong", says, at)


def scalar(node: Node, head_dim: int) -> float | None:
    """The value of a number, of d_k, and of what is made of them; None for anything with an index."""
    match node:
        case Number():
            return float(node.text)
        case Size():
            return float(head_dim)
        case Inverse():
            value = scalar(node.body, head_dim)
            return None if not value else 1 / value
        case Call(function="sqrt"):
            value = scalar(node.body, head_dim)
            return None if value is None else value**0.5
        case Product():
            total = 1.0
            for factor in node.factors:
                value = scalar(factor, head_dim)
                if value is None:
                    return None
                total *= value
            return total
    return None


def _rotations(node: Product, checked: Checked) -> None:
    tensors = _tensors(node)
    for turn in tensors:
        if turn.name != "R" or len(turn.indices) != 3:
            continue
        place, enters, leaves = (index.letter for index in turn.indices)
        for other in tensors:
            if other.name not in ("Q", "K", "V") or not other.indices:
                continue
            letters = [index.letter for index in other.indices]
            if other.name == "V" and {enters, leaves} & set(letters):
                checked.add(
                    "rope-value", "RoPE turns queries and keys; what they weigh, the values, stays as it is.", turn.at
                )
            elif letters[-1] == leaves != enters:
                says = "R is summed over its second index: that is its transpose, which turns back instead of on."
                checked.add("rope-inverse", says, turn.indices[2].at)
            elif letters[-1] == enters and letters[0] != place:
                says = f"{other.name} stands at position {letters[0]} and is turned as if it stood at {place}."
                checked.add("rope-position", says, turn.indices[0].at)


def _rotated_pairs(node: Product, checked: Checked, table: Table) -> None:
    pair = _pair(node)
    if pair is None or not table.rotates or any(tensor.name == "R" for tensor in _tensors(node)):
        return
    hats = [tensor.name.endswith("hat") for tensor in pair]
    if hats[0] != hats[1]:
        plain = pair[hats.index(False)]
        says = (
            f"{plain.name} is not rotated and the other is: the score depends on the place itself, not on the distance."
        )
        checked.add("rope-half", says, plain.named)
    elif not any(hats) and table.sizes is None:
        checked.add(
            "rope-missing",
            "This model rotates both: Qhat and Khat. Without, no score knows of positions.",
            pair[0].named,
        )


def _known_by_left(left: Tensor | None) -> dict[str, str]:
    """Index -> whether it numbers queries or keys, by what the left side names: scores, weights, or what they mix."""
    if left is None:
        return {}
    roles = {0: QUERY} if left.name == "Y" else ROLES.get(left.name, {})
    return {left.indices[number].letter: role for number, role in roles.items() if number < len(left.indices)}


def _transposed(node: Tensor, known: dict[str, str], others: dict[str, set[str]], checked: Checked) -> None:
    """A map whose first index numbers keys and whose second numbers queries, everywhere else in the formula."""
    if len(node.indices) < 2:
        return
    first, second = (index.letter for index in node.indices[:2])
    if (known.get(first), known.get(second)) == (KEY, QUERY) or (
        known.get(second) == QUERY and others.get(first) == {KEY}
    ):
        says = f"The first index of {node.name} numbers the queries, here {second}, and the second the keys, {first}."
        checked.add("map-transposed", says, (node.indices[0].at[0], node.indices[1].at[1]))


def _exchanged(node: Product, known: dict[str, str], checked: Checked) -> None:
    """A query at the position of keys, and a key at that of queries."""
    pair = _pair(node)
    if pair is None or not all(tensor.indices for tensor in pair):
        return
    query, key = (tensor.indices[0].letter for tensor in pair)
    if (known.get(query), known.get(key)) == (KEY, QUERY):
        says = (
            f"{key} is the token that looks, so the query is its; here {pair[0].name} stands at {query}, that is "
            "looked at."
        )
        checked.add("roles-exchanged", says, (min(each.at[0] for each in pair), max(each.at[1] for each in pair)))


def _mixed(node: Product, checked: Checked) -> None:
    """What a sum over keys mixes: weights with values, neither scores nor keys."""
    tensors = _tensors(node)
    names = {tensor.name: tensor for tensor in tensors}
    weights = next((each for each in tensors if each.name == "A" and len(each.indices) > 1), None)
    key = next((names[name] for name in KEYS if name in names and names[name].indices), None)
    if weights and key and _share_a_key(weights, key) and not names.keys() & {"V", *QUERIES}:
        says = f"Weights mix values: V stands here, and {key.name} has done its part in the scores."
        checked.add("key-for-value", says, key.named)
    scores, value = names.get("L"), names.get("V")
    if scores and value and weights is None and _share_a_key(scores, value):
        says = "L is before the softmax: values are mixed by its shares, A, which sum to 1."
        checked.add("score-for-weight", says, scores.named)


def _share_a_key(between: Tensor, of_keys: Tensor) -> bool:
    """Whether a map has an index, of its first two, that also numbers a tensor of keys or values."""
    first = [index.letter for index in of_keys.indices[:1]]
    return len(between.indices) > 1 and first[0] in [each.letter for each in between.indices[:2]] if first else False


def _roles(node: Node, but: Tensor | None = None) -> dict[str, set[str]]:
    """Index -> whether it numbers queries, keys or both, by the tensors in which it stands; `but` one of them."""
    found: dict[str, set[str]] = {}
    for tensor in walk(node):
        if isinstance(tensor, Tensor) and tensor is not but:
            for number, role in ROLES.get(tensor.name, {}).items():
                if number < len(tensor.indices):
                    found.setdefault(tensor.indices[number].letter, set()).add(role)
    return found


def _softmax(node: Call, axis: Axis, checked: Checked, table: Table) -> None:
    letters, roles = letters_in(node.body), _roles(node.body)
    if axis.letter[0] not in "tsu":
        if axis.letter in letters:
            says = f"Shares are given to positions; over {axis.letter} the weights of a query would not sum to 1."
            checked.add("softmax-axis", says, axis.at)
        return
    if roles.get(axis.letter) == {QUERY} and any(KEY in role for role in roles.values()):
        says = f"{axis.letter} numbers the queries: each key's column would sum to 1. The sum runs over the keys."
        checked.add("softmax-axis", says, axis.at)
        return
    _conditions(axis, letters, checked)
    others = [letter for letter in letters if letter[0] in "ts" and letter != axis.letter]
    bounded = any(_bounds_above(condition, axis.letter) for condition in axis.conditions)
    if table.causal and others and axis.letter[0] in "ts" and not bounded:
        says = f"Nothing hides later keys; a decoder's softmax runs over {axis.letter}<={others[0]}."
        checked.add("mask-missing", says, axis.at)


def _bounds_above(condition: Condition, letter: str) -> bool:
    """Whether a condition gives an index a largest value, or is one that turns the causal mask round and is named
    so."""
    if condition.left == condition.right or _direction(condition, letter) == ">":
        return True
    sides = ((1, condition.left), (-1, condition.right))
    sign = sum(own * each for own, side in sides for each, text in side.parts if text == letter)
    return condition.relation in ("==", "!=") or sign * (1 if condition.relation[0] == "<" else -1) > 0


def _conditions(axis: Axis, letters: set[str], checked: Checked) -> None:
    """A causal condition names the key that is summed over, at most as late as the query."""
    for condition in axis.conditions:
        direction = _direction(condition, axis.letter)
        if direction == ">":
            says = (
                f"Keys {axis.letter} after the query are kept and those before it are hidden; it must be "
                f"{axis.letter}<=t."
            )
            checked.add("mask-turned", says, condition.at)
        elif direction == "<":
            says = "The token itself is hidden too: the first has nothing left to look at, and its row is no number."
            checked.add("mask-strict", says, condition.at)


def _direction(condition: Condition, letter: str) -> str:
    """How a plain comparison of two indices bounds `letter`: "<=", "<" or ">"; empty for any other condition."""
    sides = condition.left.parts, condition.right.parts
    if any(len(side) != 1 or side[0][0] < 0 or side[0][1].isdigit() for side in sides):
        return ""
    one, other = sides[0][0][1], sides[1][0][1]
    if one == other or letter not in (one, other) or condition.relation in ("==", "!="):
        return ""
    relation = condition.relation
    if other == letter:
        relation = relation.translate(str.maketrans("<>", "><"))
    return ">" if relation[0] == ">" else relation
