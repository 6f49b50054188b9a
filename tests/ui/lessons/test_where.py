"""Lesson 6, "Where am I?": its claims measured plainly."""

import math

import pytest
import torch

import tlmviz
from tlmviz.analysis.samples import sample_text
from tlmviz.layers.positions import RoPE
from tlmviz.ui.lessons import places, runner, where

LAST = 9  # "was", in the story


@pytest.fixture(scope="module")
def found():
    return runner.measured("where", places.STORY)


@pytest.fixture(scope="module")
def rope():
    return tlmviz.load("zoo-rope")


def plain_row(lm, text, layer, head):
    """A head's row of the last token, and its scores, by softmax over them."""
    q, k, *_ = lm.trace(text).qk(layer, head)
    scores = (q[-1].double() @ k.double().T) / math.sqrt(q.shape[-1])
    return scores.softmax(-1), scores


def speeds():
    """Of the hands of zoo-rope, in radians for each place."""
    return 10000.0 ** (-torch.arange(0, 16, 2, dtype=torch.float64) / 16)


def turned(vector, place, hands=None):
    """A query or key of zoo-rope turned by complex numbers, pair by pair; of some hands alone."""
    pairs = torch.view_as_complex(vector.double().unflatten(-1, (-1, 2)).contiguous())
    return (pairs * torch.exp(1j * place * speeds()))[hands or slice(None)]


def product(one, other):
    return float((one * other.conj()).real.sum()) / 4


def unturned(rope):
    """The query of the last word and the key of the one before, turned back to place 0."""
    q, k, _ = rope.trace(places.STORY).qk(*places.HAND)
    back = [turned(vector, -place) for vector, place in ((q[LAST], LAST), (k[LAST - 1], LAST - 1))]
    return [torch.view_as_real(each).flatten() for each in back]


def test_without_places_a_head_looks_at_the_word_wherever_it_stands(found):
    none = tlmviz.load("zoo-none")
    swapped = places.STORY.replace("dog", "X").replace("man", "dog").replace("X", "man")
    assert "".join(found.swapped[1:]) == swapped == "Once the man bit the dog. That was"
    (before, scores), (after, again) = (plain_row(none, text, *found.plain) for text in (places.STORY, swapped))
    assert found.plain[0] == 0 and int(before.argmax()) == 3 and int(after.argmax()) == 6
    for here, there in ((3, 6), (6, 3), (1, 1), (8, 8)):
        assert float(scores[here]) == pytest.approx(float(again[there]), abs=1e-5)
    assert found.looks[0] == pytest.approx(before.tolist(), abs=1e-4)
    assert found.looks[1] == pytest.approx(after.tolist(), abs=1e-4)


def test_a_key_is_made_of_its_word_alone_and_dogs_is_the_one_like_the_query(found):
    none = tlmviz.load("zoo-none")
    q, k, _ = none.trace(places.STORY).qk(*found.plain)
    assert found.query == pytest.approx(q[LAST].tolist(), abs=1e-5) and [*found.keys] == [6, 3, 4]
    for place, (key, score) in found.keys.items():
        assert key == pytest.approx(k[place].tolist(), abs=1e-5)
        assert score == pytest.approx(sum(a * b for a, b in zip(found.query, key)) / 4, abs=1e-4)
        alone = none.trace(found.tokens[place]).qk(*found.plain)[1]
        assert alone[1].tolist() == pytest.approx(key, abs=1e-4)
    scores = {place: score for place, (_key, score) in found.keys.items()}
    assert scores[3] > 1.2 > 0.3 > max(scores[6], scores[4])
    assert max(plain_row(none, places.STORY, *found.plain)[1]) == pytest.approx(scores[3], abs=1e-4)


def test_waves_are_other_ones_at_other_places_and_scores_change(found):
    m = found
    for start, waves in zip((0, places.AWAY), m.patterns, strict=True):
        for number, wave in zip((places.FAST, places.SLOW), waves, strict=True):
            speed = 10000.0 ** (-number / 128)
            plain = [math.sin((start + n) * speed) for n in range(1, 17)]  # between -1 and 1
            assert wave == pytest.approx(plain, abs=1e-4)
    row, _ = plain_row(tlmviz.load("zoo-sinusoidal"), places.STORY, *m.waves)
    assert m.moved[0] == pytest.approx(row.tolist(), abs=1e-4)
    assert m.moved[1][m.seen] > m.moved[0][m.seen] + 0.15  # "more than before"
    drawn = where._waves(m).after[1].options["rows"]
    assert [row["share"] for row in drawn] == pytest.approx([look[m.seen] for look in m.moved], abs=1e-5)


