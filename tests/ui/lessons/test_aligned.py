"""The lesson "Who translates what": its claims measured plainly."""

import pytest
import torch

from tlmviz.ui import translation
from tlmviz.ui.lessons import aligned, runner


@pytest.fixture(scope="module")
def models():
    return {name: translation.model(name) for name in aligned.MODELS}


@pytest.fixture(scope="module")
def found():
    return runner.measured("aligned", aligned.BOOK)


@torch.inference_mode()
def written(mt, english, french, pins=None, last=None):
    """A translation read by hand: scores from the states, looks, and what comes after each piece. `pins`: step ->
    token; `last` is a sentence whose full stop stands in place of this one's."""
    network, score = mt.network, mt.network.score
    z = network.encoder(network._embed(torch.tensor([mt.encode(english)])))
    state = torch.cat((z[1][0], z[1][1]), -1)
    h, z = network.bridge(state).tanh(), z[0][0]
    if last:
        z = torch.cat((z[:-1], network.encoder(network._embed(torch.tensor([mt.encode(last)])))[0][0, -1:]))
    fed, ids, rows = z.new_zeros(1, mt.config.d_model), mt.encode_target(french), []
    for step, token in enumerate([mt.tokenizer.end_of_text, *ids]):
        h = network.cell(torch.cat((network._embed(torch.tensor([token])), fed), -1), h)
        if mt.config.score.kind == "dot":
            points = z @ h[0]
        elif mt.config.score.kind == "general":
            points = (z @ score.w.weight.T) @ h[0]
        else:
            points = (score.w1.weight @ h[0] + z @ score.w2.weight.T + score.w2.bias).tanh() @ score.v.weight[0]
        a = points.double().softmax(-1).float()
        if pins and step in pins:
            a = torch.nn.functional.one_hot(torch.tensor(pins[step]), len(a)).float()
        fed = network.combine(torch.cat((a @ z, h[0]))).tanh()[None]
        shares = (fed[0] @ network.token_emb.weight.T).double().softmax(-1)
        rows.append((points, a, shares, h[0], z))
    return ids, rows


FRENCH = "Il m'a donné un livre intéressant."


def test_points_looks_and_shares_are_those_of_a_pass_by_hand(models, found):
    for name, text in zip(aligned.MODELS, (found.dot, found.general, found.additive)):
        ids, rows = written(models[name], aligned.BOOK, FRENCH)
        assert "".join(text.french).strip() == FRENCH and list(text.tokens) == ids
        for step, token in enumerate(ids):
            points, a, shares, *_ = rows[step]
            assert text.points[step] == pytest.approx(points.tolist(), abs=1e-2)
            assert text.looks[step] == pytest.approx(a.tolist(), abs=2e-3)
            assert text.sure[step] == pytest.approx(float(shares[token]), abs=2e-3)


def test_the_order_changes_and_two_words_look_at_one(found):
    most = {
        piece.strip(): found.additive.english[found.additive.most(at)].strip()
        for at, piece in enumerate(found.additive.french)
    }
    assert most == {
        "Il": "He",
        "m": "me",
        "'": "me",
        "a": "gave",
        "donné": "gave",
        "un": "an",
        "livre": "book",
        "intéressant": "interesting",
        ".": ".",
    }
    assert found.additive.look("livre", "book") > 0.95


def test_the_two_pieces_of_a_word_look_at_two_words(models, found):
    assert [piece.strip() for piece in found.work.french] == ["Ils", "travaill", "ent", "."]
    _ids, rows = written(models[aligned.ADDITIVE], aligned.WORK, "Ils travaillent.")
    root, ending = rows[1][1].tolist(), rows[2][1].tolist()
    assert found.work.looks[2] == pytest.approx(ending, abs=2e-3)
    assert ending.index(max(ending)) == 1 and sorted(ending)[-2] == ending[0]  # are, then They
    assert root.index(max(root)) == 2 and max(root) > 0.9  # working


