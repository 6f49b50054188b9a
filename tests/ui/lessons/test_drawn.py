"""Every picture of every lesson can be drawn, as it is sent, on a desk and on a phone."""

import pytest

from tests.javascript.node import evaluate
from tlmviz.ui.lessons import runner
from tlmviz.ui.lessons.table import LESSONS

IMPORTS = {"tlmviz/ui/components/lesson/pictures.js": "composed"}
DRAW = """
const ruler = (text, size) => 0.5 * size * text.length;
const drawn = ({ marks, frame }) => [
  marks.length + (frame ? 1 : 0), new Set(marks.map(({ key }) => key)).size === marks.length];
const sizes = [[1120, 480], [358, 420]];
result = given.map((parts) => sizes.map(([W, H]) => drawn(composed(W, H, parts, ruler))));
"""


@pytest.mark.parametrize("name", LESSONS)
def test_every_picture_of_a_lesson_can_be_drawn(name):
    sent = runner.payload(LESSONS[name])
    pictures = [each["shows"] for each in sent["end"]]
    for scene in sent["scenes"]:
        pictures += [scene["before"], scene["after"], *(reply["shows"] for reply in scene["act"]["replies"])]
    pictures = [each for each in pictures if each]
    for parts, sizes in zip(pictures, evaluate(IMPORTS, DRAW, pictures), strict=True):
        for marks, apart in sizes:
            assert marks and apart, [part["kind"] for part in parts]
