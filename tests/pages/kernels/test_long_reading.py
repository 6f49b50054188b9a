"""The view "Text" of the page "Long context": what is sent is the trace's own, and heads are offered as measured."""

import numpy as np
import pytest

from pages.kernels.long_context import data as compute
from pages.kernels.long_context import state
from pages.kernels.long_context.reading import data as view
from tests.pages.helpers import badges, open_page, picture, run_snippet
from tests.pages.helpers import words as said
from tlmviz.ui import long_text

PAGE = "kernels/long_context"


def opened(query=None, **session):
    return open_page(PAGE, query, **{"lview": state.TEXT, "ltok": 256, **session})


def passage(header) -> compute.Passage:
    text = compute.sample("stories-rope", 256)
    return compute.Passage("stories-rope", long_text.encoded("stories-rope", text))


def test_it_opens_on_the_head_that_reads_far_most_at_its_farthest_look():
    app = opened()
    header, arrays = picture(app)
    far = compute.far_heads(passage(header))
    assert (header["layer"], header["head"]) == divmod(int(far.argmax()), far.shape[1])
    best = header["far"][0]
    assert best[:2] == [header["layer"], header["head"]]
    assert best[2] == pytest.approx(far.max(), abs=1e-6)
    values = [value for _, _, value in header["far"]]
    assert values == sorted(values, reverse=True)
    trace = compute.trace(passage(header))
    row = trace.attention(header["layer"], header["head"])[header["query"]].numpy()
    assert np.allclose(arrays["row"], row[: header["query"] + 1], atol=1e-6)
    q, k, lse = (part.numpy() for part in trace.qk(header["layer"], header["head"]))
    assert np.array_equal(arrays["q"], q) and np.array_equal(arrays["k"], k) and np.array_equal(arrays["lse"], lse)
    assert header["tokens"] == list(trace.tokens) and len(arrays["loss"]) == len(trace) - 1
    assert "red-badge" not in badges(app) and "No head puts more on one token" in said(app)


def test_a_pinned_word_of_a_chosen_head_and_the_snippet():
    app = opened({"head": "4.2", "query": "24", "lcol": "loss"})
    header, arrays = picture(app)
    shown = header["layer"], header["head"], header["query"], header["state"]["color"]
    assert shown == (4, 2, 24, "loss")
    assert arrays["row"].sum() == pytest.approx(1, abs=1e-4)
    row = run_snippet(app)["row"].numpy()
    assert np.allclose(row[:25], arrays["row"], atol=1e-6) and not row[25:].any()


def test_beyond_the_training_length_the_page_says_what_lies_there():
    app = opened({"head": "4.2", "query": "1100"}, ltok=2048)
    _, arrays = picture(app)
    beyond = arrays["row"][: 1100 - 1024 + 1].sum()
    assert f"puts {beyond:.3f} of its weight on tokens 1,024 or more back" in said(app)


def test_where_q_and_k_are_too_much_to_send_rows_come_from_the_server(monkeypatch):
    monkeypatch.setattr(view, "HEAVIEST", 1000)
    header, arrays = picture(opened({"query": "24"}))
    assert set(arrays) == {"loss", "row", "map"} and len(arrays["row"]) == header["query"] + 1


@pytest.mark.parametrize(
    "text, query", [("a", "999999"), ("<b>x</b> $x$", "-4"), ("😀😀 他走了。", "x"), ("😀😀 他走了。", "999999")]
)
def test_odd_texts_and_links(text, query):
    header, arrays = picture(opened({"query": query, "lcol": "<b>"}, src=long_text.OWN, own=text))
    assert len(arrays["row"]) == header["query"] + 1 <= len(header["tokens"])
