"""Lessons: what every scene of every lesson keeps, what a lesson makes of a visitor's sentence, and its claims measured
anew."""

import functools
import json
import math
import re
import string
from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit

import pytest
import torch

import tlmviz
from pages import ALL
from tests.pages.helpers import assert_healthy, follow_link, link_of
from tlmviz.analysis.attention.attribution import attribute_logit
from tlmviz.analysis.attention.interventions import mute_heads
from tlmviz.analysis.numbers.logits import untrained
from tlmviz.ui import compute
from tlmviz.ui.lessons import cell, finding, looking, next_word, runner, scores
from tlmviz.ui.lessons.parts import Choose, Press, Reply, Scene
from tlmviz.ui.lessons.table import LESSONS

FOLDERS = {page.path: page.folder for page in ALL}
OWN = {  # sentences that a lesson takes, of those that ask for one
    "next": "My cat sat on the mat and my dog sat on the",
    "looking": "Lily saw a small ball in the park. Lily was happy. Tom saw the small",
    "finding": "Emma had a yellow bird. Tom had a little flower. Emma took the yellow",
    "scores": "Lily had a big dog and a small cat. Lily loved the big",
    "block": "Lily was sad. She lost her doll. Her mom gave her a small",
}
TEXTS = [
    pytest.param(name, sentence, id=f"{name}{'-own' if sentence else ''}")
    for name in LESSONS
    for sentence in dict.fromkeys(("", OWN.get(name, "")))
]


@functools.cache
def payload(name, sentence=""):
    return runner.payload(LESSONS[name], sentence)


@pytest.fixture(scope="module")
def lm():
    return tlmviz.load("stories-rope")


@pytest.mark.parametrize("name, sentence", TEXTS)
def test_every_scene_says_little_and_answers_everything(name, sentence):
    for scene in payload(name, sentence)["scenes"]:
        says_little_and_answers_everything(scene)


def says_little_and_answers_everything(scene):
    says, act = scene["says"], scene["act"]
    assert 5 <= len(says.replace("**", "").split()) <= 25
    replies = act["replies"]
    rights = [reply["right"] for reply in replies]
    assert sum(rights) == 1 or (act["kind"] == "tap" and 0 < sum(rights) < len(rights))
    assert act["kind"] in ("again", "drag") or len(replies) > 1
    for reply in replies:
        assert reply["reason"] and len(f"{reply['verdict']} {reply['reason']}".split()) <= 36
        assert reply["verdict"] or act["kind"] == "again"
    if act["kind"] in ("choose", "pick"):  # a wrong guess gets a sentence of its own
        assert act["kind"] == "pick" or len({reply["label"] for reply in replies}) == len(replies)
        right = next(reply for reply in replies if reply["right"])
        assert all(reply["verdict"] != right["verdict"] for reply in replies if not reply["right"])
    sentences = [
        says,
        scene["hint"],
        *(text for reply in replies for text in (reply["verdict"], reply["reason"], reply["label"])),
    ]
    assert not [text for text in sentences if "{" in text or text.count("**") % 2]


@pytest.mark.parametrize("name, sentence", TEXTS)
def test_no_picture_gives_its_answer_away(name, sentence):
    for scene in payload(name, sentence)["scenes"]:
        gives_nothing_away(scene)


def gives_nothing_away(scene):
    """What can be pressed is what is answered, no look is drawn where one is guessed, and what follows is another
    picture."""
    act, before = scene["act"], scene["before"]
    pressed = {str(key) for part in before for key in part["options"].get("press", [])}
    keys = {str(reply["key"]) for reply in act["replies"]}
    assert pressed == (keys if act["kind"] in ("tap", "press", "pick") else set())
    if act["kind"] == "tap":
        assert not [part for part in before if part["options"].get("looks")]
    if act["kind"] in ("choose", "tap", "pick") or (act["kind"] == "drag" and act["until"] is None):
        assert scene["after"] and json.dumps(scene["after"]) != json.dumps(before)


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_is_five_to_nine_scenes_and_three_sentences_at_its_end(name):
    found = payload(name)
    assert 5 <= len(found["scenes"]) <= 9 and len(found["end"]) == 3
    assert all(each["shows"] and "{" not in each["says"] for each in found["end"])
    assert len(json.dumps(found)) < 60_000
    following = "".join([*LESSONS][[*LESSONS].index(name) + 1 :][:1])
    assert (found["next"] or {}).get("link", "").endswith(following)


