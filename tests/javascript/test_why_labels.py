"""Which sources of a score have a label in the map."""

from tests.javascript.node import evaluate


def test_the_largest_sums_are_labelled_and_no_two_overlap():
    files = {"pages/workbench/why/maps.js": "labelled"}
    body = "result = [[...labelled([1, -9, 8, 0, 2], 5, 10)].sort(), [...labelled([1, 2], 30, 10)].sort()];"
    assert evaluate(files, body) == [[1, 4], [0, 1]]


def test_labels_of_query_and_key_that_are_neighbours_give_way():
    files = {"pages/workbench/why/maps.js": "apart"}
    body = "result = [[3, 4, 5].map((i) => apart(i, 4, 5, 5)), apart(4, 4, 4, 5), apart(4, 4, 8, 5)];"
    [below, query, key], same, far = evaluate(files, body)
    assert (below, same, far) == (0, 0, 0) and key - query + 5 >= 10
