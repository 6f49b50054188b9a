"""A trace in a notebook: a widget whose kernel answers with exact tiles, or a frame where there are no widgets."""

import subprocess
import sys

import numpy as np
import pytest
import torch

import tlmviz
from tests.packed import unpacked
from tests.test_trace_arrays import example, tokens
from tests.tiny import TEXT
from tlmviz.kernels import AttentionMask
from tlmviz.notebook.widget import AttentionWidget
from tlmviz.patches import Patches

WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def trace(variant):
    return variant.trace(TEXT)


def test_the_kernel_answers_a_choice_with_that_heads_tensors(trace):
    widget = AttentionWidget(trace)
    widget.view = {"layer": 1, "head": 1, "query": 4, "key": 2, "seq": 3}
    header, arrays = unpacked(widget.data)
    assert header["chosen"] == {"layer": 1, "head": 1} and header["state"]["seq"] == 3
    if trace.specs[1].mask.softcap is None:
        for name, tensor in zip(("q", "k", "lse"), trace.qk(1, 1)):
            np.testing.assert_array_equal(arrays[name], tensor.numpy())
    else:  # the browser does not know it
        np.testing.assert_array_equal(arrays["weights"], trace.attention(1, 1).numpy())
    np.testing.assert_allclose(arrays["rows"], trace.row(4).flatten(0, 1).numpy())


@pytest.mark.parametrize("mask", [AttentionMask(softcap=2.0), AttentionMask(sinks=torch.arange(4.0))])
def test_a_mask_that_the_browser_does_not_know_travels_as_weights(mask):
    trace = tlmviz.Trace.from_arrays(*example(), tokens(9), mask=mask)
    _, arrays = unpacked(AttentionWidget(trace, {"layer": 1, "head": 2}).data)
    assert "q" not in arrays
    np.testing.assert_array_equal(arrays["weights"], trace.attention(1, 2).numpy())


def test_given_weights_travel_as_they_are():
    given = torch.full((2, 3, 3), 0.5)
    widget = AttentionWidget(tlmviz.show([given], ["a", "b", "c"]))
    assert widget.notes == ["6 of 6 rows do not sum to 1, the first: L0H0, row 0 sums to 1.5."]
    np.testing.assert_array_equal(unpacked(widget.data)[1]["weights"], given[0].numpy())


def test_what_the_browser_may_send_is_cut_to_the_trace(trace):
    widget = AttentionWidget(trace)
    widget.view = {"layer": 99, "head": -3, "query": 10**6, "key": None}
    header, _ = unpacked(widget.data)
    assert header["chosen"] == {"layer": trace.n_layers - 1, "head": 0} and header["state"]["query"] is None


def test_a_trace_shows_itself_as_a_widget(trace):
    data, _ = trace._repr_mimebundle_()
    assert WIDGET in data and "text/html" not in data and data["text/plain"] == repr(trace)
    assert trace._repr_html_() is None  # megabytes beside the widget
    assert f"{len(trace)} tokens" in repr(trace)


def test_without_anywidget_it_is_a_frame(trace, monkeypatch):
    monkeypatch.setattr("tlmviz.tracing.trace.find_spec", lambda name: None)
    assert trace._repr_mimebundle_() == {}
    assert trace._repr_html_().startswith('<iframe srcdoc="')


def test_cross_attention_is_printed():
    q, k = example(keys=5)
    trace = tlmviz.Trace.from_arrays(q, k, tokens(9), key_tokens=list("abcde"))
    assert trace._repr_mimebundle_() == {} and trace._repr_html_() is trace._repr_svg_() is None
    assert repr(trace) == "<Trace: 2 layers × 4 heads, 9 tokens by 5 keys>"


def test_the_library_loads_without_widgets_and_without_streamlit():
    code = "import sys, tlmviz\nprint({'anywidget', 'streamlit', 'plotly'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


def test_a_file_is_written_without_streamlit(tmp_path):
    code = (
        "import sys, torch, tlmviz\n"
        "t = tlmviz.Trace.from_arrays(torch.randn(1, 2, 5, 4), torch.randn(1, 2, 5, 4), list('abcde'))\n"
        f"t.save_html({str(tmp_path / 'x.html')!r})\nprint('streamlit' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_the_kernel_sends_the_image_that_the_tokens_are_patches_of():
    pixels = np.random.default_rng(0).integers(0, 256, (6, 8, 3), dtype=np.uint8)
    patches = Patches(2, 4, pixels)
    trace = tlmviz.Trace.from_arrays(*example(), tokens(9), causal=False, patches=patches)
    header, arrays = unpacked(AttentionWidget(trace).data)
    assert header["patches"] == {"rows": 2, "columns": 4, "height": 6, "width": 8}
    np.testing.assert_array_equal(arrays["image"], pixels)