@pytest.mark.parametrize("name, sentence", TEXTS)
def test_what_lies_behind_a_scene_opens_in_its_state(name, sentence):
    for link in {scene["behind"] for scene in payload(name, sentence)["scenes"]} - {""}:
        to = urlsplit(link)
        query = dict(parse_qsl(to.query))
        app = follow_link(FOLDERS[to.path.strip("./") or "explorer"], query, from_the_start=True)
        assert_healthy(app)
        if query.get("model") == compute.DEFAULT_MODEL:  # which an address leaves out
            del query["model"]
        held = {key: value for key, value in link_of(app).items() if key in query}
        assert held == query and not app.warning


# --- a visitor's sentence ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_that_asks_for_a_sentence_does_so_at_once(name):
    assert (
        [scene["asks"] for scene in payload(name)["scenes"]].count(True)
        == payload(name)["scenes"][0]["asks"]
        == (name in OWN)
    )
    if name not in OWN:
        assert runner.payload(LESSONS[name], "A cat sat on the mat.")["scenes"] == payload(name)["scenes"]


@pytest.mark.parametrize("name", OWN)
def test_a_sentence_of_ones_own_is_read_and_said_how_well(name):
    own, home = payload(name, OWN[name]), payload(name)
    assert own["text"] == OWN[name] and not own["note"] and "your sentence" in own["read"]
    assert own["scenes"][0]["asks"] and own["scenes"][0]["act"] != home["scenes"][0]["act"]
    assert own["scenes"][-1]["act"] == home["scenes"][-1]["act"]  # on the lesson's own
    assert "lesson's own" in own["scenes"][-1]["hint"] and "lesson's own" not in home["scenes"][-1]["hint"]


REFUSED = [
    ("next", "def f(x): return x**2 + 17", "surprises it"),
    ("next", "Tom", "too short"),
    ("next", "Tom and Anna and " * 12 + "Ben", "too long"),
    ("next", "Tom saw 🐕🐈🐎🐄🐖🐑🐓🐇", "too long to be shown whole: the model reads it as "),
    ("looking", "Once upon a time there was a", "does not guess a word that stands there already"),
    (
        "looking",
        "There was a girl named Lily. Lily had a red ball. One day, Lily lost the red",
        "hardest also does the work",
    ),
    ("finding", "Once upon a time there was a girl named Lily", "repeats nothing"),
    (
        "finding",
        "Tom was happy. Anna had a red ball and Tom was",
        "The model guesses “very”, not “happy”, which followed",
    ),
    ("looking", "Lucy has a blue car and a red cat. Lily wants to play with the blue", "no single head"),
    ("scores", "Once upon a time there was a girl.", "no head looks mostly"),
    ("block", "He liked to play with his toy", "cannot be read"),
    ("block", "Max lost his toy. He was sad and started to", "hardly needs what other words say"),
]


@pytest.mark.parametrize("name, sentence, why", REFUSED, ids=[why for *_, why in REFUSED])
def test_a_sentence_that_a_lesson_cannot_take_is_kept_and_said_why(name, sentence, why):
    found = runner.payload(LESSONS[name], sentence)
    assert why in found["note"] and found["note"].endswith("The lesson keeps its own sentence.")
    assert found["sentence"] == sentence and found["scenes"] == payload(name)["scenes"]


@pytest.mark.parametrize(
    "sentence", ["{best} {0} and {", "**a** cat and **", "😀😀 and 😀", "\u0000\u0001 a cat", "a\n\n\tb  cat sat"]
)
def test_signs_that_mean_something_elsewhere_are_text(sentence):
    for lesson in LESSONS.values():
        assert runner.payload(lesson, sentence)["scenes"]


