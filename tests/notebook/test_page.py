"""A trace as one file: small, complete, without a network, and as exact as it says."""

import base64
import json
import re
import zlib

import numpy as np
import pytest
import torch

import tlmviz
from tests.javascript.node import evaluate
from tests.test_trace_arrays import example, tokens
from tests.tiny import TEXT, sentence
from tests.watching.families import ENCODERS
from tlmviz.errors import BadFile, BadShape, UnknownName
from tlmviz.notebook import page
from tlmviz.notebook.parts import start

VIEW = "tlmviz/ui/components/attention_view"
WEIGHTS = {f"{VIEW}/rounded.js": "weightsOf, overviewOf", "tlmviz/ui/components/canvas/decode.js": "decode"}


@pytest.fixture
def trace(variant):
    return variant.trace(TEXT)


def large(size=256, sharpness=1.0, seed=0):
    """48 heads over 256 tokens."""
    generator = torch.Generator().manual_seed(seed)
    q, k = torch.randn(2, 6, 8, size, 32, generator=generator)
    return tlmviz.Trace.from_arrays(q * sharpness, k, tokens(size))


def payload(text: str) -> bytes:
    [data] = re.findall(r'<script id="data" type="text/plain">([^<]*)</script>', text)
    return zlib.decompress(base64.b64decode(data))


def header(text: str) -> dict:
    raw = payload(text)
    return json.loads(raw[4 : 4 + int.from_bytes(raw[:4], "little")])


def shown(text: str) -> np.ndarray:
    """Every head's map [L * H, T, T] as the file's own program computes it."""
    body = """const { header, arrays } = decode(given);
    result = Array.from({ length: header.layers * header.heads }, (_, i) => Array.from(weightsOf(header, arrays,
      i)));"""
    maps = np.array(evaluate(WEIGHTS, body, payload(text)))
    size = round(maps.shape[1] ** 0.5)
    return maps.reshape(-1, size, size)


def maps(trace) -> np.ndarray:
    heads = [trace.attention(layer, head) for layer in range(trace.n_layers) for head in range(trace.n_heads)]
    return torch.stack(heads).float().numpy()


def stated(text: str) -> float:
    """The error that the file says its weights have at most."""
    [error] = re.findall(r"lie within ([0-9.e-]+) of the trace", text)
    return float(error)


def test_weights_are_within_the_stated_error(trace):
    text = page.page(trace)
    error = np.abs(shown(text) - maps(trace)).max()
    assert error <= stated(text) + 1e-7 and stated(text) < 1e-5  # short: 65,535 levels
    assert header(text)["levels"] == 65535


@pytest.mark.parametrize("sharpness", [1.0, 4.0])
def test_48_heads_of_256_tokens_take_less_than_2_mb(sharpness, tmp_path):
    trace, path = large(sharpness=sharpness), tmp_path / "x.html"
    trace.save_html(path)
    text = path.read_text(encoding="utf-8")
    assert path.stat().st_size <= 2_000_000
    error = np.abs(shown(text) - maps(trace)).max()
    assert error <= stated(text) + 1e-7 and stated(text) <= 0.004


def test_maps_without_a_causal_mask_are_whole():
    trace = tlmviz.Trace.from_arrays(*example(), tokens(9), causal=False)
    text = page.page(trace)
    assert np.abs(shown(text) - maps(trace)).max() <= stated(text) + 1e-7
    assert not header(text)["causal"]


def test_the_overview_is_that_of_the_kernels():
    """Computed in the browser from the rounded weights, in the same bins."""
    trace = large(100)
    text = page.page(trace)
    body = "const { header, arrays } = decode(given);\nresult = Array.from(overviewOf(header, arrays));"
    drawn = np.array(evaluate(WEIGHTS, body, payload(text))).reshape(48, 48, 48)
    expected = 255 * np.sqrt(trace.overview(48).flatten(0, 1).numpy())
    assert np.abs(drawn - expected).max() <= 1


def whole(size):
    """Every cell of a square map, as rows and columns."""
    return np.indices((size, size)).reshape(2, -1)


