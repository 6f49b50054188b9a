"""Random formulas for the tests: trees that the parser can have made, and products that einsum can compute."""

from hypothesis import strategies as st

from tlmviz.analysis.notation.syntax import (
    FUNCTIONS,
    RELATIONS,
    Axis,
    Call,
    Condition,
    Index,
    Inverse,
    Line,
    Mask,
    Number,
    Place,
    Product,
    Side,
    Size,
    Sum,
    Tensor,
    Total,
)

letters = st.sampled_from([*"tsuhgfdkme", "r", "r'", "s'", "ρ"])
plain = st.builds(Index, letters, st.booleans())
indices = st.one_of(
    plain,
    st.builds(Index, letters, st.booleans(), st.just(True)),
    st.builds(Index, st.sampled_from("hg"), st.booleans(), st.just(False), st.just(True)),
)
names = st.sampled_from(["Q", "Khat", "H'", "H''", "WQ", "W1", "delta", "Aout", "X2"])
tensors = st.builds(Tensor, names, st.lists(indices, min_size=1, max_size=4).map(tuple))
parts = st.tuples(st.sampled_from([1, -1]), st.one_of(letters, st.integers(0, 99).map(str)))
sides = st.lists(parts, min_size=1, max_size=3).map(lambda found: Side(tuple(found)))
conditions = st.builds(Condition, sides, st.sampled_from(RELATIONS), sides)


@st.composite
def axes(draw):
    letter = draw(letters)
    several = draw(st.lists(conditions, max_size=2))
    return Axis(letter, tuple(several))


leaves = st.one_of(
    tensors,
    st.sampled_from(["2", "0.5", "1e-3", "12.25"]).map(Number),
    st.just(Size()),
    st.sampled_from(["t", "s", "u", "s'"]).map(Place),
    st.builds(Mask, conditions),
)


def grown(inner):
    factor = st.one_of(inner, st.builds(Inverse, inner.filter(lambda node: not isinstance(node, Inverse))))
    products = st.tuples(inner, st.lists(factor, min_size=1, max_size=3)).map(lambda both: Product((both[0], *both[1])))
    signed = st.tuples(st.sampled_from([1, -1]), inner)
    totals = st.lists(signed, min_size=1, max_size=3).filter(lambda terms: len(terms) > 1 or terms[0][0] < 0)
    return st.one_of(
        products,
        totals.map(lambda terms: Total(tuple(terms))),
        st.builds(Sum, axes(), inner),
        st.builds(Call, st.just("softmax"), inner, axes()),
        st.builds(Call, st.sampled_from(FUNCTIONS), inner),
    )


nodes = st.recursive(leaves, grown, max_leaves=6)
lines = st.builds(Line, st.one_of(st.none(), tensors), nodes)


@st.composite
def einsums(draw):
    """(formula, inputs, output, sizes): a product of tensors that holds to the rules, and the same in einsum's
    letters."""
    free = draw(st.lists(st.sampled_from("tshgr"), min_size=1, max_size=3, unique=True))
    summed = draw(st.lists(st.sampled_from("dkfemc"), max_size=3, unique=True))
    count = draw(st.integers(2, 4))
    inputs: list[list[tuple[str, bool]]] = [[] for _ in range(count)]
    for letter in free:
        inputs[draw(st.integers(0, count - 1))].append((letter, False))
    for letter in summed:
        one, other = draw(st.permutations(range(count)))[:2]
        inputs[one].append((letter, True))
        inputs[other].append((letter, False))
    inputs = [draw(st.permutations(part)) for part in inputs if part]
    sizes = {letter: draw(st.integers(1, 4)) for letter in (*free, *summed)}
    names = "ABCD"
    right = " ".join(
        name + "".join(("^" if up else "_") + letter for letter, up in part) for name, part in zip(names, inputs)
    )
    left = "X_{" + "".join(free) + "}"
    return (f"{left} = {right}", ["".join(letter for letter, _ in part) for part in inputs], "".join(free), sizes)