def test_a_reply_is_filled_by_its_own_words_first():
    act = Choose([Reply("{word}", "", True, words={"word": "its own"}), Reply("{word}", "")])
    sent = runner._act(act, {"word": "the lesson's"})
    assert [each["verdict"] for each in sent["replies"]] == ["its own", "the lesson's"]
    scene = Scene("{word}", (), Press({"A": Reply("", "", True)}), words={"word": "the scene's"})
    assert runner._sent(scene, {"word": "the lesson's"})["says"] == "the scene's"


def test_every_name_in_a_sentence_is_filled_by_somebody():
    """A name that nobody fills is an error, and no hole in a sentence."""
    scene = Scene("{nobody}", (), Press({"A": Reply("", "", True)}))
    with pytest.raises(KeyError):
        runner._sent(scene, {})
    assert [name for _, name, *_ in string.Formatter().parse(scene.says)] == ["nobody"]


# --- the claims, measured plainly ----------------------------------------------------------------------


def plainly_looks(lm, text, layer, head):
    """A head's row of the last token by softmax over its scores."""
    trace = lm.trace(text)
    q, k, *_ = trace.qk(layer, head)
    scores = (q[-1].double() @ k.double().T) / math.sqrt(q.shape[-1])
    return scores.softmax(-1)


def plainly_silenced(lm, text, layer, head):
    """The shares of what comes next with a head's output set to zero by hand."""

    def edit(z, record):
        z = z.clone()
        z[:, head] = 0
        return z

    logits = lm.trace(text, edit={f"blocks.{layer}.attn.z": edit}).logits_at(-1)
    return logits.double().softmax(-1)


def test_looking_is_not_doing(lm):
    found = runner.measured("looking", looking.STORY)
    story = found.story
    answer = lm.encode(" ball")[-1]
    shares = lm(torch.tensor([lm.trace(looking.STORY).ids]))[0, -1].double().softmax(-1)
    assert story.top[0][0] == "ball" and story.top[0][1] == pytest.approx(float(shares[answer]), abs=1e-5)
    left = {head: float(plainly_silenced(lm, looking.STORY, *head)[answer]) for head in story.lookers}
    looks = {head: float(plainly_looks(lm, looking.STORY, *head)[story.place]) for head in story.lookers}
    for head in story.lookers:
        assert story.left[head] == pytest.approx(left[head], abs=1e-4)
        assert story.looks(head) == pytest.approx(looks[head], abs=1e-4)
        adds = attribute_logit(lm, lm.trace(looking.STORY), len(story.tokens) - 1, answer).heads[head]
        assert story.adds[head] == pytest.approx(float(adds), abs=1e-3)
    hard, worker = max(looks, key=looks.get), min(left, key=left.get)
    assert (hard, worker) == (story.hardest, story.worker) == ((3, 2), (5, 0))
    assert (
        looks[hard] > looks[worker] + 0.05
        and left[hard] > 0.95 * shares[answer]
        and left[worker] < 0.25 * shares[answer]
    )
    assert story.adds[worker] > 3 * story.adds[hard] and story.brings[worker][0][0] == "ball"


def test_fewer_points_halve_the_guess(lm):
    story = runner.measured("looking", looking.STORY).story
    scene = looking._points(story)
    logits = lm.trace(looking.STORY).logits_at(-1).double()
    answer = lm.encode(" ball")[-1]
    logits[answer] *= scene.act.until / 100  # where the slider is then
    assert float(logits.softmax(-1)[answer]) == pytest.approx(0.5, abs=1e-3)
    before, after = lm.trace(looking.STORY).logits_at(-1), plainly_silenced(lm, looking.STORY, *story.worker).log()
    others = torch.arange(len(before)) != answer
    lost = (
        float(before[answer]) - float(before[others].logsumexp(0)) + float(after[others].logsumexp(0) - after[answer])
    )
    assert story.lost[story.worker] - lost > 0.05  # "and other words lost some, too"
    assert story.lost[story.worker] < story.adds[story.worker] - 0.1  # "only"
    assert "lost only 3.6" in runner.payload(looking.LESSON)["scenes"][5]["act"]["replies"][0]["reason"]


