"""Lesson 1, "What comes next?": a model guesses, writes on guess by guess, and looks back before each guess."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tlmviz.facades.language_model import LanguageModel
from tlmviz.figures.written import percent
from tlmviz.tracing.trace import Trace

from ..language import N_, _
from .measures import Head, Valued, heads_of, little, named, row, word, words_at
from .parts import Again, Behind, Choose, Drag, End, Lesson, Picture, Reply, Scene, Tap, Unfit, choose, guessed
from .pictures import INK, LOOK, SOFT, bar, bars, look, strip

MODEL = "stories-rope"
STORY = "Tom had a truck. Anna had a doll. Anna asked Tom for the"
OLD, NEW = "truck", "boat"  # in the scene that swaps a word of the story
LISTED, OFFERED = 5, (0, 1, 2)  # likeliest words whose shares are shown, and those to choose from
WRITTEN = 0.15  # from this share on a look's is written in the picture
LEAST, MOST = 4, 5  # words of a text, and pieces that are written: up to a full stop, if one comes


@dataclass(frozen=True)
class Found:
    """What the model makes of a text: `written` has each piece that it writes on, and the likeliest ones of that
    guess."""

    text: str
    tokens: list[str]
    top: Valued
    known: int  # pieces in the vocabulary
    rarest: tuple[str, float]
    written: list[tuple[str, Valued]]
    following: Valued  # the likeliest pieces behind all that is written
    head: Head  # that looks most from the last token at one word
    seen: int  # that word
    middle: int  # a word amid the text
    looks: Mapping[int, list[float]]  # of the head, from the last token and from the middle
    swapped: Valued  # the likeliest words of the lesson's story with another thing in it
    # Its last sentence alone, the likeliest words after it, the share of the old thing.
    short: tuple[list[str], Valued, float]


def measure(lm: LanguageModel, text: str) -> Found:
    """All of it, in some ten passes."""
    trace = lm.trace(text)
    chances, last, words = trace.probabilities(), len(trace) - 1, words_at(trace.tokens)
    if len(words) < LEAST:
        raise Unfit(N_("Your sentence is too short: the model needs a few words to guess from."))
    long = [i for i in words if len(trace.tokens[i].strip()) > 2] or words
    least, middle = int(chances.argmin()), long[len(long) // 2]
    head = max(heads_of(trace), key=lambda each: _sharpness(trace, each))
    if _sharpness(trace, head) < 0:
        raise Unfit(
            N_("In your sentence no part of the model looks back at one word most, which this lesson is about.")
        )
    looks = {at: row(trace, head, at) for at in (last, middle)}
    return Found(
        text,
        trace.tokens,
        named(lm, chances, LISTED),
        len(chances),
        (word(lm.tokenizer.name(least)), float(chances[least])),
        *_written(lm, text),
        head,
        max(range(last + 1), key=looks[last].__getitem__),
        middle,
        looks,
        named(lm, lm.trace(STORY.replace(OLD, NEW)).probabilities(), LISTED),
        _forgotten(lm),
    )


def _forgotten(lm: LanguageModel) -> tuple[list[str], Valued, float]:
    trace = lm.trace(STORY.rpartition(". ")[2])
    chances = trace.probabilities()
    return trace.tokens, named(lm, chances, 3), float(chances[lm.encode(f" {OLD}")[-1]])


def _sharpness(trace: Trace, head: Head) -> float:
    """How much of its look a head gives to one word, which is neither the last token nor the one before; else less than
    0."""
    weights = row(trace, head)
    most = max(range(len(weights)), key=weights.__getitem__)
    return weights[most] if most in words_at(trace.tokens)[:-2] else weights[most] - 1


def _written(lm: LanguageModel, text: str) -> tuple[list[tuple[str, Valued]], Valued]:
    """What the model writes if it takes the likeliest piece each time, and its guess behind that."""
    steps: list[tuple[str, Valued]] = []
    while len(steps) < MOST:
        chances = lm.trace(text).probabilities()
        piece = lm.tokenizer.decode([int(chances.argmax())])
        steps.append((piece, named(lm, chances, 3)))
        text += piece
        if piece.strip() in (".", "!", "?") and len(steps) >= LEAST:
            break
    return steps, named(lm, lm.trace(text).probabilities(), 3)


def words(m: Found, home: Found) -> dict[str, str]:
    """What stands for the names in the sentences."""
    best, share = m.top[0]
    swapped, new = home.swapped[0]
    return {
        "best": best,
        "share": percent(share),
        "others": percent(1 - share),
        "known": f"{m.known:,}",
        "rarest": m.rarest[0],
        "tiny": f"{float(f'{1 / m.rarest[1]:.1g}'):,.0f}",
        "unlisted": f"{m.known - len(m.top):,}",
        "rest": percent(1 - sum(each for _name, each in m.top)),
        "n": str(len(m.written)),
        "last": word(m.tokens[-1]),
        "seen": word(m.tokens[m.seen]),
        "look": percent(m.looks[len(m.tokens) - 1][m.seen]),
        "here": word(m.tokens[m.middle]),
        "thing": NEW,
        "old": OLD,
        "swapped": swapped,
        "new": percent(new),
        "second": home.top[1][0],
        "had": percent(home.top[0][1]),
        "kept": little(home.short[2]),
        "now": home.short[1][0][0],
        "most": percent(home.short[1][0][1]),
    }


def _bars(top: Valued, *more: Mapping[str, object], share: float = 1.0) -> Picture:
    rows = (bar(name, each, SOFT if n else INK, f"{n}") for n, (name, each) in enumerate(top))
    return (bars(*rows, *more, share=share),)


def plot(m: Found, home: Found) -> list[Scene]:
    """The scenes on a text; the last two are on the lesson's own story."""
    own = [scene(m) for scene in (_guess, _list, _write, _look, _later)]
    return [*own, _swap(home), _forget(home)]


