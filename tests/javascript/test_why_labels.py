"""Which sources of a score have a label in the map."""

from tests.javascript.node import evaluate


def test_the_largest_sums_are_labelled_and_no_two_overlap():
    files = {"pages/workbench/why/component/maps.js": "labelled"}
    body = "result = [[...labelled([1, -9, 8, 0, 2], 5, 10)].sort(), [...labelled([1, 2], 30, 10)].sort()];"
    assert evaluate(files, body) == [[1, 4], [0, 1]]