def test_the_clue_is_the_word_that_stands_before_the_answer_and_last(lm):
    found = runner.measured("looking", looking.STORY)
    lost = [at for at, (best, *_) in found.swaps.items() if best != "ball"]
    assert [found.story.tokens[at] for at in lost] == [" little"] and found.story.tokens[-1] == " little"
    text = looking.STORY.replace("little ball", "red ball")
    share, row = (
        float(lm.trace(text).probabilities()[lm.encode(" ball")[-1]]),
        plainly_looks(lm, text, *found.story.worker),
    )
    best, sure, left, looks = found.swaps[lost[0]]
    assert left == pytest.approx(share, abs=1e-5)
    assert (best, sure) == ("boy", pytest.approx(float(lm.trace(text).probabilities().max()), abs=1e-5)) and left < sure
    assert looks[found.story.place] == pytest.approx(float(row[found.story.place]), abs=1e-4)
    assert float(row[found.story.place]) < 0.5 * found.story.looks(found.story.worker)


def test_a_head_that_does_not_look_there_is_missed_most(lm):
    found = runner.measured("looking", looking.STORY)
    chain, noter, answer = found.chain, looking.NOTER, lm.encode(" box")[-1]
    left = {head: float(plainly_silenced(lm, looking.CHAIN, *head)[answer]) for head in chain.left}
    assert min(left, key=left.get) == noter and chain.left[noter] == pytest.approx(left[noter], abs=1e-4)
    assert float(plainly_looks(lm, looking.CHAIN, *noter)[chain.place]) < 0.005
    assert chain.tokens[max(range(len(found.noter)), key=found.noter.__getitem__)] == " red"
    hard = max(found.story.lookers, key=chain.looks)
    assert found.lost[hard][chain.place] < 0.7 * chain.looks(hard)
    scene = runner.payload(looking.LESSON)["scenes"][-1]
    for reply in scene["act"]["replies"]:  # the head that was chosen stands beside both
        assert f"“red”, {max(found.noter):.0%}" in reply["reason"]
        if reply["key"] not in "NA":
            row = reply["shows"][1]["options"]["rows"][-1]
            assert row["label"] == f"without {reply['key']}" and f"{row['share']:.0%} is left" in reply["verdict"]
    rows = scene["after"][1]["options"]["rows"]
    assert [(row["label"], row["share"]) for row in rows] == [
        ("box", pytest.approx(float(lm.trace(looking.CHAIN).probabilities()[answer]), abs=1e-4)),
        ("without N", pytest.approx(left[noter], abs=1e-4)),
        ("without A", pytest.approx(left[hard], abs=1e-4)),
    ]


def test_what_comes_next(lm):
    found = runner.measured("next", next_word.STORY)
    shares = lm(torch.tensor([lm.trace(next_word.STORY).ids]))[0, -1].double().softmax(-1)
    assert len(shares) == found.known and float(shares.sum()) == pytest.approx(1)
    assert found.rarest[1] == pytest.approx(float(shares.min()), rel=1e-2) and float(shares.min()) > 0
    names = [lm.tokenizer.name(int(token)).strip() for token in shares.topk(5).indices]
    assert [name for name, _ in found.top] == names
    text = next_word.STORY
    for piece, _ in found.written:
        token = int(lm.trace(text).logits_at(-1).argmax())
        assert lm.tokenizer.decode([token]) == piece
        text += piece
    row = plainly_looks(lm, next_word.STORY, *found.head)
    assert int(row.argmax()) == found.seen and found.tokens[found.seen] == " truck"
    assert found.looks[len(found.tokens) - 1] == pytest.approx(row.tolist(), abs=1e-4)
    assert sum(found.looks[found.middle][: found.middle + 1]) == pytest.approx(1, abs=1e-4)
    assert found.looks[found.middle][found.middle + 1 :] == [0] * (len(found.tokens) - found.middle - 1)
    swapped = lm.trace(next_word.STORY.replace("truck", "boat")).probabilities()
    assert found.swapped[0][0] == "boat" and found.swapped[0][1] == pytest.approx(float(swapped.max()), abs=1e-6)
    assert "car" not in next_word.STORY and found.top[1][0] == "car"  # "No such thing stands in this story."


