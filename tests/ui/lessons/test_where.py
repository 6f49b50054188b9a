"""Lesson 6, "Where am I?": its claims measured plainly."""

import math

import pytest
import torch

import tlmviz
from tlmviz.analysis.samples import sample_text
from tlmviz.ui.lessons import places, runner

LAST = 9  # "was", in the story


@pytest.fixture(scope="module")
def found():
    return runner.measured("where", places.STORY)


@pytest.fixture(scope="module")
def lm():
    return tlmviz.load("stories-rope")


def plain_row(lm, text, layer, head):
    """A head's row of the last token, and its scores, by softmax over them."""
    q, k, *_ = lm.trace(text).qk(layer, head)
    scores = (q[-1].double() @ k.double().T) / math.sqrt(q.shape[-1])
    return scores.softmax(-1), scores


def turned(vector, place, hands=None):
    """A query or key of stories-rope turned by complex numbers, pair by pair; of some hands alone."""
    pairs = torch.view_as_complex(vector.double().unflatten(-1, (-1, 2)).contiguous())
    speed = 10000.0 ** (-torch.arange(0, 32, 2, dtype=torch.float64) / 32)
    return (pairs * torch.exp(1j * place * speed))[hands or slice(None)]


def product(one, other):
    return float((one * other.conj()).real.sum()) / math.sqrt(32)


def unturned(lm):
    """The noter's query of the last word and key of the one before, turned back to place 0."""
    q, k, _ = lm.trace(places.STORY).qk(4, 2)
    back = [turned(vector, -place) for vector, place in ((q[LAST], LAST), (k[LAST - 1], LAST - 1))]
    return [torch.view_as_real(each).flatten() for each in back]


def test_without_places_a_score_stays_where_words_swap_and_heads_above_notice_a_little(found):
    none = tlmviz.load("zoo-none")
    swapped = places.STORY.replace("dog", "X").replace("man", "dog").replace("X", "man")
    assert "".join(found.swapped[1:]) == swapped == "Once the man bit the dog. That was"
    (before, scores), (after, again) = (plain_row(none, text, *found.plain) for text in (places.STORY, swapped))
    assert found.plain[0] == 0 and int(before.argmax()) == 3 and int(after.argmax()) == 6
    for here, there in ((3, 6), (6, 3), (1, 1), (8, 8)):
        assert float(scores[here]) == pytest.approx(float(again[there]), abs=1e-5)
    assert found.looks[0] == pytest.approx(before.tolist(), abs=1e-4)
    assert found.looks[1] == pytest.approx(after.tolist(), abs=1e-4)
    above = plain_row(none, places.STORY, 3, 0)[0] - plain_row(none, swapped, 3, 0)[0]
    assert 1e-4 < float(above[[0, 1, 2, 4, 5, 7, 8, 9]].abs().max()) < 0.05


def test_waves_are_other_ones_at_other_places_and_scores_change(found):
    m, speed = found, 10000.0 ** (-torch.arange(0, 32, 2, dtype=torch.float64) / 128)
    for place, pattern in zip((m.seen, m.seen + places.AWAY), m.patterns):
        plain = torch.stack([(place * speed).sin(), (place * speed).cos()], -1).flatten()
        assert pattern == pytest.approx(plain.tolist(), abs=1e-4)
    row, _ = plain_row(tlmviz.load("zoo-sinusoidal"), places.STORY, *m.waves)
    assert m.moved[0] == pytest.approx(row.tolist(), abs=1e-4)
    assert abs(m.moved[1][m.seen] - m.moved[0][m.seen]) > 0.15
    with pytest.raises(
        tlmviz.errors.BadText, match="0 to 255 only"
    ):  # "Models that learn a list of places end where it does."
        tlmviz.load("zoo-learned").trace_ids([1] * 257)


