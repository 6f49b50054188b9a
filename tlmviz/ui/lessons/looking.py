"""Lesson 2, "Looking is not doing": the head that looks hardest is hardly needed, one that looks less does the work."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from tlmviz.facades.language_model import LanguageModel
from tlmviz.figures.written import number, percent

from ..language import N_, _
from .measures import NOTER, Head, Valued, adds, brings, heads_of, little, named, row, without, word, words_at
from .parts import (
    Behind,
    Choose,
    Drag,
    DragUntil,
    End,
    Lesson,
    Part,
    Pick,
    Picture,
    Press,
    Reply,
    Scene,
    Tap,
    Unfit,
    guessed,
)
from .pictures import DOES, INK, LOOK, NOTE, SOFT, bar, bars, cards, look, odds, ring, rings, strip

MODEL = "stories-rope"
STORY = "Once upon a time, Anna had a little ball. Ben came to play. Ben wanted the little"
CHAIN = "One day, Mia saw a red box. Max saw a little truck. Mia liked the red"  # a head is missed that looks elsewhere
SWAPS = {" Anna": "Lucy", " had": "saw", " little": "red", " came": "went", " wanted": "liked"}  # words of STORY
# Names of heads; others come after E.
NAMES = {(5, 4): "A", (5, 3): "B", (3, 2): "C", (5, 1): "D", (5, 0): "E", (4, 2): "N"}
LOOKERS = 5  # heads that are shown: those that look hardest at the answer
SURE = 0.55  # the answer's least share
KEPT, LOST = 0.8, 0.6  # of it, what is left without the hardest looker at least, without the worker at most


@dataclass(frozen=True)
class Story:
    """One text whose likeliest next word stands in it already, at `place`: how every head looks there, and what it
    does."""

    text: str
    tokens: list[str]
    place: int
    top: Valued
    score: float  # of the likeliest word
    rows: Mapping[Head, list[float]]  # each head's look from the last token
    left: Mapping[Head, float]  # the word's share with one head silenced
    lost: Mapping[Head, float]  # and the points that it loses then
    adds: Mapping[Head, float]  # points to the word's score
    brings: Mapping[Head, Valued]  # the words that it adds most to

    def looks(self, head: Head) -> float:
        """How much of its look a head gives to the word's place."""
        return self.rows[head][self.place]

    @property
    def lookers(self) -> list[Head]:
        """The heads that look hardest, by their names."""
        hardest = sorted(self.rows, key=self.looks, reverse=True)[:LOOKERS]
        return sorted(hardest, key=lambda head: (NAMES.get(head, "F"), head))

    @property
    def hardest(self) -> Head:
        """The head that looks hardest."""
        return max(self.rows, key=self.looks)

    @property
    def worker(self) -> Head:
        """The one of the lookers that is missed most."""
        return min(self.lookers, key=self.left.__getitem__)

    def name(self, head: Head) -> str:
        """A head's letter: the same in every story."""
        others = [each for each in self.lookers if each not in NAMES]
        return NAMES.get(head) or "FGHIJ"[others.index(head)]

    def tone(self, head: Head) -> str:
        """The colour that a head keeps."""
        return {self.hardest: LOOK, self.worker: DOES, NOTER: NOTE}.get(head, INK)


@dataclass(frozen=True)
class Found:
    """The story; of the lesson's own, by place, the likeliest word and its share, the answer's, and the worker's look
    with another word there; another story, in which heads work in a chain, where the noter looks from its answer, and
    where heads look without the noter."""

    story: Story
    swaps: Mapping[int, tuple[str, float, float, list[float]]]
    chain: Story
    noter: list[float]
    lost: Mapping[Head, list[float]]