def test_a_forced_look_writes_what_it_looks_at(models, found):
    mt, step = models[aligned.ADDITIVE], 6
    begun = "Il m'a donné un"
    for at, (whole, pieces, sure) in found.forced.items():
        _ids, rows = written(mt, aligned.BOOK, begun, {step: at})
        best = int(rows[step][2].argmax())
        assert (mt.tokenizer.name(best), float(rows[step][2][best])) == (pieces[step], pytest.approx(sure, abs=2e-3))
        assert whole.startswith(begun)
    assert [pieces[step].strip() for _whole, pieces, _sure in found.forced.values()] == [
        "peu",
        "donné",
        "m",
        "un",
        "intéressant",
        "livre",
        ".",
    ]
    ends = [at for at, (_whole, pieces, _sure) in found.forced.items() if len(pieces) == step + 1]
    assert ends == [6] and found.forced[6][0] == f"{begun}."


def test_scores_reach_far_where_nothing_divides_or_squeezes_them(found):
    text, step = found.dot, found.dot.step("livre")
    assert text.lead(step) > 40 and text.look("livre", "book") > 0.995 and found.size == 384
    best, second = sorted(text.points[step])[:-3:-1]
    replies = {each["label"]: each["verdict"] for each in runner.payload(aligned.LESSON)["scenes"][4]["act"]["replies"]}
    assert "of the two best" in replies[f"{best / (best + second):.0%}"]


def test_without_its_table_a_general_score_looks_elsewhere(models, found):
    _ids, rows = written(models[aligned.GENERAL], aligned.BOOK, FRENCH)
    bare = [int((z @ h).argmax()) for _points, _a, _shares, h, z in rows[:-1]]
    own = [int(points.argmax()) for points, *_ in rows[:-1]]
    same = [step for step, (one, other) in enumerate(zip(bare, own, strict=True)) if one == other]
    assert found.same() == same and [found.general.french[step] for step in same] == [" donné", " livre"]
    scene = runner.payload(aligned.LESSON)["scenes"][5]
    drawn = [found.general.french[look["from"]].strip() for look in scene["before"][0]["options"]["looks"]]
    assert drawn == [*aligned.FOUR] and sum(found.general.french.index(f" {each}") in same for each in drawn[1:]) == 2
    names = [each.strip() for each in found.general.english]
    own, gone = ([names[at[found.general.step(each)]] for each in drawn] for at in (own, bare))
    assert (own, gone) == (["He", "gave", "an", "book"], ["me", "gave", "interesting", "book"])


def test_without_its_squeeze_an_additive_score_looks_alike_at_every_step(models, found):
    mt = models[aligned.ADDITIVE]
    _ids, rows = written(mt, aligned.BOOK, FRENCH)
    z, v = rows[0][4], mt.network.score.v.weight[0]
    level = ((z @ mt.network.score.w2.weight.T) @ v).double().softmax(-1).tolist()  # nothing of what is written
    assert all(row == pytest.approx(level, abs=1e-3) for row in found.level)


def test_a_look_at_the_full_stop_is_unsure_and_what_it_knows_comes_from_there(models, found):
    mt, step = models[aligned.GENERAL], found.general.step("intéressant")
    token, stop = mt.encode_target(FRENCH)[step], len(found.general.english) - 1
    _ids, rows = written(mt, aligned.BOOK, FRENCH)
    assert found.general.most(step) == stop and found.general.looks[step][stop] > 0.99
    sure = float(rows[step][2][token])
    assert found.general.sure[step] == pytest.approx(sure, abs=2e-3) and sure < 0.3
    _ids, forced = written(mt, aligned.BOOK, FRENCH, {step: stop - 2})
    assert found.sure == pytest.approx(float(forced[step][2][token]), abs=2e-3) and found.sure > 3 * sure
    _ids, others = written(mt, aligned.BOOK, FRENCH, last="He gave me an old book.")
    assert float(others[step][2][token]) < 0.2 * sure  # “.” keeps a little of the words read before it
    assert min(found.dot.sure[step], found.additive.sure[step]) > 0.7
