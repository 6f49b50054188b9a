"""Tags of heads: against heads built to do one thing, and against sums written out cell by cell."""

import math

import numpy as np
import pytest
import torch

import tlmviz
from tlmviz.analysis.attention import tags
from tlmviz.analysis.attention.attribution import attribute_logit
from tlmviz.tracing.trace import Trace

TOKENS = [
    "<|endoftext|>",
    "Tom",
    " and",
    " Lily",
    " saw",
    " a",
    " dog",
    ".",
    " Lily",
    " saw",
    " a",
    " cat",
    ",",
    " Tom",
]
NAMES = [tag.name for tag in tags.TAGS]
PUNCTUATION = {7, 12}
PEOPLE = {1, 3, 8, 13}  # Tom is a name by its second mention


def is_counted(name: str, i: int, j: int) -> bool:
    """Whether a tag counts key j of query i, told from the words alone."""
    here, there = TOKENS[i], TOKENS[j]
    return {
        "induction": 0 < j <= i and TOKENS[j - 1] == here,
        "duplicate": 0 < j < i and there == here,
        "word": 0 < j < i
        and there != here
        and there.strip().lower() == here.strip().lower()
        and there.strip().isalpha(),
        "names": 0 < j < i and j in PEOPLE,
        "previous": j == i - 1,
        "punctuation": 0 < j < i and j in PUNCTUATION,
        "sink": j == 0 and i > 0,
        "own": j == i,
        "local": 0 <= i - j <= 3 and i >= 8,
    }[name]


def by_hand(weights, name: str) -> float:
    """The mean over queries from the second on, of those that have such keys, of the weight on them."""
    rows = []
    for i in range(1, len(TOKENS)):
        if name == "broad":
            entropy = -sum(p * math.log(p) for p in weights[i].tolist() if p > 0)
            rows.append(entropy / math.log(i + 1))
        elif any(is_counted(name, i, j) for j in range(len(TOKENS))):
            rows.append(sum(weights[i, j].item() for j in range(len(TOKENS)) if is_counted(name, i, j)))
    if name == "induction" and sum(rows) < 3 * from_elsewhere(weights):
        return math.nan
    return float(np.mean(rows)) if rows else math.nan


def from_elsewhere(weights) -> float:
    """What the keys that induction counts would get if its queries saw them as the other later queries do."""
    total = 0.0
    for i in range(1, len(TOKENS)):
        for j in range(len(TOKENS)):
            if is_counted("induction", i, j):
                others = [q for q in range(max(1, j + 1), len(TOKENS)) if not is_counted("induction", q, j)]
                total += sum(weights[q, j].item() for q in others) / max(1, len(others))
    return total


def trace_of(scores) -> Trace:
    """A trace of heads [H, T, S] that have these scores: q is their rows, k picks a column."""
    size = scores.shape[-1]
    keys = torch.eye(size).expand(1, len(scores), size, size)
    return Trace.from_arrays(scores[None], keys, TOKENS, scale=1.0)


@pytest.fixture(scope="module")
def random_heads() -> Trace:
    generator = torch.Generator().manual_seed(0)
    scores = 2 * torch.randn(5, len(TOKENS), len(TOKENS), generator=generator)
    scores[0] += 4 * torch.tensor(
        [[is_counted("induction", i, j) for j in range(len(TOKENS))] for i in range(len(TOKENS))]
    )
    return trace_of(scores)


@pytest.mark.parametrize("name", NAMES)
def test_every_measure_equals_a_sum_written_out(random_heads, name):
    values = tags.tag_heads(random_heads).values[NAMES.index(name), 0]
    for head, value in enumerate(values):
        plain = by_hand(random_heads.attention(0, head).double(), name)
        assert value == pytest.approx(plain, abs=1e-5, nan_ok=True)
    if name == "induction":
        assert not np.isnan(values[0]) and np.isnan(values).any()