def measure(lm: LanguageModel, text: str) -> Found:
    """All of it, in some eighty passes; of the visitor's text what has no words of the lesson's own."""
    story = told(lm, text)
    if story.hardest == story.worker:
        raise Unfit(N_("In your sentence the head that looks hardest also does the work."))
    (answer, share), hard, worker = story.top[0], story.hardest, story.worker
    alone = story.left[hard] >= KEPT * share and story.left[worker] <= LOST * share
    if not alone or story.adds[worker] <= story.adds[hard] or answer not in dict(story.brings[worker]):
        raise Unfit(N_("In your sentence no single head does the work alone."))
    if text != STORY:
        return Found(story, {}, story, [], {})
    chain, silent = told(lm, CHAIN), without(lm, CHAIN, NOTER)
    return Found(
        story,
        {
            story.tokens.index(old): _swapped(lm, story, story.tokens.index(old), f" {new}")
            for old, new in SWAPS.items()
        },
        chain,
        row(lm.trace(CHAIN), NOTER, chain.place),
        {head: row(silent, head) for head in chain.rows},
    )


def told(lm: LanguageModel, text: str) -> Story:
    """A text and what each head does in it. Raises Unfit where its likeliest next word does not stand in it."""
    trace = lm.trace(text)
    chances, heads = trace.probabilities(), heads_of(trace)
    best = int(chances.argmax())
    if best not in trace.ids or float(chances[best]) < SURE:
        raise Unfit(
            N_("In your sentence the model does not guess a word that stands there already: this lesson is about one.")
        )
    place = len(trace) - 1 - trace.ids[::-1].index(best)
    added = {head: adds(lm, trace, head) for head in heads}
    silent = {head: without(lm, text, head) for head in heads}
    return Story(
        text,
        trace.tokens,
        place,
        named(lm, chances, 3),
        float(trace.logits_at(-1)[best]),
        {head: row(trace, head) for head in heads},
        {head: float(each.probabilities()[best]) for head, each in silent.items()},
        {head: float(trace.logits_at(-1)[best] - each.logits_at(-1)[best]) for head, each in silent.items()},
        {head: float(added[head][best]) for head in heads},
        {head: brings(lm, added[head]) for head in heads},
    )


def _swapped(lm: LanguageModel, story: Story, at: int, token: str) -> tuple[str, float, float, list[float]]:
    trace = lm.trace("".join([*story.tokens[1:at], token, *story.tokens[at + 1 :]]))
    chances = trace.probabilities()
    answer = lm.encode(story.tokens[story.place])[-1]
    best, sure = named(lm, chances, 1)[0]
    return best, sure, float(chances[answer]), row(trace, story.worker)


def words(m: Found, home: Found) -> dict[str, str]:
    """What stands for the names in the sentences."""
    story = m.story
    hard, worker = story.hardest, story.worker
    return {
        "word": story.top[0][0],
        "sure": percent(story.top[0][1]),
        "score": number(story.score, ".1f"),
        "H": story.name(hard),
        "look": percent(story.looks(hard)),
        "kept": percent(story.left[hard]),
        "W": story.name(worker),
        "less": percent(story.looks(worker)),
        "left": percent(story.left[worker]),
        "most": number(story.adds[worker], ".1f"),
        "few": number(story.adds[hard], ".1f"),
    }


def plot(m: Found, home: Found) -> list[Scene]:
    """The scenes on a story; the last two on those of the lesson."""
    first = [scene(m.story) for scene in (_guess, _tap, _silence, _search, _brings, _points)]
    return [*first, *(replace(scene, home=True) for scene in (_clue(home), _chain(home)))]


def _text(
    story: Story,
    head: Head | None = None,
    *,
    blank: str = "",
    off: bool = False,
    press: Iterable[int] = (),
    verb: str = "",
    share: float = 1.0,
) -> Part:
    """The story, and the look of a head from its last word; `blank` hides what comes next."""
    last = len(story.tokens) - 1
    looks = [look(story.name(head), last, story.rows[head], story.tone(head), off)] if head else []
    return strip(
        story.tokens,
        under=last,
        looks=looks,
        blank=blank or story.top[0][0],
        told=not blank,
        press=press,
        verb=verb,
        share=share,
    )


def _sure(story: Story, share: float, tone: str = INK, of: float = 0.3) -> Part:
    """The bar of how sure the model is."""
    return bars(bar(story.top[0][0], share, tone, "answer"), share=of)


