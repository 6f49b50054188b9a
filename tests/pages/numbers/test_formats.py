"""The page Formats, run as Streamlit runs it; what the browser makes of what it is sent is tested in
tests/javascript."""

import contextlib
from dataclasses import replace

import numpy as np
import pytest

import tlmviz
from pages.numbers.formats.bits import claims, data, view
from pages.numbers.formats.bits.state import KINDS, LONGEST, WEIGHTS, Bits
from tests.packed import unpacked
from tests.pages.helpers import by_title, drawn, green, header_of, open_page, run_code, run_snippet, words
from tlmviz.analysis.numbers import formats, model_values
from tlmviz.errors import BadText
from tlmviz.ui.claims import first
from tlmviz.ui.inputs import DEFAULT_TEXT

PAGE = "numbers/formats"


def bits(**given) -> data.Data:
    """What the part One number shows of a state."""
    return data.Data(Bits(**given))


def _kept(found: data.Data) -> dict[str, float]:
    """What the snippet makes of a number, by the format's name."""
    return run_code(view.snippet(data.Data(replace(found.chosen, model="stories-rope", text=DEFAULT_TEXT))))["kept"]


def test_it_opens_on_a_tenth_in_eight_bits():
    sent = header_of(open_page(PAGE))
    assert sent["state"] == {"format": "e4m3", "number": "0.1"} and sent["longest"] == LONGEST
    assert [each["name"] for each in sent["formats"]] == [format.name for format in formats.FORMATS]
    assert len(sent["formats"]) == 9 and sent["formats"][5]["largest"] == 448


def test_the_table_has_the_corrected_ranges():
    rows = open_page(PAGE).dataframe[1].value.set_index("Format")
    assert rows.loc["E4M3", "Smallest normal"].startswith("2⁻⁶ ")
    assert rows.loc["E4M3", "Smallest"].startswith("2⁻⁹ ") and rows.loc["E4M3", "Largest"] == "448"
    assert rows.loc["E5M2", "Smallest normal"].startswith("2⁻¹⁴ ")
    assert rows.loc["E5M2", "Smallest"].startswith("2⁻¹⁶ ") and rows.loc["E5M2", "Largest"] == "57344"
    assert rows.loc["TF32", "ULP at 1"].startswith("2⁻¹⁰ ") and rows.loc["INT4", "Largest"] == "7"
    assert list(rows["Bits"]) == [32, 19, 16, 16, 8, 8, 4, 8, 4]


@pytest.mark.parametrize(
    "number, format, kept",
    [("0.1", "e4m3", 0.1015625), ("0x7e", "e4m3", 448.0), ("70000", "fp16", np.inf), ("-0", "bf16", 0.0)],
)
def test_the_snippet_keeps_what_the_page_keeps(number, format, kept):
    found = bits(number=number, format=format)
    assert _kept(found)[formats.find(format).name] == kept == found.mine


@pytest.mark.parametrize("number", ["nan", "1e400", "0x7f", " −3e-5 ", "0x1ff"])
def test_any_number_in_a_link_reaches_the_browser(number):
    assert Bits.number.parse(number) == number
    found = bits(number=number)
    header, _ = unpacked(drawn(view.picture, found))
    assert header["state"] == {"number": number, "format": "e4m3"} and _kept(found)


@pytest.mark.parametrize("number", ["", "0xzz", "<b>", "9" * 500, "0x7f' + 1", "1,5"])
def test_what_is_no_number_in_a_link_cannot_be_read(number):
    with pytest.raises(ValueError):
        Bits.number.parse(number)


def test_what_is_no_number_in_a_link_is_named_and_the_default_shown():
    app = open_page(PAGE, {"nnum": "0x7f' + 1", "nfmt": "fp12"})
    assert header_of(app)["state"] == {"number": "0.1", "format": "e4m3"}
    assert "fp12" in app.warning[0].value and "0x7f' + 1" in app.warning[0].value
    run_snippet(app)


def test_the_nearest_number_is_no_overflow():
    """448.1 is rounded to 448, as torch does; what lies nearer to the step beyond it is too large."""
    for x, said in ((448.1, False), (464.0, False), (465.0, True), (-460.0, False)):
        assert bool(formats.overflows(x, formats.find("e4m3"))) is said
    assert not formats.overflows(7.4, formats.find("int4")) and formats.overflows(7.6, formats.find("int4"))


def test_numbers_per_doubling_are_as_the_page_says():
    for key, count in (("bf16", 128), ("fp16", 1024)):
        format = formats.find(key)
        values = formats.decoded(np.arange(2 ** (format.bits - 1)), format)
        assert ((values >= 1) & (values < 2)).sum() == count
    assert formats.find("fp16").largest == 65504


def test_the_model_s_gradients_in_every_format():
    app = open_page(PAGE, {"nfmt": "fp16"})
    rows = app.dataframe[0].value.set_index("Format")
    lm = tlmviz.load("stories-rope")
    found = model_values.values(lm, lm.encode(DEFAULT_TEXT))["gradients"]
    for name, format in (("FP16", "fp16"), ("E4M3", "e4m3")):
        expected = model_values.fates(found, formats.find(format))
        assert rows.loc[name, "Lost"] == pytest.approx(expected.lost)
        assert rows.loc[name, "Subnormal"] == pytest.approx(expected.subnormal)
    assert 0.1 < rows.loc["FP16", "Subnormal"] < 0.2 and 0.4 < rows.loc["E4M3", "Lost"] < 0.6
    assert any("over the range of FP16" in title for title in by_title(app)) and "red-badge" not in words(app)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", ["a", "🙂", "Tom ran."])
def test_kinds_and_texts(kind, text):
    numbers = data.Numbers(Bits(kind=kind, model="stories-rope", text=text))
    with contextlib.suppress(BadText):
        assert numbers.fates and green(numbers.checks) and first(claims.MODELS, numbers)


@pytest.mark.parametrize("model", ["zoo-mla", "stories-mhc", "stories-gpt"])
def test_other_models(model):
    numbers = data.Numbers(Bits(kind=WEIGHTS, model=model, text=DEFAULT_TEXT))
    assert numbers.fates and green(numbers.checks)