def test_rounding_says_its_largest_error():
    weights = np.stack(
        [torch.rand(30, 30, generator=torch.Generator().manual_seed(i)).pow(6).softmax(-1).numpy() for i in range(3)]
    )
    weights[:, :, 1::2] *= 0.01
    for fineness in page.FINENESS:
        rounded = page.round_weights(weights, whole(30), fineness)
        peak = rounded.peaks[..., None]
        codes = rounded.codes.reshape(3, 30, 30)
        back = (codes / fineness.levels) ** 2 * peak
        assert np.abs(back - weights).max() == pytest.approx(rounded.error, rel=1e-2, abs=1e-7)
        bound = np.sqrt(weights * peak) / fineness.levels + peak / (4 * fineness.levels**2)
        bound = np.where(codes, bound, np.maximum(bound, fineness.faint * peak))
        assert (np.abs(back - weights) <= bound + 1e-7).all()


def test_rows_of_zeros_stay_zero():
    rounded = page.round_weights(np.zeros((1, 2, 2), np.float32), whole(2), page.FINENESS[1])
    assert not rounded.codes.any() and rounded.error == 0 and page._rounded_up(0.0) == "0"


def test_what_would_be_large_loses_the_faintest_weights_alone(monkeypatch):
    """As 270 heads of 512 tokens do; the stated error and the tooltip's stay true."""
    monkeypatch.setattr(page, "FINENESS", page.FINENESS[-1:])
    trace = large(64, sharpness=2.0)
    text = page.page(trace)
    found, exact = shown(text), maps(trace)
    assert np.abs(found - exact).max() <= stated(text) + 1e-7 and stated(text) < 0.011
    assert "below 1/256 of it kept as 0" in text and header(text)["faint"] == 1 / 256
    peak = exact.max(-1, keepdims=True)
    assert (found == 0)[exact < 0.99 * peak / 256].all() and (found > 0)[exact > 1.01 * peak / 256].all()
    body = """const { header, arrays } = decode(given);
    const drawn = weightsOf(header, arrays, 3);
    result = Array.from(drawn, (_, at) => new Weights(header, drawn).values(Math.floor(at / 64), at % 64)[1][1]);"""
    within = np.array(evaluate(WEIGHTS | {f"{VIEW}/weights.js": "Weights"}, body, payload(text))).reshape(64, 64)
    assert (np.abs(found - exact)[3] <= within + 1e-7).all()


