"""Index notation read and written."""

import pytest
from hypothesis import given

from tests.analysis.notation.formulas import lines
from tlmviz.analysis.notation.parsing import LONGEST, MOST_LETTERS, parse
from tlmviz.analysis.notation.syntax import (
    Axis,
    BadNotation,
    Call,
    Condition,
    Index,
    Inverse,
    Line,
    Number,
    Product,
    Side,
    Size,
    Sum,
    Tensor,
    write,
)


@given(lines)
def test_what_is_written_is_read_again(line):
    assert parse(write(line)) == line


def test_a_line_is_read_into_its_parts():
    scale = (Number("1"), Inverse(Call("sqrt", Size())))
    query = Tensor("Qhat", (Index("t"), Index("h"), Index("k", True)))
    key = Tensor("Khat", (Index("s"), Index("h", mapped=True), Index("k")))
    left = Tensor("L", (Index("t"), Index("s"), Index("h", True, True)))
    assert parse("L_{ts}^{(h)} = 1/sqrt(dk) Qhat_{th}^k Khat_{spi(h)k}") == Line(left, Product((*scale, query, key)))


def test_other_spellings_are_the_same():
    plain = parse("Y_{th}^d = sum_{s<=t} A_{ts}^{(h)} V_{sπ(h)}^d")
    assert parse("Y_th{}^d = Σ_{s ≤ t} A_ts^{(h)} · V_{spi(h)}{}^d") == plain
    assert parse("δ_r^{r'}") == parse("delta_{r}^{r’}")
    assert parse("1/sqrt(d_k) Q_t") == parse("1/sqrt(dk)*Q_t") and parse("a_t − b_t") == parse("a_t - b_t")


def test_a_sum_takes_what_follows_and_a_stroke_the_next_factor_alone():
    found = parse("A_t sum_s B_s C_s").right
    assert isinstance(found, Product) and found.factors[1] == Sum(Axis("s"), parse("B_s C_s").right)
    assert parse("a_t/b_t c_t").right.factors[1] == Inverse(parse("b_t").right)
    window = parse("softmax_{s<=t, t-s<64}(L_{ts})").right.axis
    assert window == Axis(
        "s",
        (
            Condition(Side(((1, "s"),)), "<=", Side(((1, "t"),))),
            Condition(Side(((1, "t"), (-1, "s"))), "<", Side(((1, "64"),))),
        ),
    )


def test_every_part_knows_where_it_stands():
    text = "Y_{th}^d = sum_{s<=t} A_{ts}^{(h)} V_{sh}^d"
    line = parse(text)
    value = line.right.body.factors[1]
    assert text[slice(*value.at)] == "V_{sh}^d" and text[slice(*value.named)] == "V"
    assert [text[slice(*index.at)] for index in value.indices] == ["s", "h", "d"]
    assert text[slice(*line.right.axis.conditions[0].at)] == "s<=t"
    assert text[slice(*line.right.body.factors[0].indices[2].at)] == "(h)"


@pytest.mark.parametrize(
    "text, said, marked",
    [
        ("", "The formula is empty", ""),
        ("  \n", "The formula is empty", ""),
        ("A_{ts", "never closed", "{"),
        ("A_t = B_t = C_t", "one “=”", "="),
        ("A_t B_t = C_t", "Left of “=” stands one tensor", "="),
        ("= A_t", "a tensor before “=”", "="),
        ("A_t +", "the formula ends", "+"),
        ("A_t + * B_t", "“*” stands", "*"),
        (r"\widehat{Q}_t", "TeX commands are not", "\\"),
        ("A_t $ B", "“$” is no part", "$"),
        ("Q", "“Q” has no indices", "Q"),
        ("softmax(L_{ts})", "needs the index", "softmax"),
        ("A_{t2}", "An index is a letter", "2"),
        ("A_2", "Expected an index", "2"),
        ("sum_{ts} A_{ts}", "one index, and “ts” is 2", "ts"),
        ("[s t]", "a comparison", "t"),
        ("A_{pi(h}", "closes π(h)", "}"),
        ("(" * 40 + "A_t" + ")" * 40, "within one another", "("),
        ("A_t " * 2500, f"at most {LONGEST} are read", "A_t"),
        ("A_{" + "abcdefghijklmnopqrstuvwxyzαβγδεζηθικλμνο" + "}", f"at most {MOST_LETTERS}", "m"),
        ("sqrt(dk", "closes sqrt", "k"),
        ("A_t]", "“]” does not belong", "]"),
        ("日本", "“日” is no part", "日"),
    ],
)
def test_what_cannot_be_read_is_a_sentence_and_a_place(text, said, marked):
    with pytest.raises(BadNotation) as raised:
        parse(text)
    assert said in str(raised.value) and "\n" not in str(raised.value)
    start, stop = raised.value.at
    assert text[start:stop].startswith(marked) and 0 <= start <= stop <= len(text)