def test_of_a_look_what_is_written_and_the_rest_are_all(lm):
    q, k, *_ = lm.trace(next_word.STORY).qk(3, 2)
    row = ((q[9].double() @ k[:10].double().T) / math.sqrt(q.shape[-1])).softmax(-1)
    found, scene = runner.measured("next", next_word.STORY), payload("next")["scenes"][4]
    assert found.head == (3, 2) and found.tokens[found.middle] == " doll"
    written = [round(float(each), 2) for each in row[1:] if each > next_word.WRITTEN]  # as strip.js has it
    assert len(written) == 2  # of Tom and of the truck
    rest = f"What has no number gets {1 - sum(written):.0%} together."
    assert all(reply["reason"].endswith(rest) for reply in scene["act"]["replies"])
    for reply in payload("next")["scenes"][3]["act"]["replies"]:  # both words that get some are told of
        assert "93%" in reply["reason"] and "6%" in reply["reason"]


def plainly_noted(lm, text, notes):
    """A pass in which the noter writes at each of some tokens what it wrote, unhindered, at another, or nothing."""
    plain = lm.trace(text)["blocks.4.attn.z"][0, 2]

    def edit(z, record):
        z = z.clone()
        for to, of in notes.items():
            z[0, 2, to] = torch.zeros_like(plain[of]) if of == to else plain[of]
        return z

    return lm.trace(text, edit={"blocks.4.attn.z": edit})


def plainly_found(lm, trace, finder, said):
    """The share of a word after a text, and the finder's look from its last token."""
    q, k, *_ = trace.qk(*finder)
    row = ((q[-1].double() @ k.double().T) / math.sqrt(q.shape[-1])).softmax(-1)
    return float(trace.logits_at(-1).double().softmax(-1)[lm.encode(f" {said}")[-1]]), row


def test_one_head_leaves_notes_and_another_reads_them(lm):
    found, text = runner.measured("finding", finding.STORY), finding.STORY
    place, partner, finder = found.place, found.partner, found.finder
    assert (found.at(place), found.at(partner), found.at(place - 1), found.at(found.last)) == (
        "bird",
        "doll",
        "yellow",
        "yellow",
    )
    whole, look = plainly_found(lm, lm.trace(text), finder, "bird")
    assert int(look.argmax()) == place and look[place - 1] < 0.05  # one further than the same word
    assert (found.whole.share, found.whole.row) == (
        pytest.approx(whole, abs=1e-4),
        pytest.approx(look.tolist(), abs=1e-4),
    )
    left, less = plainly_found(lm, plainly_noted(lm, text, {place: place}), finder, "bird")
    assert left < 0.3 * whole and less[place] < 0.6 * look[place]
    assert (found.erased.share, found.erased.row[place]) == (
        pytest.approx(left, abs=1e-4),
        pytest.approx(float(less[place]), abs=1e-4),
    )
    now, moved = plainly_found(lm, plainly_noted(lm, text, {place: partner, partner: place}), finder, "doll")
    assert int(moved.argmax()) == partner and now > 0.5
    assert found.exchanged.top[0] == ("doll", pytest.approx(now, abs=1e-4))
    assert found.exchanged.row == pytest.approx(moved.tolist(), abs=1e-4)