class TestChoice:
    def test_the_maps_of_the_heads_chosen_are_in_the_file(self):
        trace = large(40)
        text = page.page(trace, layers=[4, 1], heads=range(2, 5))
        held = [8 * layer + head for layer in (1, 4) for head in (2, 3, 4)]
        assert header(text)["held"] == held and "Maps of 6 heads are in this file" in text
        found = shown(text)
        assert np.abs(found - maps(trace))[held].max() <= stated(text) + 1e-7
        assert not np.delete(found, held, 0).any()
        state = header(text)["state"]
        assert 8 * state["layer"] + state["head"] in held and len(payload(text)) < len(payload(page.page(trace)))

    @pytest.mark.parametrize(
        "asked, before, shown", [(11, 10, 11), (14, 12, 34), (13, 34, 12), (47, 36, 36), (0, 36, 10)]
    )
    def test_a_head_without_a_map_leads_to_the_next_that_has_one(self, asked, before, shown):
        text = page.page(large(8), layers=[4, 1], heads=range(2, 5))
        body = f"""const {{ header }} = decode(given);
        const state = {{ layer: {asked // 8}, head: {asked % 8}, overlay: [[0, 1], [1, 2]] }};
        const found = heldState(header, state, {{ layer: {before // 8}, head: {before % 8} }});
        result = [found.layer * 8 + found.head, found.overlay];"""
        imports = WEIGHTS | {f"{VIEW}/rounded.js": "heldState"}
        assert evaluate(imports, body, payload(text)) == [shown, [[1, 2]]]

    @pytest.mark.parametrize(
        "choice, words", [({"layers": [6]}, "no layer 6"), ({"heads": []}, "not one of the heads")]
    )
    def test_what_is_not_there(self, choice, words, tmp_path):
        with pytest.raises(UnknownName, match=words) as error:
            large(8).save_html(tmp_path / "x.html", **choice)
        assert sentence(error)

    def test_too_large_a_file_is_refused_before_it_is_made(self, monkeypatch, tmp_path):
        trace = large(40)
        monkeypatch.setattr(page, "MOST", 4 * 40 * 41 // 2)
        monkeypatch.setattr(type(trace), "statistics", lambda self: pytest.fail("computed"))
        with pytest.raises(BadShape, match="48 heads over 40 tokens.*at most 4 heads with layers=") as error:
            trace.save_html(tmp_path / "x.html")
        assert sentence(error) and trace._repr_html_() is None
        monkeypatch.undo()
        monkeypatch.setattr(page, "MOST", 4 * 40 * 41 // 2)
        trace.save_html(tmp_path / "x.html", layers=[0], heads=range(4))


def test_a_bar_shows_where_it_takes_seconds(monkeypatch):
    bars = []
    monkeypatch.setattr(page, "tqdm", lambda layers, **options: bars.append(options["disable"]) or layers)
    trace, cells = large(8), (np.zeros(1, int), np.zeros(1, int))
    page._rounded(trace, [0, 9], cells, page.FINENESS[1])
    page._rounded(trace, [0, 9], (np.zeros(5_000_000, int),) * 2, page.FINENESS[1])
    assert bars == [True, None], "None: in a terminal alone"


@pytest.mark.parametrize("error, text", [(0.00191, "0.002"), (0.0018001, "0.0019"), (6.51e-6, "6.6e-06")])
def test_a_stated_error_is_rounded_up(error, text):
    assert page._rounded_up(error) == text


def test_nothing_in_it_asks_for_anything_elsewhere(trace):
    text = page.page(trace)
    assert "default-src 'none'" in text
    assert not re.search(r"(src|href)\s*=\s*[\"']?(https?:|//)", text)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)  # types are imported in comments
    assert not re.search(r"\b(fetch|XMLHttpRequest|WebSocket|import)\s*\(", text)


def test_users_texts_are_escaped():
    hostile = ["</script><script>alert(1)</script>", "<b>", "&amp;"] * 3
    q, k = example()
    trace = tlmviz.Trace.from_arrays(q, k, hostile, model="<img src=x onerror=alert(1)>")
    for text in (page.page(trace), page.framed(trace)):
        assert "<script>alert" not in text and "<img" not in text
    assert header(page.page(trace))["tokens"] == hostile


def test_rows_that_do_not_sum_to_one_are_said_in_the_file():
    shown = tlmviz.show([torch.full((2, 3, 3), 0.5)], ["a", "b", "c"])
    assert "12 of 12" not in page.page(shown) and "6 of 6 rows do not sum to 1" in page.page(shown)


def test_it_opens_on_the_head_that_looks_back_most(trace):
    opened = start(trace)
    best = int(np.argmax(trace.statistics()["previous"]))
    assert (opened["layer"], opened["head"]) == divmod(best, trace.n_heads)
    assert header(page.page(trace))["state"]["head"] == opened["head"]


def test_cross_attention_is_refused_in_a_sentence(tmp_path):
    q, k = example(keys=5)
    trace = tlmviz.Trace.from_arrays(q, k, tokens(9), key_tokens=list("abcde"))
    with pytest.raises(BadShape) as error:
        trace.save_html(tmp_path / "x.html")
    assert "maps within one text" in sentence(error)


def test_a_folder_that_does_not_exist_is_said(trace, tmp_path):
    with pytest.raises(BadFile) as error:
        trace.save_html(tmp_path / "nowhere" / "x.html")
    assert "cannot be written" in sentence(error)


@pytest.mark.parametrize(
    "name, stack", [("vit", "encoder"), ("dinov2", "encoder"), ("clip", "vision"), ("siglip", "vision")]
)
def test_an_image_model_s_file_has_the_picture_and_the_model_s_own_maps(name, stack):
    family = ENCODERS[name]
    model = family.make()
    inputs = family.inputs(model)
    with torch.no_grad():
        with tlmviz.watch(model) as watched:
            model(**inputs)
        model.set_attn_implementation("eager")
        outputs = model(**inputs, output_attentions=True)
    exact = (outputs if stack == "encoder" else outputs.vision_model_output).attentions
    trace = watched.trace_of(stack)
    text = page.page(trace)
    assert np.abs(shown(text) - torch.cat(exact, 1)[0].numpy()).max() <= stated(text) + 1e-5
    assert header(text)["patches"] == {"rows": 4, "columns": 4, "height": 16, "width": 16}
    body = "const { arrays } = decode(given);\nresult = Array.from(arrays.image);"
    image = np.array(evaluate(WEIGHTS, body, payload(text))).reshape(16, 16, 3)
    np.testing.assert_array_equal(image, trace.patches.pixels)


def test_a_text_has_no_picture(trace):
    assert "patches" not in header(page.page(trace)) and "image" not in header(page.page(trace))["arrays"]
