"""Lesson 12, "Where vectors come from": what a model learns of words by guessing their neighbours, and what it does
not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from tlmviz.analysis.words import analogies, film, nearness, one_step
from tlmviz.analysis.words.pairs import cooccurrence
from tlmviz.facades.word_vectors import WordVectors
from tlmviz.figures.written import number, percent

from .. import words as word_models
from ..language import N_, _
from .measures import little
from .parts import Again, Behind, Choose, Drag, End, Lesson, Part, Picture, Reply, Scene, Tap, guessed
from .pictures import DOES, INK, KEPT, LOOK, NONE, NOTE, SOFT, Place, bar, bars, cells, grid, plane, point, strip, way

MODEL = "words-skipgram"
WORD, OFFERED = "dog", ("barks", "bone", "cat")
SENTENCE, CENTER, NEAR = "The dog ran after the red ball.", 2, 2  # where the dog stands, words on each side
TEXT = "The cat drank milk. The dog drank milk. My cat sat down. My dog sat down. The car drove home."
ROWS = ("cat", "dog", "car")
STEP, RATE = ("dog", "barks", "cat"), 0.1  # a pair that is read, and who only stands by
GROUPS = {
    LOOK: ("dog", "cat", "bird", "bear"),
    DOES: ("red", "blue", "green", "yellow"),
    NOTE: ("two", "three", "four", "five"),
    INK: ("mother", "father", "brother", "sister"),
}
SEEN = (0, 1, 3, 7, 19)  # pictures of the film
HOT, THINGS = "hot", ("sun", "soup", "cold")
WALK, KING = ("go", "went", "see"), ("man", "woman", "king")
WALKED, KINGS = ("meet", "saw", "tell"), "queen"  # two of them are nearest to where the walk begins
RELATION = "he : she"


@dataclass(frozen=True)
class Found:
    """Cosines between words; counts of who stands near whom in a small text, and how alike they are; a step; the film;
    walks."""

    size: tuple[int, int]  # words, numbers of each
    alike: Mapping[str, float]  # of the offered words, to the word
    company: list[str]
    counts: Mapping[str, list[float]]
    pairs: Mapping[tuple[str, str], float]
    # The share of the pair's second word before and after, and how far the first moved.
    step: tuple[float, float, float]
    read: list[int]
    film: list[dict[str, Place]]
    neighbours: list[str]  # of the word, in each picture
    hot: Mapping[str, float]
    walked: Mapping[str, float]
    around: Mapping[str, Place]  # where the words of the walk lie, in the plane of the three that are given
    ends: list[tuple[str, float]]  # nearest to where the walk of the king ends, and the queen
    often: float  # of all analogies of the relation, the share that ends right
    stayed: float  # and of whose third word the fourth is nearest, with no walk at all

    @property
    def nearest(self) -> str:
        """The one of the offered words that is most alike."""
        return max(self.alike, key=self.alike.__getitem__)


def measure(wv: WordVectors, text: str) -> Found:
    """All of it, by a few products of matrices."""

    def cosine(one: str, others: Iterable[str]) -> dict[str, float]:
        return {each: float(torch.cosine_similarity(wv.vector(one), wv.vector(each), dim=0)) for each in others}

    company, counts = _company()
    pairs = {
        (one, other): float(
            np.dot(counts[one], counts[other]) / np.linalg.norm(counts[one]) / np.linalg.norm(counts[other])
        )
        for one, other in (ROWS[:2], ROWS[::2], ROWS[1:])
    }
    step = one_step.softmax_step(wv, *STEP[:2])
    moved, outputs = step.moved(RATE)
    at = wv.index(STEP[1])
    before, after = (one_step.softmax(each)[at] for each in (step.scores, outputs @ moved))
    read, shown, neighbours = _film(wv)
    ends, goals = wv.analogy(*KING, 1), [_goal(wv, *walk) for walk in (WALK, KING)]
    walked, queens = (
        {each: float(torch.cosine_similarity(goal, wv.vector(each), dim=0)) for each in names}
        for goal, names in zip(goals, (WALKED, (KINGS,)))
    )
    tallied = analogies.tally(wv.vectors, lambda word: wv.index(word) if word in wv else None)
    return Found(
        (len(wv.vocabulary), wv.config.d_model),
        cosine(WORD, OFFERED),
        company,
        counts,
        pairs,
        (float(before), float(after), float(np.linalg.norm(moved - step.v))),
        read,
        shown,
        neighbours,
        cosine(HOT, THINGS),
        walked,
        _plane(wv, [*WALK, max(walked, key=walked.__getitem__)]),
        [*ends, *queens.items()],
        next(each.first for each in tallied if each.relation == RELATION),
        _stayed(wv),
    )


def _stayed(wv: WordVectors) -> float:
    """The share of the relation's analogies a : b = c : d in which d is nearest to c, but for a and b."""
    row_of = {word: wv.index(word) for pair in analogies.RELATIONS[RELATION] for word in pair if word in wv}
    fours = analogies.quadruples(analogies.RELATIONS[RELATION], row_of.get)
    unit = nearness.unit(wv.vectors.float())
    near = unit[[third for _a, _b, third, _d in fours]] @ unit.T
    return float((analogies.ranks(near, fours) == 1).mean())


