"""The lesson "How a translation is searched": its claims measured plainly."""

import math

import pytest
import torch

import tlmviz
from tlmviz.ui.lessons import runner, search


@pytest.fixture(scope="module")
def mt():
    return tlmviz.load(search.MODEL)


@pytest.fixture(scope="module")
def found():
    return runner.measured("search", search.COLD)


@torch.inference_mode()
def read(mt, english, ids):
    """Logs of shares [|Y|, V] behind each beginning of a translation, in one pass."""
    out = mt.network(torch.tensor([mt.encode(english)]), torch.tensor([[mt.tokenizer.end_of_text, *ids[:-1]]]))
    logits = out[0] if isinstance(out, tuple) else out
    return logits[0].double().log_softmax(-1)


def ended(mt, french):
    return [*mt.encode_target(french), mt.tokenizer.end_of_text]


def logs(mt, english, french):
    ids = ended(mt, french)
    return read(mt, english, ids).gather(-1, torch.tensor(ids)[:, None])[:, 0].tolist()


def test_each_text_has_the_logs_of_one_pass(mt, found):
    every = [(search.COLD, text) for text in (*found.cold, found.greedy)]
    every += [(search.AGE, text) for text in found.age] + [(search.RICH, text) for text in found.rich]
    for english, text in every:
        assert text.logs == pytest.approx(logs(mt, english, text.text), abs=1e-3)
        assert math.prod(share for _word, share in text.words) == pytest.approx(text.share, rel=1e-3)
        assert " ".join(word for word, _share in text.words).replace(" .", ".") == text.text


def test_greedy_takes_the_likeliest_each_time_and_misses_the_likeliest_sentence(mt, found):
    ids = ended(mt, found.greedy.text)
    assert read(mt, search.COLD, ids).argmax(-1).tolist() == ids and found.greedy.text == "Je suis froid."
    best = found.cold[0]
    assert best.text == "J'ai froid." and best.share > 1.5 * found.greedy.share
    assert best.words[0][1] < found.greedy.words[0][1] / 2
    assert min(share for _word, share in best.words[1:]) > 0.8  # "all behind it is nearly sure"
    assert [text.share for text in found.cold] == sorted((text.share for text in found.cold), reverse=True)


def plainly_kept(mt, english, width, steps):
    """What a beam keeps, by passes over every beginning."""
    beams, kept = [((), 0.0)], []
    for _step in range(steps):
        ways = []
        for ids, total in beams:
            row = read(mt, english, [*ids, mt.tokenizer.end_of_text])[-1]
            ways += [((*ids, int(token)), total + float(row[token])) for token in row.topk(5).indices]
        beams = sorted(ways, key=lambda way: -way[1])[:width]
        kept.append(beams)
    return kept


def test_a_beam_of_two_keeps_what_is_second_twice_and_then_first(mt, found):
    assert found.least == 2
    for step, plainly in zip(found.kept[2], plainly_kept(mt, search.COLD, 2, search.STEPS), strict=True):
        assert [text for text, *_ in step[:2]] == [mt.text(ids) for ids, _total in plainly]
        assert [share for _text, share, _leads in step[:2]] == pytest.approx(
            [math.exp(total) for _ids, total in plainly], rel=1e-3
        )
    assert [[leads for *_, leads in step[:2]] for step in found.kept[2]] == [
        [False, True],
        [False, True],
        [True, False],
    ]


def shown(text):
    """A per cent or a number as it is read off the screen."""
    return float(text.replace("−", "-").rstrip("%"))