def test_other_heads_miss_the_erased_note_too(lm):
    found, text = runner.measured("finding", finding.STORY), finding.STORY
    (layer, at), place = found.finder, found.place
    whole, erased = lm.trace(text), plainly_noted(lm, text, {place: place})
    looks = {head: [float(each.attention(5, head)[-1, place]) for each in (whole, erased)] for head in range(6)}
    assert sum(less < 0.75 * look and look > 0.5 for look, less in looks.values()) > 1

    def edit(z, record):
        z = z.clone()
        z[0, at, -1] = erased[f"blocks.{layer}.attn.z"][0, at, -1]
        return z

    misled, _row = plainly_found(lm, lm.trace(text, edit={f"blocks.{layer}.attn.z": edit}), found.finder, "bird")
    assert found.misled == pytest.approx(misled, abs=1e-4) and misled > 2 * found.erased.share
    shown = payload("finding")["scenes"][3]["after"][1]["options"]["rows"]
    best = erased.probabilities().topk(3).indices.tolist()
    assert {row["label"] for row in shown} == {lm.tokenizer.name(each).strip() for each in best}


def test_the_noters_look_is_the_sharpest_of_those_that_are_shown(lm):
    found = runner.measured("finding", finding.STORY)
    for head, (word, share) in found.aims.items():
        row = plainly_looks(lm, finding.STORY, *head)
        assert share == pytest.approx(
            float(row[1:][[t.strip().isalpha() for t in found.whole.tokens[1:]]].max()), abs=1e-4
        )
        assert word in finding.STORY
    assert (
        max(found.aims, key=lambda head: found.aims[head][1]) == finding.NOTER and found.aims[finding.NOTER][0] == "the"
    )


def test_of_all_heads_below_the_finder_needs_the_noter_most_which_looks_one_back(lm):
    found, text = runner.measured("finding", finding.STORY), finding.STORY
    layer, _ = found.finder

    def silenced(below, head):
        trace = lm.trace(text, edit=mute_heads([(below, head)]))
        return float(plainly_found(lm, trace, found.finder, "bird")[1][found.place])

    left = {(below, head): silenced(below, head) for below in range(layer) for head in range(6)}
    first, second, *_ = sorted(left.values())
    assert left[finding.NOTER] == first < 0.7 * second
    for head, run in found.silent.items():
        assert run.row[found.place] == pytest.approx(left[head], abs=1e-4)
    trace = lm.trace(text)
    q, k, *_ = trace.qk(*finding.NOTER)
    for at in found.back:
        row = ((q[at].double() @ k[: at + 1].double().T) / math.sqrt(q.shape[-1])).softmax(-1)
        assert int(row.argmax()) == at - 1 and at in found.one_back
        assert found.back[at][at - 1] == pytest.approx(float(row[at - 1]), abs=1e-4)


def test_a_note_that_is_alike_will_do_and_what_followed_is_copied(lm):
    found, text = runner.measured("finding", finding.STORY), finding.STORY
    note = {}
    for front in ("yellow", *finding.FRONTS):
        trace = lm.trace(text.replace("yellow", front, 1))
        note[front] = trace["blocks.4.attn.z"][0, 2, found.place]
        share, row = plainly_found(lm, trace, found.finder, "bird")
        if front in found.others:
            assert found.others[front].row[found.place] == pytest.approx(float(row[found.place]), abs=1e-4)
        assert (float(row[found.place]) > 0.6) == (front != "baby") == (share > 0.4)
    lost = found.others["baby"].top[0][0]
    assert lost != "bird"  # "and the model guesses …"
    for reply in payload("finding")["scenes"][5]["act"]["replies"]:
        assert f"{found.others['baby'].row[found.place]:.0%}" in reply["reason"] and f"“{lost}”" in reply["reason"]
    alike = {front: float(torch.cosine_similarity(note["yellow"], note[front], dim=0)) for front in finding.FRONTS}
    assert min(alike["red"], alike["green"]) > 0.8 > alike["baby"] + 0.2
    copied, row = plainly_found(lm, lm.trace(text.replace("bird", "sea")), found.finder, "sea")
    assert int(row.argmax()) == found.place and found.others["sea"].top[0] == ("sea", pytest.approx(copied, abs=1e-4))
    alone, _ = plainly_found(lm, lm.trace("Anna took the yellow"), found.finder, "sea")
    assert found.alone == pytest.approx(alone, abs=1e-5) and alone < 0.05 * copied