def test_each_place_turns_the_hand_by_the_same_angle(found, lm):
    _, key = unturned(lm)
    plain = [math.degrees(float(turned(key, place, slice(1)).angle())) for place in range(4)]
    assert [places.angle(each) for each in found.zero.k] == pytest.approx(plain, abs=0.1)
    steps = [(b - a) % 360 for a, b in zip(plain, plain[1:])]
    assert steps == pytest.approx([math.degrees(1)] * 3)


def test_hands_that_point_alike_score_most_and_only_the_distance_counts(found, lm):
    query, key = unturned(lm)
    for distance in range(1, 8):
        at, (_angle, part, score) = (turned(query, LAST), turned(key, LAST - distance)), found.hand(distance)
        assert part == pytest.approx(product(at[0][:1], at[1][:1]), abs=1e-3)
        assert score == pytest.approx(product(*at), abs=1e-3)
    best, wide, opposite = (found.hand(d)[1] for d in (1, 2, 4))
    assert best > wide + 1 > 2 > -1 > opposite == min(found.hand(d)[1] for d in range(1, 8))
    _, scores = plain_row(lm, places.STORY, 4, 2)
    assert found.hand(1)[2] == pytest.approx(float(scores[LAST - 1]), abs=1e-3)
    on = turned(query, LAST + places.ON), turned(key, LAST - 1 + places.ON)
    moved = float(found.on.parts[-1, 0]), float(found.on.scores[-1])
    assert moved == pytest.approx((product(on[0][:1], on[1][:1]), product(*on)), abs=1e-3)
    assert moved == pytest.approx(found.hand(1)[1:], abs=1e-4)
    assert found.on.positions[-1].tolist() == [LAST + places.ON, LAST - 1 + places.ON]


def test_the_fastest_hand_takes_seven_back_for_one_and_all_hands_do_not(found):
    (_one, near, whole), (_other, again, far) = found.hand(1), found.hand(7)
    assert 6 < 2 * math.pi < 7 and abs(again - near) < 0.5 and whole - far > 3


def test_unturned_the_head_no_longer_looks_one_back(found, lm):
    row, _ = plain_row(lm, places.STORY, 4, 2)
    assert found.turning == pytest.approx(row.tolist(), abs=1e-4) and int(row.argmax()) == LAST - 1
    q, k, _ = lm.trace(places.STORY).qk(4, 2)
    query = torch.view_as_real(turned(q[LAST], -LAST)).flatten()
    keys = torch.stack([torch.view_as_real(turned(key, -place)).flatten() for place, key in enumerate(k)])
    still = (keys @ query / math.sqrt(32)).softmax(-1)
    assert found.still == pytest.approx(still.tolist(), abs=1e-3)
    assert still[LAST - 1] < 0.15 and found.name(int(still.argmax())) == "Once"


def test_far_beyond_training_all_but_alibi_guess_worse(found):
    text = sample_text()
    for name, (within, beyond) in found.right.items():
        lm = tlmviz.load(name)
        ids = lm.tokenizer.encode(text, bos=True)[:1024]
        guesses = lm.trace_ids(ids).logits.argmax(-1).flatten().tolist()
        hits = [guess == ids[n + 1] for n, guess in enumerate(guesses[:-1])]
        assert within == pytest.approx(sum(hits[:255]) / 255, abs=0.005)
        assert beyond == pytest.approx(sum(hits[511:]) / 512, abs=0.005)
    fell = {name: within - beyond for name, (within, beyond) in found.right.items()}
    assert abs(fell["zoo-alibi"]) < 0.02 < 0.07 < fell["zoo-none"] < min(fell["zoo-rope"], fell["zoo-sinusoidal"])
    assert max(found.right, key=lambda name: found.right[name][1]) == "zoo-alibi"
    plain = [256 / (2 * math.pi * 10000 ** (2 * plane / 16)) for plane in range(8)]
    assert found.turns == pytest.approx(plain) and sum(turns < 1 for turns in plain) == 4