def _goal(wv: WordVectors, a: str, b: str, c: str) -> torch.Tensor:
    """Where the way from a to b ends that begins at c, all of length 1."""
    return nearness.analogy_vector(*(wv.vector(word) for word in (a, b, c)))


def _company() -> tuple[list[str], dict[str, list[float]]]:
    """Who stands near the words of the small text, and how often; a sentence is a text of its own."""
    sentences = [sentence.lower().split() for sentence in TEXT.rstrip(".").split(". ")]
    every = [word for sentence in sentences for word in sentence]
    known = [*dict.fromkeys(every)]
    ids = np.array([known.index(word) for word in every])
    document = np.repeat(np.arange(len(sentences)), [len(sentence) for sentence in sentences])
    matrix = cooccurrence(ids, NEAR, len(known), document, by_distance=False).toarray()
    company = [word for word in known if word not in ROWS]
    rows = {word: [float(matrix[known.index(word), known.index(other)]) for other in company] for word in ROWS}
    return company, rows


def _plane(wv: WordVectors, names: Sequence[str]) -> dict[str, Place]:
    """Words in the plane of the first three, by their vectors of length 1: the way from the first to the second lies
    level."""
    vectors = nearness.unit(torch.stack([wv.vector(word) for word in names])).double().numpy()
    from_first = vectors - vectors[0]
    level = from_first[1] / np.linalg.norm(from_first[1])
    across = from_first[2] - (from_first[2] @ level) * level
    places = from_first @ np.stack([level, across / np.linalg.norm(across)]).T
    every = np.concatenate([places, [places[2] + places[1]]])  # where the walk ends, too
    middle = (every.max(0) + every.min(0)) / 2
    places = (places - middle) / np.abs(every - middle).max() * 0.9
    return {word: (float(x), float(y)) for word, (x, y) in zip(names, places)}


def _film(wv: WordVectors) -> tuple[list[int], list[dict[str, Place]], list[str]]:
    """Some pictures of the training: words read, where the words of the groups lie, and who lies nearest to the
    word."""
    shots = wv.snapshots
    assert shots is not None
    names = [word for group in GROUPS.values() for word in group]
    rows = [shots.vocabulary.index(word) for word in names]
    pictures = [shots.coordinates[n][rows].astype(np.float64) for n in SEEN]
    places = film.places(pictures)
    span = np.abs(places).max()
    near = []
    for picture in pictures:
        unit = picture / np.linalg.norm(picture, axis=1, keepdims=True)
        alike = unit @ unit[names.index(WORD)]
        alike[names.index(WORD)] = -2
        near.append(names[int(alike.argmax())])
    shown = [{word: (float(x / span), float(y / span)) for word, (x, y) in zip(names, each)} for each in places]
    return [int(shots.words_read[n]) for n in SEEN], shown, near