def test_a_lesson_whose_point_does_not_hold_raises(lm, monkeypatch):
    """Were the hardest looker to do the work in the lesson's own story too, the lesson would not say otherwise."""
    told = looking.told

    def other(model, text):
        story = told(model, text)
        return replace(story, left={**story.left, story.hardest: 0.0})

    monkeypatch.setattr(looking, "told", other)
    with pytest.raises(looking.Unfit, match="hardest also does the work"):
        looking.measure(lm, looking.STORY)


def plainly_pointed(lm, edit=None):
    """What the model of lesson 4's story guesses next, and its shares."""
    shares = lm.trace(cell.STORY, edit=edit).logits_at(-1).double().softmax(-1)
    return lm.tokenizer.name(int(shares.argmax())).strip(), float(shares.max())


def test_a_score_is_the_sum_of_products_and_the_same_word_gets_little(lm):
    m = runner.measured("scores", cell.STORY)
    trace = lm.trace(cell.STORY)
    query, key = (trace[f"blocks.5.attn.{name}"][0, 0].double() for name in ("q", "k"))
    assert m.head == (5, 0) and [m.name(i) for i in (m.best, m.second, m.same, -1)] == ["ball", "car", "red", "red"]
    for place in range(len(m.tokens)):
        score = sum(float(query[-1, n]) * float(key[place, n]) for n in range(32))
        assert m.scores[place] == pytest.approx(score, abs=1e-3)
    parts = [math.exp((score - max(m.scores)) / math.sqrt(32)) for score in m.scores]
    assert m.weights == pytest.approx([part / sum(parts) for part in parts], abs=1e-4)
    assert max(m.scores) == m.scores[m.best] and m.weights[m.same] < 0.02
    assert all(m.scores[m.worst] <= m.scores[i] for i, token in enumerate(m.tokens) if i and token.strip().isalpha())


def test_softmax_makes_a_spike_of_undivided_scores_and_sees_only_differences(lm):
    m = runner.measured("scores", cell.STORY)

    def softmax(scores):
        return [float(share) for share in torch.tensor(scores, dtype=torch.float64).softmax(-1)]

    divided = [score / 32**0.5 for score in m.scores]
    filled = scores.words(m, m)
    assert f"{softmax(m.scores)[m.best]:.1%}" == filled["bare"] == "99.8%"
    assert f"{softmax([2 * score for score in divided])[m.best]:.0%}" == filled["double"] == "91%"
    assert f"{softmax([10 + score for score in divided])[m.best]:.0%}" == filled["shifted"] == filled["look"] == "73%"
    level = softmax([score / scores.LEVEL for score in m.scores])
    assert max(level) - min(level) < 0.005  # "All words alike."
    ratio = softmax(m.scores)[m.best] / softmax(m.scores)[m.second]
    assert float(filled["times"]) == pytest.approx(ratio, rel=0.1)


def test_what_is_written_of_products_and_divisors_can_be_worked_out(lm):
    m, scenes = runner.measured("scores", cell.STORY), payload("scores")["scenes"]
    for reply in scenes[1]["act"]["replies"][:2]:  # "4.59 × 4.19 ≈ 19.2."
        one, other, product = (float(each) for each in re.findall(r"[-\d.]+\d", reply["verdict"].replace("−", "-")))
        assert product == pytest.approx(one * other, abs=0.0501)
    for place, row in zip((m.best, m.second), scenes[7]["after"][0]["options"]["rows"]):
        share, value = float(re.findall(r"\d+", row["label"])[0]) / 100, round(m.values[place][m.told], 2)
        assert float(row["says"].replace("−", "-")) == pytest.approx(share * value, abs=0.0051)
    divisors = [reply["verdict"].split(":")[0] for reply in scenes[4]["act"]["replies"]]
    assert divisors == ["÷ 2", "÷ ?", "÷ 32", "÷ 1,000"]  # how much it is, the next scene asks
    level = scenes[4]["act"]["replies"][-1]
    assert level["verdict"] == "÷ 1,000: “ball” gets 7%." and f"{1 / len(lm.trace(cell.STORY)):.0%}" == "7%"
    assert level["reason"].startswith(f"All {len(lm.trace(cell.STORY))} pieces")


