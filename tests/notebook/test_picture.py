"""The picture of a trace that a saved notebook keeps: a head's own weights, and nothing that a token brings."""

from xml.etree import ElementTree

import numpy as np

from tests.tiny import TEXT
from tlmviz import figures
from tlmviz.notebook import picture
from tlmviz.notebook.parts import start

SVG = "{http://www.w3.org/2000/svg}"


def cells(root) -> dict[tuple[int, int], str]:
    """Row and column of each cell -> its colour; the ground is the first rectangle."""
    rects = list(root.iter(f"{SVG}rect"))[1:]
    left = min(float(rect.get("x")) for rect in rects)
    place = [(float(rect.get("y")) - picture.HEAD, float(rect.get("x")) - left) for rect in rects]
    size = picture.CELL
    return {(int(y // size), int(x // size)): rect.get("fill") for (y, x), rect in zip(place, rects)}


def test_cells_are_the_weights_of_the_head_that_it_names(variant):
    trace = variant.trace(TEXT)
    root, (layer, head) = ElementTree.fromstring(trace._repr_svg_()), start(trace).values()
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert texts[0].startswith(f"L{layer}H{head} of {variant.name}")
    assert texts[2::2] == texts[3::2] == figures.token_labels(trace.tokens, 12)
    weights, drawn = trace.attention(layer, head).numpy(), cells(root)
    assert f"the darkest {weights.max():.2f}" in texts[1]
    shares = np.sqrt(weights / weights.max())
    assert drawn.keys() == {(int(i), int(j)) for i, j in zip(*np.nonzero(shares > 0.05))}
    darkest = np.unravel_index(weights.argmax(), weights.shape)
    assert drawn[tuple(map(int, darkest))] == figures.LIGHT.sequential[-1].lower()


def test_a_long_text_is_pooled_and_small(variant):
    trace = variant.trace("Tom saw a dog. " * 12)
    assert len(trace) > picture.CELLS
    found = trace._repr_svg_()
    (layer, head), root = start(trace).values(), ElementTree.fromstring(found)
    pooled = trace.pooled(layer, head, picture.CELLS)
    assert max(cells(root))[0] < picture.CELLS and len(found) < 300_000
    assert len(cells(root)) == int((pooled / pooled.max() > 0.05**2).sum())


def test_markup_in_a_token_is_text(variant):
    root = ElementTree.fromstring(variant.trace("<b>&</b> <svg onload=x>")._repr_svg_())
    assert {child.tag for child in root.iter()} == {f"{SVG}{name}" for name in ("svg", "rect", "text", "path")}