def words(m: Found, home: Found) -> dict[str, str]:
    """What stands for the names in the sentences."""
    best = m.nearest
    return {
        "known": f"{m.size[0]:,}",
        "d": f"{m.size[1]}",
        "word": WORD,
        "best": best,
        "alike": _cos(m.alike[best]),
        "n": f"{NEAR}",
        "one": STEP[0],
        "other": STEP[1],
        "third": STEP[2],
        "before": little(m.step[0]),
        "after": percent(m.step[1]),
        "hot": HOT,
        "cold": max(m.hot, key=m.hot.__getitem__),
        "cold_is": _cos(max(m.hot.values())),
        "a": WALK[0],
        "b": WALK[1],
        "c": WALK[2],
        "man": KING[0],
        "woman": KING[1],
        "king": KING[2],
        "queen": KINGS,
        "ends": m.ends[0][0],
        "there": _cos(m.ends[0][1]),
        "queen_is": _cos(m.ends[1][1]),
        "often": percent(m.often),
        "stayed": percent(m.stayed),
        "sister": max(m.walked, key=m.walked.__getitem__),
        "sister_is": _cos(max(m.walked.values())),
    }


def _cos(value: float) -> str:
    return number(value, ".2f")


def plot(m: Found, home: Found) -> list[Scene]:
    """The scenes."""
    return [scene(m) for scene in (_near, _task, _company_scene, _step, _watch, _hot, _walk, _king)]


def _alike(values: Mapping[str, float], told: bool, best: str) -> Picture:
    """Words with how alike they are to another one; a cosine below 0 has no bar."""
    rows = []
    for name, value in values.items():
        tone = LOOK if told and name == best else SOFT
        rows.append(bar(name, max(0.0, value) if told else None, tone, says=_cos(value) if told else ""))
    return (bars(*rows),)


def _choose(values: Mapping[str, float], why: Mapping[str, tuple[str, str]]) -> Choose:
    """One of the words; the one with the largest value is right."""
    best = max(values, key=values.__getitem__)
    told = {name: {"it": name, "its": _cos(value)} for name, value in values.items()}
    return Choose([Reply(*why[name], name == best, words=told[name], label="“{it}”") for name in values])


def _near(m: Found) -> Scene:
    beside = _("“{it}” stands beside “{word}” and has {its}; “{best}” has {alike}. The same numbers would have 1.")
    whys = {name: (_("Close."), beside) for name in OFFERED}
    right = _(
        "{alike}, where the same numbers would have 1. Nobody told the model that both are animals. How does it know?"
    )
    whys[m.nearest] = _("Yes, “{best}”."), right
    return Scene(
        _(
            "A model has read a million words, and keeps {d} numbers for each of {known}. Whose are most like those of "
            "“{word}”?"
        ),
        _alike(m.alike, False, m.nearest),
        _choose(m.alike, whys),
        _alike(m.alike, True, m.nearest),
        _("The numbers of a word are its vector."),
        Behind("projector", {"wpm": MODEL, "wpw": WORD}),
    )


def _task(m: Found) -> Scene:
    tokens = ["", *(f" {word}" for word in SENTENCE.rstrip(".").split()), "."]
    replies, far = {}, _("“{it}” stands {away} words away. Only {n} on each side are guessed.")
    for at in range(1, len(tokens) - 1):
        it, away = tokens[at].strip(), abs(at - CENTER)
        told = {"it": it, "away": f"{away}"}
        if at == CENTER:
            replies[at] = Reply(_("That is where it guesses from."), _("It must guess its neighbours."), words=told)
        elif away <= NEAR:
            why = _("“{word}” must make “{it}” likelier, and all its other neighbours. That is all it ever learns.")
            replies[at] = Reply(_("Yes, “{it}”."), why, True, words=told)
        else:
            replies[at] = Reply(_("Too far away."), far, words=told)
    around = [at for at in range(1, len(tokens) - 1) if 0 < abs(at - CENTER) <= NEAR]
    return Scene(
        _(
            "It has one task: from a word, guess the words around it, here {n} on each side. Tap one that “{word}” "
            "must guess."
        ),
        (strip(tokens, blank="", under=CENTER, press=replies),),
        Tap(replies),
        (strip(tokens, blank="", under=CENTER, swapped=around),),
        _("The method is called skip-gram."),
        Behind("word_vectors", {"wtext": SENTENCE}),
    )