def _guess(story: Story) -> Scene:
    why, replies = _("It is {sure} sure of “{word}”. But how does it know?"), []
    for name, share in sorted(story.top):
        right = name == story.top[0][0]
        verdict = _("So does the model.") if right else _("No: the model gives that {small}.")
        replies.append(Reply(verdict, why, right, words={"name": name, "small": little(share)}, label="“{name}”"))
    top = (bar(name, share, SOFT if n else INK) for n, (name, share) in enumerate(story.top))
    return Scene(
        _("The model reads this story and guesses the next word. What would **you** write?"),
        (_text(story, blank="?"),),
        Choose(replies),
        (_text(story, share=0.6), bars(*top, share=0.4)),
        behind=_explorer(story, story.hardest),
        asks=True,
    )


def _tap(story: Story) -> Scene:
    why, replies = _("“{word}” gets {look} of the look of {H}. No head looks harder at it."), {}
    for i in words_at(story.tokens):
        named = {"other": word(story.tokens[i]), "small": little(story.rows[story.hardest][i])}
        replies[i] = Reply(_("No: “{other}” gets {small}."), why, words=named)
    replies[story.place] = Reply(_("Yes, “{word}”."), why, True)
    return Scene(
        _("Small parts called **heads** look back at the story. Tap the word that head **{H}** looks at most."),
        (_text(story, blank="?", press=replies),),
        Tap(replies),
        (_text(story, story.hardest, blank="?"),),
        _("{H} looks from the underlined word."),
        _explorer(story, story.hardest),
    )


def _silence(story: Story) -> Scene:
    head = story.hardest
    what = _("{sure} sure becomes {kept} sure. {H} looks hardest, and the guess hardly needs it.")
    replies = guessed(what, _("No: then {H} would be needed."), _("A little is lost."))
    return Scene(
        _(
            "No head looks harder at “{word}” than **{H}**. Now {H} is silenced. How sure will the model still be? "
            "Drag."
        ),
        (_text(story, head, share=0.62), _sure(story, story.top[0][1], of=0.38)),
        Drag(_("How sure the model will still be, in per cent"), _("Silence {H}"), 100 * story.left[head], replies),
        (_text(story, head, off=True, share=0.62), _sure(story, story.left[head], of=0.38)),
        _("A silenced head says nothing; all others go on."),
        _explorer(story, head, head),
    )


def _rings(story: Story, silent: Head | None = None) -> Picture:
    """The lookers, one of them silent, and how sure the model is without it; once that is the worker, of each."""
    found, heads = silent == story.worker, []
    tones = {story.hardest: LOOK} | ({story.worker: DOES} if found else {})
    for head in story.lookers:
        says = _("looks {share}", share=percent(story.looks(head)))
        if found or head == silent:
            says += "\n" + _("without: {share}", share=percent(story.left[head]))
        heads.append(ring(story.name(head), story.looks(head), says, tones.get(head, INK), head == silent))
    sure = _sure(story, story.left[silent] if silent else story.top[0][1], DOES if found else INK, 0.28)
    return rings(*heads, press=not found, verb=_("Silence"), share=0.72), sure


def _search(story: Story) -> Scene:
    other = _("It looks with {looks}, yet without it the model is still {still} sure. Try another.")
    right = _("It looks less hard than {H}: {less} against {look}. Yet without it {sure} sure becomes {left}.")
    replies = {}
    for head in story.lookers:
        name = story.name(head)
        told = {"name": name, "looks": percent(story.looks(head)), "still": percent(story.left[head])}
        replies[name] = Reply(_("Not {name}."), other, False, _rings(story, head), told)
    replies[story.name(story.worker)] = Reply(_("It is {W}."), right, True, _rings(story, story.worker))
    return Scene(
        _("Five heads look at “{word}”. Press one to silence it, always one alone. Which one does the guess need?"),
        _rings(story),
        Press(replies),
        hint=_("A ring shows how much of its look a head gives to “{word}”."),
        behind=_explorer(story, story.worker, story.worker),
    )