def test_each_place_turns_the_hand_by_the_same_angle(found, rope):
    _, key = unturned(rope)
    plain = [math.degrees(float(turned(key, place, slice(1)).angle())) for place in range(4)]
    assert [places.angle(each) for each in found.zero.k] == pytest.approx(plain, abs=0.1)
    steps = [(b - a) % 360 for a, b in zip(plain, plain[1:])]
    assert steps == pytest.approx([math.degrees(1)] * 3)
    assert found.zero.frequency.tolist() == pytest.approx(speeds().tolist())  # "this is the fastest"


def test_hands_that_point_alike_score_most_and_only_the_distance_counts(found, rope):
    query, key = unturned(rope)
    for distance in range(1, 8):
        at, (_angle, part, score) = (turned(query, LAST), turned(key, LAST - distance)), found.hand(distance)
        assert part == pytest.approx(product(at[0][:1], at[1][:1]), abs=1e-3)
        assert score == pytest.approx(product(*at), abs=1e-3)
    best, wide, opposite = (found.hand(d)[1] for d in (1, 2, 4))
    assert best > wide + 1 > 2 > -1 > opposite == min(found.hand(d)[1] for d in range(1, 8))
    row, scores = plain_row(rope, places.STORY, *places.HAND)
    assert found.hand(1)[2] == pytest.approx(float(scores[LAST - 1]), abs=1e-3) and row.argmax() == LAST - 1
    on = turned(query, LAST + places.ON), turned(key, LAST - 1 + places.ON)
    moved = float(found.on.parts[-1, 0]), float(found.on.scores[-1])
    assert moved == pytest.approx((product(on[0][:1], on[1][:1]), product(*on)), abs=1e-3)
    assert moved == pytest.approx(found.hand(1)[1:], abs=1e-4)
    assert found.on.positions[-1].tolist() == [LAST + places.ON, LAST - 1 + places.ON]


def test_the_fastest_hand_takes_seven_back_for_one_and_all_hands_do_not(found):
    (_one, near, whole), (_other, again, far) = found.hand(1), found.hand(7)
    assert 6 < 2 * math.pi < 7 and abs(again - near) < 0.1 and whole - far > 3
    assert where.words(found, found)["around"] == "6"


class Plainly(RoPE):
    """RoPE at given speeds."""

    def __init__(self, at):
        super().__init__(16)
        self.speed = at

    def cos_sin(self, position_ids):
        angles = position_ids.double()[..., None] * self.speed
        return angles.cos().float(), angles.sin().float()


def hits(lm, positions):
    """For each piece of the stories, whether the next one is guessed right."""
    ids = torch.tensor(lm.tokenizer.encode(sample_text(), bos=True)[:1024])
    return (lm(ids[None], positions=positions)[0, :-1].argmax(-1) == ids[1:]).double()


def test_new_angles_of_one_hand_do_most_of_the_harm_far_beyond_training(found, rope):
    assert rope.config.context == found.context == 256 and found.slowing == 4
    whole = hits(rope, Plainly(speeds()))
    assert found.right == pytest.approx((float(whole[:255].mean()), float(whole[511:].mean())), abs=0.005)
    for hand, right in enumerate(found.slowed):
        slow = speeds()
        slow[hand] /= 4
        slowed = hits(rope, Plainly(slow))
        assert right == pytest.approx(float(slowed[511:].mean()), abs=0.005)
        if hand == 4:
            assert abs(float(slowed[:255].mean()) - found.right[0]) < 0.02  # where no angle is new, it changes little
    inside, gone = found.right
    turns = [256 * float(speed) / (2 * math.pi) for speed in speeds()]
    assert found.turns == pytest.approx(turns) and [n for n, each in enumerate(turns) if each < 1] == [4, 5, 6, 7]
    assert found.guilty == 4 and found.slowed[4] - gone > 0.6 * (inside - gone)  # "most of the harm"
    assert all(abs(right - gone) < 0.025 for hand, right in enumerate(found.slowed) if hand != 4)
    drawn = where._slow(found).act.replies[f"{found.guilty + 1}"].shows[0].options["rows"]
    assert [row["share"] for row in drawn] == pytest.approx([gone, *found.slowed], abs=1e-5)