def _company_scene(m: Found) -> Scene:
    def shown(told: bool) -> Picture:
        tokens = [
            "",
            *(part for word in TEXT.split() for part in ([f" {word}"] if word[-1] != "." else [f" {word[:-1]}", "."])),
        ]
        at = [n for n, token in enumerate(tokens) if token.strip() in ROWS]
        if not told:
            return (strip(tokens, blank="", swapped=at),)
        rows = []
        for word in ROWS:
            run = [(KEPT if count else NONE, 1, f"{count:.0f}" if count else "") for count in m.counts[word]]
            rows.append(cells(word, word, *run))
        return strip(tokens, blank="", swapped=at, share=0.5), grid(len(m.company), *rows, heads=m.company, share=0.5)

    best = max(m.pairs, key=m.pairs.__getitem__)
    replies, why = (
        [],
        _(
            "Their neighbours are the same words, as often: {its}. To a model that guesses neighbours they look the "
            "same."
        ),
    )
    for pair, value in m.pairs.items():
        told = {
            "one": pair[0],
            "two": pair[1],
            "its": _cos(value),
            "cat": best[0],
            "dog": best[1],
            "same": _cos(m.pairs[best]),
        }
        wrong = _("They share only “the”: {its}. “{cat}” and “{dog}” have {same}.")
        verdict, reason = (_("Yes."), why) if pair == best else (_("Hardly."), wrong)
        replies.append(Reply(verdict, reason, pair == best, words=told, label="“{one}”, “{two}”"))
    return Scene(
        _(
            "Here “cat” and “dog” **never meet**. Count who stands near each, {n} words each side. Whose neighbours "
            "are alike?"
        ),
        shown(False),
        Choose(replies),
        shown(True),
        _("Each count is of one neighbour; no window reaches into another sentence."),
        Behind("word_vectors", {"wtext": TEXT}),
    )


def _step(m: Found) -> Scene:
    before, after, far = m.step
    stays = _(
        "Only “{one}” and the words that are guessed move; then “{other}” gets {after}. “{third}” waits for its own "
        "turn."
    )
    whys = {
        _("moves along"): (
            _("Not by this step."),
            _("They are pulled alike only as like words stand around both. ") + stays,
        ),
        _("moves away"): (_("Nothing pushes it."), stays),
        _("stays"): (_("Yes."), stays),
    }
    right = [*whys][-1]

    def shown(told: bool) -> Picture:
        rows = [bar(_("“{one}” moves", one=STEP[0]), far, LOOK, "one", says=_cos(far))]
        rows.append(bar(_("“{one}” moves", one=STEP[2]), 0.0 if told else None, DOES, "two", says="0" if told else ""))
        share = bar(STEP[1], after if told else before, INK, "share")
        return bars(*rows, share=0.6), bars(share, share=0.4)

    return Scene(
        _(
            "It reads “{one} {other}”. One step of learning changes the numbers of “{one}”. What happens to those of "
            "“{third}”?"
        ),
        shown(False),
        Choose([Reply(*told, label == right, label=label) for label, told in whys.items()]),
        shown(True),
        _("Above: how far the numbers move. Below: the share that “{one}” gives “{other}” as a neighbour."),
        Behind("word_vectors", {"wvpart": "step", "wcenter": STEP[0], "wcontext": STEP[1]}),
        words={"third": STEP[2]},
    )


def _map(places: Mapping[str, Place], strong: Sequence[str] = ()) -> Part:
    tones = {word: tone for tone, group in GROUPS.items() for word in group}
    return plane(*(point(word, at, tones[word], word in strong) for word, at in places.items()))


def _watch(m: Found) -> Scene:
    replies = []
    for n, (read, near) in enumerate(zip(m.read, m.neighbours)):
        done, told = n == len(m.read) - 1, {"read": f"{read:,}", "near": near}
        why = _("Nearest to “{word}” here: “{near}”.")
        if done:
            why += _(" Four times it read its million words: like neighbours have led like words together.")
        if n:
            replies.append(Reply(_("{read} words read."), why, done, (_map(m.film[n], (WORD,)),), told))
    return Scene(
        _("At first all words lie by chance. Press to read on, and watch who comes to lie beside “{word}”."),
        (_map(m.film[0], (WORD,)),),
        Again(_("Read on"), replies),
        hint=_("Sixteen words; what is drawn are the two directions in which they differ most. Colours are ours."),
        behind=Behind("projector", {"wpm": MODEL, "wpv": "Film"}),
    )