def _guess(m: Found) -> Scene:
    sure = m.top[0][1] > max(0.5, 3 * m.top[1][1])
    close = _("No other word comes close.") if sure else _("No other word gets more.")
    right = _("It is {share} sure of “{best}”. ") + close
    less = _("It is {less} sure of “{other}”, {share} of “{best}”. ") + close
    replies = []
    for n in sorted(OFFERED, key=lambda n: m.top[n]):
        name, share = m.top[n]
        wrong = Reply(_("The model would not."), less, words={"other": name, "less": little(share)}, label="“{other}”")
        replies.append(wrong if n else Reply(_("So does the model."), right, True, label="“{best}”"))
    return Scene(
        _("A language model reads a text and guesses what comes next. What would **you** write?"),
        (strip(m.tokens, under=len(m.tokens) - 1),),
        Choose(replies),
        (strip(m.tokens, blank=m.top[0][0], told=True, share=0.5), *_bars(m.top, share=0.5)),
        behind=_explorer(m),
        asks=True,
    )


def _list(m: Found) -> Scene:
    rest, others = 1 - sum(share for _name, share in m.top), _("{n} others", n=f"{m.known - len(m.top):,}")
    why = _(
        "All get one: the other {unlisted} share {rest}. Even “{rarest}”, the least likely, gets one part in {tiny}."
    )
    answers = (
        (_("only these five"), _("No: then nothing else could ever come."), why),
        (_("about a hundred"), _("No: then most words could never come."), why),
        (right := _("all {known}"), _("Yes."), why),
    )
    return Scene(
        _("It knows {known} pieces of text: words and parts of words. How many of them get a share of its guess?"),
        _bars(m.top, bar(others, None, LOOK, "others")),
        choose(right, *answers),
        _bars(m.top, bar(others, rest, LOOK, "others")),
        behind=_explorer(m),
    )


def _write(m: Found) -> Scene:
    replies, tokens = [], list(m.tokens)
    adds = (_("It adds “{piece}”, the likeliest."), _("Then it reads everything again, “{piece}” too, and guesses."))
    ends = (
        _("{n} pieces, {n} guesses."),
        _(
            "That is all that writing is: guess, add, read everything again. Here it always takes the likeliest. A "
            "chat draws one by its share, so it can write something else each time."
        ),
    )
    for n, (piece, _top) in enumerate(m.written, 1):
        tokens, done = [*tokens, piece], n == len(m.written)
        text = strip(tokens, blank="" if done else "?", swapped=range(len(m.tokens), len(tokens)), share=0.62)
        shown = (text, *_bars(m.following if done else m.written[n][1], share=0.38))
        replies.append(Reply(*(ends if done else adds), done, shown, {"piece": word(piece)}))
    return Scene(
        _("To write on, it adds its best guess and guesses again. Press until it has written {n} pieces."),
        (strip(m.tokens, share=0.62), *_bars(m.written[0][1], share=0.38)),
        Again(_("Write"), replies),
        hint=_("The bars are its three likeliest guesses at the next piece."),
        behind=_explorer(m),
    )


def _look(m: Found) -> Scene:
    last, shared = len(m.tokens) - 1, _("A look is shared out: all that it sees gets 100% together.")
    second = max((i for i in words_at(m.tokens) if i != m.seen), key=m.looks[last].__getitem__)
    then = {"then": word(m.tokens[second]), "small": little(m.looks[last][second])}
    elsewhere, replies = _("“{other}” gets {less} of the look, “{seen}” {look}, “{then}” {small}. ") + shared, {}
    for i in words_at(m.tokens):
        named = {"other": word(m.tokens[i]), "less": little(m.looks[last][i])}
        replies[i] = Reply(_("Not there."), elsewhere, words=named | then)
    replies[second] = Reply(
        _("Only a little."), _("It gets {small} of the look, “{seen}” {look}. ") + shared, words=then
    )
    right = _("It gets {look} of the look, “{then}” {small}. ") + shared
    replies[m.seen] = Reply(_("Yes, “{seen}”."), right, True, words=then)
    return Scene(
        _("Before it guesses, it looks at other words. Tap the one that a part of it, a **head**, looks at most."),
        (strip(m.tokens, under=last, press=replies),),
        Tap(replies),
        (strip(m.tokens, under=last, looks=[look("A", last, m.looks[last])]),),
        _("It looks from the underlined word, “{last}”."),
        _explorer(m, last, m.seen),
    )