def test_what_looks_there_from_anywhere_or_cannot_know_is_no_induction_head():
    lm = tlmviz.load("stories-rope")
    at = NAMES.index("induction")
    verb = tags.tag_heads(lm.trace("The cat sat on the mat. The cat sat on the"))
    assert np.isnan(verb.values[at, 1, 2])  # it rests on "sat", from the first full stop, too
    trace = lm.trace("Anna went to the shop. Then Anna went home.")
    assert trace.attention(0, 4)[11, trace.tokens.index(" Then")] > 0.8  # of the first layer
    assert np.isnan(tags.tag_heads(trace).values[at, 0]).all()


@pytest.mark.parametrize("name", [name for name in NAMES if name != "broad"])
def test_a_head_built_for_a_tag_has_it(name):
    """Wherever it can, it looks at the keys that the tag counts, else at the first token."""
    size = len(TOKENS)
    scores = torch.zeros(1, size, size)
    for i in range(size):
        wanted = [j for j in range(i + 1) if is_counted(name, i, j)] or [0]
        scores[0, i, wanted] = 30.0
    held = tags.tag_heads(trace_of(scores))
    at = NAMES.index(name)
    enough = held.counts[at] >= tags.TAGS[at].fewest
    assert held.met[at, 0, 0] and (name in [tag.name for tag in held.of(0, 0)]) == enough
    assert held.values[at, 0, 0] == pytest.approx(1, abs=1e-3)


def test_a_uniform_head_is_broad_and_a_sharp_one_is_not():
    sharp = 30 * torch.eye(len(TOKENS))[None]
    assert [tag.name for tag in tags.tag_heads(trace_of(0 * sharp)).of(0, 0)] == ["broad"]
    assert "broad" not in [tag.name for tag in tags.tag_heads(trace_of(sharp)).of(0, 0)]


def test_a_text_without_such_keys_has_no_measure():
    keys = torch.eye(3)[None, None]
    held = tags.tag_heads(Trace.from_arrays(0 * keys, keys, ["a", "b", "c"]))
    assert np.isnan(held.values[NAMES.index("induction")]).all() and np.isnan(held.values[NAMES.index("local")]).all()
    assert not held.holds[NAMES.index("induction")].any()


def test_one_repeated_token_makes_no_induction_head_but_a_row_worth_seeing():
    """A mean over one query says what that query does, not what its head does."""
    trace = tlmviz.load("stories-rope").trace("Lily had a red ball. One day, Lily lost the red")
    tagged = tags.tag_heads(trace)
    at = NAMES.index("induction")
    assert 1 <= tagged.counts[at] < tags.TAGS[at].fewest and tagged.met[at].any()
    assert not tagged.holds[at].any()
    row = tags.striking_row(trace, tagged)
    assert row.tag == "induction" and trace.tokens[row.key - 1] == trace.tokens[row.query]


def test_a_measure_counts_the_queries_that_have_such_keys(random_heads):
    counts = tags.tag_heads(random_heads).counts
    for name, count in zip(NAMES, counts, strict=True):
        queries = range(1, len(TOKENS))
        counted = [i for i in queries if name == "broad" or any(is_counted(name, i, j) for j in range(i + 1))]
        assert count == len(counted), name


@pytest.mark.parametrize("tokens", [["a"], ["<|endoftext|>"], ["a", "b"]])
def test_texts_of_one_or_two_tokens_have_tags_and_a_row(tokens):
    keys = torch.ones(1, 2, len(tokens), 4)
    trace = Trace.from_arrays(keys, keys, tokens)
    row = tags.striking_row(trace, tags.tag_heads(trace))
    assert 0 <= row.key <= row.query < len(tokens)


def test_of_a_long_text_the_last_queries_are_measured():
    lm = tlmviz.load("stories-rope")
    trace = lm.trace("Tom saw a dog. Lily saw a cat. " * 12)
    previous = tags.tag_heads(trace).values[NAMES.index("previous")]
    weights = trace.attention(3, 0)
    last = range(len(trace) - tags.MOST_QUERIES, len(trace))
    assert previous[3, 0] == pytest.approx(np.mean([weights[i, i - 1].item() for i in last]), abs=1e-5)