def _hot(m: Found) -> Scene:
    best = max(m.hot, key=m.hot.__getitem__)
    thing = _("“{it}” has {its}, “{cold}” {cold_is}: “it is hot”, “it is cold”. Opposites stand in the same places.")
    whys = {name: (_("One would think so."), thing) for name in m.hot}
    same = _("“It is hot”, “it is cold”: opposites stand in the same places. The numbers know neighbours, not meaning.")
    whys[best] = _("Yes, {cold_is}."), same
    return Scene(
        _("Now that you know how it learns: whose numbers are most like those of “{hot}”?"),
        _alike(m.hot, False, best),
        _choose(m.hot, whys),
        _alike(m.hot, True, best),
        behind=Behind("projector", {"wpm": MODEL, "wpw": HOT}),
    )


def _walk(m: Found) -> Scene:
    places = m.around
    (ax, ay), (bx, by), (cx, cy) = (places[word] for word in WALK)
    goal = cx + bx - ax, cy + by - ay
    best = max(m.walked, key=m.walked.__getitem__)
    shown = {word: places[word] for word in WALK}
    tones = {WALK[0]: INK, WALK[1]: INK, WALK[2]: LOOK}

    def picture(told: bool) -> Picture:
        every = shown | ({best: places[best]} if told and best in places else {})
        points = (point(word, at, tones.get(word, NOTE), word == best) for word, at in every.items())
        ways = way("ab", (ax, ay), (bx, by)), way("cd", (cx, cy), goal, "" if told else "?", LOOK)
        return (plane(*points, ways=ways),)

    right = _("{sister_is}. From now to then the way is much the same, though nobody said what a past tense is.")
    start = _("“{it}” lies near “{c}”, where the walk begins. It ends nearest to “{sister}”, {sister_is}.")
    whys = {name: (_("That is no step at all."), start) for name in m.walked}
    whys[best] = _("Yes, “{sister}”."), right
    return Scene(
        _("A way leads from “{a}” to “{b}”. Walk the **same** way from “{c}”. Whose numbers are nearest to its end?"),
        picture(False),
        _choose(m.walked, whys),
        picture(True),
        _("The words that are given do not count."),
        Behind("projector", {"wpm": MODEL, "wpv": "Analogies", "wpa": WALK[0], "wpb": WALK[1], "wpq": WALK[2]}),
    )


def _king(m: Found) -> Scene:
    what = _("Here it ends at “{ends}”. Of all such walks {often} end right; with no step at all {stayed} would.")
    replies = guessed(what, _("More often than that."), _("Far less often."))

    def shown(told: bool) -> Picture:
        row = bar(_("end right"), m.often if told else None, LOOK, "often")
        ends = (bar(name, value, SOFT, says=_cos(value)) for name, value in m.ends)
        still = bar(_("with no step"), m.stayed, SOFT)
        return (bars(row, still, share=0.5), bars(*ends, share=0.5)) if told else (bars(row),)

    return Scene(
        _(
            "It is told that “{man}” to “{woman}” leads from “{king}” to “{queen}”. How many of all such walks end "
            "right? Drag."
        ),
        shown(False),
        Drag(_("Walks that end right, in per cent"), _("Walk them all"), 100 * m.often, replies),
        shown(True),
        _("Pairs like man and woman, boy and girl: each way is walked from each other word for him."),
        Behind("projector", {"wpm": MODEL, "wpv": "Analogies", "wpa": KING[0], "wpb": KING[1], "wpq": KING[2]}),
    )


def end(m: Found, home: Found) -> list[End]:
    """What can be explained now."""
    alike = bars(
        *(bar(name, value, SOFT if name != m.nearest else LOOK, says=_cos(value)) for name, value in m.alike.items())
    )
    hot = bars(*(bar(name, value, SOFT, says=_cos(value)) for name, value in m.hot.items()))
    near = _(
        "A word's numbers are learnt by guessing its neighbours. “{word}” is like “{best}”: they keep like company."
    )
    moves = _(
        "A step moves the word that is read. Words with like neighbours are led together, though they never meet."
    )
    knows = _("The numbers know neighbours: “{hot}” is like “{cold}”. The way from him to her leads right in {often}.")
    return [End(near, (alike,)), End(moves, (_map(m.film[-1]),)), End(knows, (hot,))]


LESSON = Lesson(
    "vectors",
    N_("Where vectors come from"),
    N_("Cat and dog never meet, and become alike: what a model learns of words by guessing who stands around them."),
    MODEL,
    "",
    measure,
    words,
    plot,
    end,
    word_models.model,
    measured_on=N_("Every number was measured on word vectors that were trained on a million words of stories."),
)