def _brings(story: Story) -> Scene:
    shown, replies = sorted((story.hardest, story.worker), key=story.name), []
    why = _(
        "{W} brings “{word}” {most} points, {H} only {few}. A look tells where a head reads, not what it brings home."
    )
    for head, label in zip(shown, (_("card 1"), _("card 2"))):
        right = head == story.worker
        replies.append(Reply(_("Yes.") if right else _("No: then {H} would be missed."), why, right, label=label))
    hidden = (cards(*((name, INK, story.brings[head]) for head, name in zip(shown, "12"))),)
    return Scene(
        _("A head carries home what it reads: it adds **points** to words. Here are {H} and {W}. Which card is {W}?"),
        hidden,
        Choose(replies),
        (cards(*((story.name(head), story.tone(head), story.brings[head]) for head in shown)),),
        _(
            "The three words that each adds most to; any word that the model knows can get points. The more points a "
            "word has in the end, the likelier it is."
        ),
        Behind("why", {"model": MODEL, "text": story.text, **_place(story, story.worker)}),
    )


def _points(story: Story) -> Scene:
    share = story.top[0][1]
    fewer = math.log(share / (1 - share))  # points that leave half of the guess
    odds_left = math.exp(fewer - story.adds[story.worker])
    taken, left = odds_left / (1 + odds_left), story.left[story.worker]
    others = math.log(left / (1 - left)) - fewer + story.lost[story.worker]  # points that all other words lose
    why = _("Each point makes odds 2.7 times as high. {W} brings {most}: without them {taken} is left.")
    if left > taken + 0.01 and story.lost[story.worker] < story.adds[story.worker] - 0.1 and others > 0.05:
        why += _(" Silenced, it was {left}: “{word}” lost only {lost}, and other words lost some, too.")
    enough = (Reply(_("{fewer} points fewer will do."), why, True),)
    words = {"fewer": number(fewer, ".1f"), "taken": percent(taken), "lost": number(story.lost[story.worker], ".1f")}
    return Scene(
        _("All parts of the model together give “{word}” {score} points. Drag points away until it is only half sure."),
        (odds(_("points"), story.top[0][0], story.score, story.score - fewer),),
        DragUntil(_("Points of “{word}”"), 100 * (1 - fewer / story.score), enough),
        hint=_("The other words keep their points."),
        behind=_explorer(story, story.worker),
        words=words,
    )


def _clue(home: Found) -> Scene:
    story, replies, press = home.story, {}, list(home.swaps)
    name, last = story.name(story.worker), len(story.tokens) - 1
    lost = _(
        "The look of {W} at “{word}” falls from {less} to {now}, and the model says “{best}”. “{was}” was its clue: it "
        "also stands last."
    )
    still = _("{W} still gives “{word}” {now} of its look, and the model says it. Swap another.")
    for at, (best, sure, share, weights) in home.swaps.items():
        new, found = SWAPS[story.tokens[at]], best != story.top[0][0]
        text = strip(
            [*story.tokens[:at], f" {new}", *story.tokens[at + 1 :]],
            blank=best,
            told=True,
            under=last,
            looks=[look(name, last, weights, DOES)],
            press=press,
            swapped=[at],
            verb=_("Swap"),
            share=0.72,
        )
        rows = (bar(best, sure, INK, "best"),) if found else ()
        swap = {"new": new, "was": word(story.tokens[at]), "now": percent(weights[story.place]), "best": best}
        shown = text, bars(bar(story.top[0][0], share, SOFT if found else INK, "answer"), *rows, share=0.28)
        replies[at] = Reply(_("“{new}” for “{was}”."), lost if found else still, found, shown, swap)
    before = _text(story, story.worker, press=press, verb=_("Swap"), share=0.72)
    return Scene(
        _("{W} needs a clue to find “{word}”. Tap a word to swap it, until the model says something else."),
        (before, _sure(story, story.top[0][1], of=0.28)),
        Press(replies),
        hint=_("Each tap swaps one word; the one before comes back."),
        behind=_explorer(story, story.worker),
    )