def test_what_the_statistics_measure_too_is_the_same():
    trace = tlmviz.load("stories-rope").trace("Tom saw a dog. Lily saw a dog. Tom")
    held, statistics = tags.tag_heads(trace), trace.statistics()
    for name in ("previous", "induction", "sink"):
        own = held.values[NAMES.index(name)].ravel()
        said = ~np.isnan(own)
        assert said.any() and own[said] == pytest.approx(statistics[name][said], abs=1e-5)


def test_the_row_that_opens_does_what_its_head_is_called():
    trace = tlmviz.load("stories-rope").trace(
        "Zumi met Kavo at the big tree. Zumi waved and Kavo smiled. Then Zumi and"
    )
    held = tags.tag_heads(trace)
    row = tags.striking_row(trace, held)
    assert held.of(row.layer, row.head)[0].name == "induction"
    assert trace.tokens[row.key - 1] == trace.tokens[row.query]
    assert int(trace.attention(row.layer, row.head)[row.query].argmax()) == row.key


TWICE = (
    "Once upon a time there was a little girl named Lily. Lily had a red ball. One day, Lily lost the red ball.",
    "Zumi met Kavo at the big tree. Zumi waved and Kavo smiled. Then Zumi and",
    "The cat saw a bird. The dog saw a bird. The cat saw a bird. The dog saw a",
)


@pytest.mark.parametrize("name", ["stories-rope", "zoo-gqa", "zoo-mla", "zoo-layernorm", "stories-gpt"])
@pytest.mark.parametrize("text", TWICE)
def test_of_heads_that_look_at_what_followed_the_one_that_adds_most_opens(name, text):
    lm = tlmviz.load(name)
    trace = lm.trace(text)
    held = tags.tag_heads(trace)
    looks, does = tags.striking_row(trace, held), tags.striking_row(trace, held, lm)
    assert (looks.query, looks.key, looks.tag) == (does.query, does.key, does.tag)
    if looks.tag == "induction":
        added = attribute_logit(lm, trace, does.query, trace.ids[does.key]).heads
        there = [
            head
            for head in np.argwhere(held.met[NAMES.index("induction")]).tolist()
            if int(trace.attention(*head, slice(does.query, does.query + 1)).argmax()) == does.key
        ]
        assert [does.layer, does.head] == max(there, key=lambda head: float(added[tuple(head)]))


def test_who_opens_is_who_does_it_and_not_who_looks_most_often():
    lm = tlmviz.load("stories-rope")
    trace = lm.trace(TWICE[0])
    looks, does = (tags.striking_row(trace, tags.tag_heads(trace), given) for given in (None, lm))
    assert ((looks.layer, looks.head), (does.layer, does.head)) == ((5, 4), (5, 0))


def test_where_a_logit_is_no_sum_the_strongest_opens():
    lm = tlmviz.load("zoo-post")
    trace = lm.trace(TWICE[1])
    held = tags.tag_heads(trace)
    assert tags.striking_row(trace, held, lm) == tags.striking_row(trace, held)


def test_without_a_tag_worth_seeing_the_sharpest_head_that_is_awake_opens():
    size = len(TOKENS)
    scores = torch.zeros(2, size, size)
    scores[0, :, 0] = 30.0  # rests on the first token
    scores[1, :, 6] = 1.0
    row = tags.striking_row(trace_of(scores), tags.tag_heads(trace_of(scores)))
    assert row == tags.Row(0, 1, size - 1, 6)


def test_weights_without_queries_and_keys_have_the_same_tags(random_heads):
    weights = torch.stack([random_heads.attention(0, head) for head in range(random_heads.n_heads)])
    given = tags.tag_heads(tlmviz.show([weights], TOKENS))
    assert given.values == pytest.approx(tags.tag_heads(random_heads).values, abs=1e-5, nan_ok=True)


def test_between_two_texts_nothing_is_measured():
    q, k = torch.ones(1, 2, 3, 4), torch.ones(1, 2, 5, 4)
    trace = Trace.from_arrays(q, k, ["a", "b", "c"], key_tokens=list("vwxyz"))
    assert np.isnan(tags.tag_heads(trace).values).all()