def _later(m: Found) -> Scene:
    looks, hidden, replies = m.looks[m.middle], range(m.middle + 1, len(m.tokens)), {}
    never = _(
        "From “{here}” a head sees “{here}” and what stands before, never what follows: that must be guessed. What has "
        "no number gets {rest} together."
    )
    later, before = _("“{other}” comes later. ") + never, _("“{other}” gets {less} of its look. ") + never
    for i in words_at(m.tokens):
        named = {"other": word(m.tokens[i]), "less": little(looks[i])}
        seen = Reply(_("That one it sees."), before, words=named)
        replies[i] = Reply(_("Right."), later, True, words=named) if i in hidden else seen
    return Scene(
        _("The head looks from every word, from “{here}” too. Tap a word that it **cannot** look at from “{here}”."),
        (strip(m.tokens, blank="", under=m.middle, press=replies),),
        Tap(replies),
        (strip(m.tokens, blank="", under=m.middle, faint=hidden, looks=[look("A", m.middle, looks)]),),
        behind=_explorer(m, m.middle, max(range(m.middle + 1), key=looks.__getitem__)),
        words={"rest": little(1 - sum(round(each, 2) for each in looks[1:] if each > WRITTEN))},
    )


def _swap(home: Found) -> Scene:
    tokens, at = [token.replace(OLD, NEW) for token in home.tokens], home.tokens.index(f" {OLD}")
    why = _(
        "It is {new} sure of “{swapped}”: it guesses from what stands in the text. Change the text, and the guess "
        "changes."
    )
    answers = (
        ("“{old}”", _("No: that word is gone."), why),
        ("“{swapped}”", _("Yes, “{swapped}”."), why),
        ("“{second}”", _("No: this story has none."), why),
    )
    return Scene(
        _("One word is swapped: now Tom has a **{thing}**. What will the model guess?"),
        (strip(tokens, under=len(tokens) - 1, swapped=[at]),),
        choose("“{swapped}”", *answers),
        (strip(tokens, blank=home.swapped[0][0], told=True, swapped=[at], share=0.5), *_bars(home.swapped, share=0.5)),
        _("Before, it was a {old}."),
        Behind("explorer", {"model": MODEL, "text": STORY.replace(OLD, NEW)}),
        home=True,
    )


def _forget(home: Found) -> Scene:
    tokens, top, share = home.short
    text, gone = "".join(tokens[1:]), range(1, len(home.tokens) - len(tokens) + 1)
    nothing = _(
        "It keeps nothing of that story. The text in front of it, and what it learnt in training, give “{now}”, {most} "
        "sure."
    )
    high = _("No: {kept} sure. To stay near {had} it would have to remember.")
    replies = guessed(nothing, _("A little more: {kept} sure."), high, _("Yes: {kept} sure."))
    return Scene(
        _(
            "It has just read the whole story. Now it gets the last sentence **alone**. How sure is it of “{old}” "
            "then? Drag."
        ),
        (strip(home.tokens, faint=gone, share=0.6), bars(bar(OLD, home.top[0][1], INK, "old"), share=0.4)),
        Drag(_("How sure it is of the old word, in per cent"), _("Read it"), 100 * share, replies),
        (
            strip(tokens, share=0.5),
            bars(bar(OLD, share, INK, "old"), *(bar(name, each, SOFT) for name, each in top), share=0.5),
        ),
        _("With the whole story it was {had} sure."),
        Behind("explorer", {"model": MODEL, "text": text}),
        home=True,
    )


def _explorer(m: Found, query: int | None = None, key: int | None = None) -> Behind:
    place = {"head": "{}.{}".format(*m.head), "query": str(query), "key": str(key)} if query is not None else {}
    return Behind("explorer", {"model": MODEL, "text": m.text, **place})


def end(m: Found, home: Found) -> list[End]:
    """What can be explained now."""
    best, share = m.top[0]
    written = ((word(piece), top[0][1]) for piece, top in m.written[:3])
    shares = bars(bar(best, share), bar(_("others"), 1 - share, SOFT))
    writes = bars(*(bar(name, each, INK, f"{n}") for n, (name, each) in enumerate(written)))
    alone = _(
        "It looks back, never ahead, and keeps nothing that it read before: with “{thing}” it guesses “{swapped}”. "
        "Looking is not yet doing: next lesson."
    )
    every = _("A model gives a share to every piece that it knows. “{best}” got {share}, all others together {others}.")
    return [
        End(every, (shares,)),
        End(_("It writes piece by piece: guess, add, read everything again."), (writes,)),
        End(alone, _bars(home.swapped[:2])),
    ]


LESSON = Lesson(
    "next",
    N_("What comes next?"),
    N_("A model guesses the next word, and writes by guessing again and again. Where does it look before it guesses?"),
    MODEL,
    STORY,
    measure,
    words,
    plot,
    end,
)