def _chain(home: Found) -> Scene:
    story, cast = home.chain, home.story
    heads = [*cast.lookers, NOTER]
    hard = max(heads, key=story.looks)
    why = _(
        "Without N {gone} is left. N looks from “{word}” at “{noted}”, {noting}: so “{word}” is marked as the word "
        "after it. Unmarked, {A} looks at “{word}” with {after}, not {before}."
    )
    replies, shown = {}, []
    for head in heads:
        name, left, noter = cast.name(head), percent(story.left[head]), head == NOTER
        verdict = _("Yes, N.") if noter else _("No: without {name} {still} is left.")
        picture = () if head in (NOTER, hard) else _linked(home, hard, head)
        replies[name] = Reply(verdict, why, noter, picture, {"name": name, "still": left})
        shown.append(ring(name, story.looks(head), _("looks {share}", share=little(story.looks(head)))))
    words = {
        "word": story.top[0][0],
        "sure": percent(story.top[0][1]),
        "gone": percent(story.left[NOTER]),
        "A": cast.name(hard),
        "noted": word(story.tokens[max(range(len(home.noter)), key=home.noter.__getitem__)]),
        "noting": percent(max(home.noter)),
        "before": percent(story.looks(hard)),
        "after": percent(home.lost[hard][story.place]),
    }
    return Scene(
        _("A new story, and six heads: the model is {sure} sure of “{word}”. Which one will it miss most?"),
        (_text(story, share=0.4), rings(*shown, press=True, verb=_("Choose"), share=0.6)),
        Pick(replies, _("Silence it")),
        _linked(home, hard),
        _(
            "A ring shows how much of its look from the last word a head gives to “{word}”. One of the heads does its "
            "work at another word. Press a head, then the button."
        ),
        _explorer(story, NOTER, NOTER),
        words=words,
    )


def _linked(home: Found, hard: Head, *chosen: Head) -> Picture:
    """The chain: the noter's look from the answer and the hardest look at it, and how sure the model is without
    either, or without the head that was chosen."""
    story, place, name = home.chain, home.chain.place, home.story.name(hard)
    looks = [look(name, len(story.tokens) - 1, story.rows[hard], LOOK), look("N", place, home.noter, NOTE)]
    text = strip(story.tokens, under=len(story.tokens) - 1, looks=looks, blank=story.top[0][0], told=True, share=0.64)
    tones = {NOTER: NOTE, hard: LOOK, **dict.fromkeys(chosen, INK)}
    without = (
        bar(_("without {head}", head=home.story.name(head)), story.left[head], tone) for head, tone in tones.items()
    )
    return text, bars(bar(*story.top[0]), *without, share=0.36)


def _place(story: Story, head: Head) -> dict[str, str]:
    return {"head": "{}.{}".format(*head), "query": str(len(story.tokens) - 1), "key": str(story.place)}


def _explorer(story: Story, head: Head, mute: Head | None = None) -> Behind:
    silent = {"mute": "{}.{}".format(*mute), "panel": "Mute heads"} if mute else {}
    return Behind("explorer", {"model": MODEL, "text": story.text, **_place(story, head), **silent})


def end(m: Found, home: Found) -> list[End]:
    """What can be explained now."""

    def both(story: Story, head: Head, tone: str) -> Picture:
        left = _("without {head}", head=story.name(head))
        return (bars(bar(_("looks"), story.looks(head), tone), bar(left, story.left[head])),)

    story, chain = m.story, home.chain
    looking = _("Looking is not doing. {H} looks hardest, with {look}; without it the model is still {kept} sure.")
    doing = _("What counts is what a head brings home. {W} adds {most} points to “{word}”; without it {left} is left.")
    gone = _(
        "Heads work in chains. N hardly looks at “{it}” from the last word, yet without N {gone} is left.",
        it=chain.top[0][0],
        gone=percent(chain.left[NOTER]),
    )
    return [
        End(looking, both(story, story.hardest, LOOK)),
        End(doing, both(story, story.worker, DOES)),
        End(gone, both(chain, NOTER, NOTE)),
    ]


LESSON = Lesson(
    "looking",
    N_("Looking is not doing"),
    N_("The head that looks hardest at a word, and the head that does the work: silence each, and see what is missed."),
    MODEL,
    STORY,
    measure,
    words,
    plot,
    end,
)