def test_at_a_spike_small_changes_of_scores_change_hardly_anything():
    m = runner.measured("scores", cell.STORY)

    def moved(divisor):  # by a tenth more for the best word
        given = torch.tensor(m.scores, dtype=torch.float64) / divisor
        more = given + 0.1 * (torch.arange(len(given)) == m.best)
        return float((more.softmax(-1) - given.softmax(-1))[m.best])

    assert moved(1) < 0.001 and moved(m.root) > 0.015


def test_sums_of_products_reach_root_d_times_as_far_before_training(lm):
    m = runner.measured("scores", cell.STORY)
    raw = untrained(lm).trace(cell.STORY)
    singles, sums = [], []
    for layer in range(raw.n_layers):
        for head in range(raw.n_heads):
            q, k, _ = raw.qk(layer, head)
            products = [q[i].double() * k[j].double() for i in range(len(raw)) for j in range(i + 1)]
            typical = torch.stack(products).square().mean().sqrt()
            singles += [each / typical for each in products]
            sums += [each.sum() / typical for each in products]
    grown = float(torch.stack(sums).square().mean().sqrt())
    assert m.before[2] == pytest.approx(grown, abs=1e-6) and abs(grown / 32**0.5 - 1) < 0.02
    assert abs(float((torch.stack(singles) < 0).double().mean()) - 0.5) < 0.02  # "Half lie below zero."
    one, shown = (math.sqrt(sum(each**2 for each in values) / len(values)) for values in m.before[:2])
    assert 4 < shown / one < 8  # the dots say the same
    before, after = (payload("scores")["scenes"][5][when][0]["options"]["rows"] for when in ("before", "after"))
    assert [len(before), len(after)] == [2, 3] and not any("÷" in each["label"] for each in before)


def test_what_comes_out_is_a_mixture_of_values_and_exchanged_values_change_the_guess(lm):
    m = runner.measured("scores", cell.STORY)
    v = lm.trace(cell.STORY)["blocks.5.attn.v"][0, 0].double()
    mixture = sum(weight * v[place] for place, weight in enumerate(m.weights))
    assert m.out == pytest.approx(mixture.tolist(), abs=1e-3)
    ours = m.weights[m.best] * v[m.best] + m.weights[m.second] * v[m.second]
    assert abs(float(ours[m.told]) - m.out[m.told]) < 0.1  # "a little of other words"
    reason = payload("scores")["scenes"][7]["act"]["replies"][0]["reason"].replace("−", "-")
    *brought, out = (float(each) for each in re.findall(r"[-+]\d+\.\d\d", reason))
    assert sum(brought) == pytest.approx(out) == pytest.approx(m.out[m.told], abs=0.006)

    def edit(values, record):
        values = values.clone()
        best, second = values[0, 0, m.best].clone(), values[0, 0, m.second].clone()
        values[0, 0, m.best], values[0, 0, m.second] = second, best
        return values

    assert plainly_pointed(lm)[0] == "ball"
    silent = plainly_silenced(lm, cell.STORY, *m.head)  # "Other heads still bring “ball”."
    assert int(silent.argmax()) == lm.encode(" ball")[-1] and silent.max() > 2 * silent[lm.encode(" car")[-1]]
    word, share = plainly_pointed(lm, {"blocks.5.attn.v": edit})
    assert (word, share) == (m.swapped[0][0], pytest.approx(m.swapped[0][1], abs=1e-5)) and word == "car"
