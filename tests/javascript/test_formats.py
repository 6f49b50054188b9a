"""The browser rounds, decodes and steps through numbers as Python does."""

import math

import numpy as np
import pytest

from tests.javascript.node import evaluate
from tlmviz.analysis.numbers import formats

BITS = "tlmviz/ui/components/canvas/bits.js"
READING = "pages/numbers/formats/bits/reading.js"
E4M3 = formats.find("e4m3")


def sent(values):
    """Numbers as JSON takes them."""
    return [str(value) if not math.isfinite(value) else float(value) for value in np.asarray(values, float)]


def received(values):
    return np.array([float(value) if isinstance(value, str) else value for value in values], np.float64)


TEXT = (
    "((v) => (Number.isNaN(v) ? 'nan' : Number.isFinite(v) ? (Object.is(v, -0) ? '-0.0' : v) : v > 0 ? 'inf' : '-inf'))"
)
BACK = "((v) => (typeof v === 'string' ? { nan: NaN, inf: Infinity, '-inf': -Infinity }[v] : v))"


@pytest.mark.parametrize("format", formats.FORMATS, ids=lambda format: format.key)
def test_rounding(format):
    draw = np.random.default_rng(3)
    x = np.concatenate(
        [
            draw.standard_normal(4000) * 2.0 ** draw.integers(-160, 135, 4000),
            np.ldexp(draw.integers(-4096, 4096, 4000).astype(float), draw.integers(-30, 8, 4000)),
            [0.0, 448, 464, 465, 65519.99, 65520, 61440, 5, 5.01, 1e300, 5e-324, np.inf, -np.inf, np.nan],
            2.0 ** np.arange(-150, 128),
            np.nextafter(2.0 ** np.arange(-150, 128), 0),
        ]
    )
    body = f"result = given.x.map((x) => {TEXT}(roundTo(given.format, {BACK}(x))));"
    found = evaluate({BITS: "roundTo"}, body, {"format": format.described(), "x": sent(x)})
    np.testing.assert_array_equal(received(found), formats.rounded(x, format))


@pytest.mark.parametrize("format", formats.FORMATS, ids=lambda format: format.key)
def test_patterns_there_and_back(format):
    most = 2**format.bits
    codes = np.arange(most) if format.bits < 17 else np.random.default_rng(4).integers(0, most, 20000)
    body = (
        "const all = given.codes.map((code) => decodeBits(given.format, code));"
        f"result = [all.map((each) => {TEXT}(each.value)), all.map((each) => encodeBits(given.format, each.value))];"
    )
    values, back = evaluate(
        {BITS: "decodeBits, encodeBits"}, body, {"format": format.described(), "codes": codes.tolist()}
    )
    expected = formats.decoded(codes, format)
    np.testing.assert_array_equal(received(values), expected)
    known = ~np.isnan(expected)
    assert [code for code, fine in zip(back, known) if fine] == codes[known].tolist()


@pytest.mark.parametrize("key", ["e4m3", "e5m2", "e2m1", "int4", "int8", "fp16"])
def test_neighbours_walk_through_all_finite_numbers(key):
    format = formats.find(key)
    values = formats.decoded(np.arange(2**format.bits), format)
    ordered = np.unique(values[np.isfinite(values)])
    body = (
        "const values = []; let code = given.start;"
        "while (code !== null) "
        "{ values.push(decodeBits(given.format, code).value); code = neighbour(given.format, code, 1); }result = "
        "values;"
    )
    start = int(np.flatnonzero(values == ordered[0])[0])
    found = evaluate({BITS: "decodeBits, neighbour"}, body, {"format": format.described(), "start": start})
    np.testing.assert_array_equal(np.array(found), ordered)


@pytest.mark.parametrize("format", formats.FORMATS, ids=lambda format: format.key)
def test_numbers_are_counted_per_doubling(format):
    body = "result = given.powers.map((e) => countInDoubling(given.format, e));"
    powers = list(range(-155, 130))
    found = evaluate({BITS: "countInDoubling"}, body, {"format": format.described(), "powers": powers})
    if format.bits < 20:
        values = formats.decoded(np.arange(2 ** (format.bits - 1)), format)
        values = values[np.isfinite(values) & (values > 0)]
        sizes = np.frexp(values)[1] - 1
        assert found == [int((sizes == e).sum()) for e in powers]
    else:
        assert found[155] == 2**23 and found[155 - 149] == 1 and found[155 + 127] == 2**23 and found[-1] == 0


@pytest.mark.parametrize(
    "text, value, said",
    [
        ("0.1", 0.1, ""),
        (" −3e-5 ", -3e-5, ""),
        ("-0", -0.0, ""),
        ("nan", math.nan, ""),
        ("-inf", -math.inf, ""),
        ("1e400", math.inf, "read as infinity"),
        ("1e-400", 0.0, "read as zero"),
        ("0x7f", math.nan, "Read as bits of E4M3"),
        ("0x7e", 448.0, "Read as bits of E4M3"),
        ("0b10000000", -0.0, "Read as bits of E4M3"),
        ("", None, "The box is empty"),
        ("   ", None, "The box is empty"),
        ("0x", None, "no bit pattern"),
        ("0x7g", None, "no bit pattern"),
        ("0x1ff", None, "too long for E4M3"),
        ("1,5", None, "is no number"),
        ("<b>", None, "is no number"),
        ("3" * 61, None, "61 characters are too many"),
        ("1e", None, "is no number"),
    ],
)
def test_what_is_typed_is_read_or_refused_in_a_sentence(text, value, said):
    body = f"const r = readNumber(given.text, given.format, 60); result = [{TEXT}(r.x), r.note ?? '', r.problem ?? ''];"
    x, note, problem = evaluate({READING: "readNumber"}, body, {"text": text, "format": E4M3.described()})
    assert said in note + problem and bool(problem) == (value is None)
    if value is not None:
        assert str(float(x)) == str(value)


@pytest.mark.parametrize(
    "key, code, told",
    [
        ("e4m3", 0x1D, "+1 × 2⁻⁴ × (1 + 5/8) = 0.1015625"),
        ("e4m3", 0x01, "+1 × 2⁻⁶ × (1/8) = 0.001953125"),
        ("e4m3", 0x7F, "NaN"),
        ("e5m2", 0xFC, "−∞"),
        ("int8", 0x80, "−128 + 0 = −128"),
        ("e2m1", 0x8, "−1 × 2⁰ × 0 = −0"),
    ],
)
def test_the_formula_of_a_pattern(key, code, told):
    body = "result = formula(given.format, given.code);"
    assert told in evaluate({READING: "formula"}, body, {"format": formats.find(key).described(), "code": code})


def test_numbers_are_spelled():
    body = "result = [spelled(0.1), spelled(-0), spelled(1.401298464324817e-45), spelled(65504), spelled(3.4e38, 3)];"
    assert evaluate({READING: "spelled"}, body, 0) == ["0.1", "−0", "1.40129846·10⁻⁴⁵", "65504", "3.4·10³⁸"]