def test_what_is_shown_multiplies_and_divides_to_what_is_shown(found):
    scenes = runner.payload(search.LESSON)["scenes"]
    every = scenes[2]["after"][0]["options"]["nodes"]
    nodes, ends = {node["id"]: node for node in every}, 0
    for node in (node for node in nodes.values() if node["end"]):
        way, share = node, 100.0
        while way:
            share *= shown(way["says"]) / 100
            way = nodes.get(way["parent"])
        assert f"{share:.0f}%" == node["end"]
        ends += 1
    assert ends == search.LEAVES
    whole, *parts = scenes[1]["after"][0]["options"]["rows"]
    product = math.prod(shown(row["says"]) / 100 for row in parts)
    assert f"{product:.0%}" == f"{whole['share']:.0%}" == f"{found.greedy.share:.0%}"
    steps = [[text for *_, text in row["cells"]] for row in scenes[3]["after"][0]["options"]["rows"]]
    begun = math.prod(share for _word, share in found.cold[0].words[:1])  # the words of step 3 are those of the tree
    assert steps[2][0] == f"J'ai {begun:.1%}"
    for row in scenes[8]["after"][0]["options"]["rows"]:
        points, coverage, whole = (shown(text) for *_, text in row["cells"])
        assert round(points + coverage, 1) == whole
    for row in scenes[5]["after"][0]["options"]["rows"]:
        words, pieces, total, divisor, points = (shown(text) for *_, text in row["cells"])
        assert round(total / divisor, 2) == points and words + 2 < pieces
        assert divisor == round(((5 + pieces) / 6) ** 0.6, 3)


def test_greedy_search_keeps_one(mt, found):
    for step, [(ids, total)] in zip(found.kept[1], plainly_kept(mt, search.COLD, 1, search.STEPS), strict=True):
        assert step[0][:2] == (mt.text(ids), pytest.approx(math.exp(total), rel=1e-3)) and not step[0][2]


def test_a_sum_of_logs_prefers_the_short_and_a_divisor_the_long(found):
    short, long = found.age
    assert short.text == long.text.replace("l'âge de ", "") and "17 ans" in short.text
    assert all(each < 0 for text in found.age for each in text.logs)
    assert len(short.logs) < len(long.logs) and short.sum > long.sum + 0.1
    assert sum(math.log(share) for _word, share in long.words) == pytest.approx(long.sum, abs=1e-3)
    points = [text.sum / ((5 + len(text.logs)) / 6) ** 0.6 for text in found.age]
    assert [short.divided, long.divided] == pytest.approx(points) and points[1] > points[0] + 0.05


def test_what_is_left_out_wins_until_coverage_counts(mt, found):
    bare, full = found.rich
    assert bare.text == full.text.replace(" et belle", "") and found.extra == "belle"
    assert found.english[found.missing] == " beautiful" and bare.share > full.share
    assert len(found.english) > len(bare.logs) and len(found.english) == len(full.logs)
    totals = []
    for text in found.rich:
        ids = ended(mt, text.text)
        looks = mt.read(search.RICH, ids).attention.mean(1)
        cost = 0.2 * sum(math.log(min(1, max(0.01, float(each)))) for each in looks.sum(0))
        assert text.looks == [pytest.approx(row.tolist(), abs=1e-3) for row in looks]
        assert text.coverage == pytest.approx(cost, abs=1e-3) and looks.sum() == pytest.approx(len(ids), abs=1e-3)
        divided = sum(text.logs) / ((5 + len(ids)) / 6) ** 0.6
        totals.append((divided, divided + cost))
    assert totals[0][0] > totals[1][0] and totals[0][1] < totals[1][1] - 0.1
    assert bare.coverage < full.coverage and len(bare.logs) < len(full.logs)
    assert bare.points < full.points and bare.divided > full.divided
    looks = mt.read(search.RICH, ended(mt, bare.text)).attention.mean(1)
    assert (
        bare.pieces[4:6] == [" très", " riche"] and looks[4:6, found.missing].sum() > looks[:, found.missing].sum() / 2
    )
    summed = {name.strip(): float(share) for name, share in zip(found.english, looks.sum(0)) if name != " and"}
    scene, last = runner.payload(search.LESSON)["scenes"][7:]
    assert scene["act"]["right"] == pytest.approx(100 * summed["beautiful"], abs=0.1)
    rows = {row["label"]: row["cells"][0] for row in scene["after"][1]["options"]["rows"]}
    for name, share in summed.items():
        assert rows[name][2:] == ("again" if round(share, 2) < 1 else "kept", f"{share:.0%}")
    less = [sum(row["cells"][n][2] == "again" for row in scene["after"][1]["options"]["rows"]) for n in (0, 1)]
    assert less[0] > less[1] and search.COVERED.beta == 0.2
    assert f"0.2 times −{-math.log(summed['beautiful']):.2f}" in last["hint"]
