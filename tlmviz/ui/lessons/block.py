"""Lesson 5, "Many heads, one block": a guess read off at every height, what heads and feed-forward parts do, and their
sum."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import torch

from tlmviz.analysis.attention.heads import logit_lens
from tlmviz.facades.language_model import LanguageModel
from tlmviz.figures.written import number, percent
from tlmviz.tracing.trace import Trace

from ..language import N_, _
from .measures import heads_of, little, named, row, without, word, writes
from .parts import Behind, Choose, Drag, End, Lesson, Part, Picture, Press, Reply, Scene, Unfit, choose, guessed
from .pictures import DOES, INK, LOOK, NOTE, SOFT, bar, bars, floor, line, numbers, ring, rings, strip, tower

MODEL = "stories-rope"
STORY = "Once upon a time, Anna had a little ball. Ben came to play. Ben wanted the little"
SHOWN = 24  # numbers of the stream that are drawn
Guess = tuple[str, float | None]
UNKNOWN: Guess = ("?", None)
Whys = Mapping[str, tuple[str, str]]  # answer -> verdict and reason


@dataclass(frozen=True)
class Found:
    """A text whose guess changes on its way up: the guess and the answer's place in the list, below block 1 and after
    each.

    Also, with all heads silenced: the guess, the answer's share, and the guess after block 1; the largest share and the
    answer's without feed-forward parts; of the last block, where its heads look, and the guess and the answer's share
    with each of them silenced; its head that writes most, what comes in, what that head, the others and the
    feed-forward part write, and what goes out; with each block left out the guess and the answer's share.
    """

    text: str
    tokens: list[str]
    known: int
    guesses: list[tuple[str, float]]
    places: list[int]
    deaf: tuple[str, float]
    silent: float
    first: tuple[str, float]
    carried: tuple[float, float]
    rows: list[list[float]]
    muted: list[tuple[str, float]]
    writer: int
    written: list[list[float]]
    passed: list[tuple[str, float, float]]  # of the lesson's story

    @property
    def rise(self) -> int:
        """The block after which the answer comes first."""
        return self.places.index(1)

    @property
    def needed(self) -> int:
        """The head of the last block without which least is left of the answer."""
        return min(range(len(self.muted)), key=lambda head: self.muted[head][1])

    @property
    def told(self) -> int:
        """The number where what comes in, what is written last and the sum lie apart, and the sum is right as it is
        written."""

        def clear(at: int) -> float:
            parts = [round(each[at], 2) for each in self.written]
            low, middle, high = sorted((parts[0], parts[3], parts[4]))
            return min(middle - low, high - middle) - 9 * (abs(sum(parts[:4]) - parts[4]) > 0.004)

        return max(range(len(self.written[0])), key=clear)


def measure(lm: LanguageModel, text: str) -> Found:
    """All of it, in nine passes; of the lesson's own story in fifteen. Raises Unfit."""
    trace, layers = lm.trace(text), lm.config.n_layers
    deaf, feeds = without(lm, text, *heads_of(trace)), [f"blocks.{layer}.mlp.out" for layer in range(layers)]
    shares, silent = ([every[-1].softmax(-1) for every in logit_lens(lm, each)] for each in (trace, deaf))
    answer, carried = int(shares[-1].argmax()), _left_out(lm, text, *feeds).probabilities()
    heads, muted = [(layers - 1, head) for head in range(trace.n_heads)], []
    for head in heads:
        left = without(lm, text, head).probabilities()
        muted.append((named(lm, left, 1)[0][0], float(left[answer])))
    passed = []
    for layer in range(layers) if text == STORY else ():
        left = _left_out(lm, text, feeds[layer], f"blocks.{layer}.attn.out").probabilities()
        whole = lm.tokenizer.name(int(left.argmax())).startswith(" ")
        guess, share = named(lm, left, 1)[0]
        passed.append((guess if whole else f"…{guess}", share, float(left[answer])))
    m = Found(
        text,
        trace.tokens,
        len(carried),
        [named(lm, each, 1)[0] for each in shares],
        [int((each > each[answer]).sum()) + 1 for each in shares],
        named(lm, silent[-1], 1)[0],
        float(silent[-1][answer]),
        named(lm, silent[1], 1)[0],
        (float(carried.max()), float(carried[answer])),
        [row(trace, head) for head in heads],
        muted,
        *_written(lm, trace),
        passed,
    )
    (below, _), (after, _), *_between, (best, sure) = m.guesses
    readable = all(each.isalpha() for each in (after, best, m.deaf[0])) and below == word(m.tokens[-1])
    if not readable or len({below.lower(), after.lower(), best.lower()}) < 3:
        raise Unfit(N_("In your sentence the guess after block 1 is that at the end, or cannot be read."))
    if after != m.first[0] or m.deaf[0] in (best, below) or m.carried[1] > 0.1:
        raise Unfit(N_("In your sentence the model hardly needs what other words say."))
    if m.muted[m.needed][1] > sure / 2:
        raise Unfit(N_("In your sentence no single head of the last block is needed."))
    return m


def _most(weights: list[float]) -> int:
    return max(range(len(weights)), key=weights.__getitem__)


def _left_out(lm: LanguageModel, text: str, *names: str) -> Trace:
    """A pass in which parts write nothing."""
    return lm.trace(text, edit={name: lambda value, record: torch.zeros_like(value) for name in names})


def _written(lm: LanguageModel, trace: Trace) -> tuple[int, list[list[float]]]:
    """Of the last block the head that writes most; and what comes in, what its parts write, that head apart, and what
    goes out."""
    top, names = trace.n_layers - 1, ("resid_pre", "attn.out", "mlp.out", "resid_post")
    come, heads, feed, out = (trace[f"blocks.{top}.{name}"][0, -1] for name in names)
    rows = [writes(lm, trace, (top, head)) for head in range(trace.n_heads)]
    writer = max(range(len(rows)), key=lambda head: float(rows[head].norm()))
    one = rows[writer]
    return writer, [each[:SHOWN].tolist() for each in (come, one, heads - one, feed, out)]


def words(m: Found, home: Found) -> dict[str, str]:
    """What stands for the names in the sentences."""
    (last, same), (after, share), *_between, (best, sure) = m.guesses
    return {
        "last": last,
        "same": _("almost 100%") if same >= 0.995 else percent(same),
        "after": after,
        "share": percent(share),
        "still": percent(m.first[1]),
        "best": best,
        "blocks": f"{len(m.guesses) - 1}",
        "rise": f"{m.rise}",
        "known": f"{m.known:,}",
        "low": str(max(m.places[: m.rise])),
        "near": str(m.places[m.rise - 1]),
        "deaf": m.deaf[0],
        "alone": percent(m.deaf[1]),
        "most": percent(m.carried[0]),
        "left": little(m.carried[1]),
        "sure": percent(sure),
        "heads": f"{len(m.rows)}",
        "count": f"{SHOWN}",
    }


def plot(m: Found, home: Found) -> list[Scene]:
    """The scenes on a text; the last is on the lesson's own story."""
    own = [scene(m) for scene in (_none, _first, _rise, _deaf, _carried, _looks, _sum)]
    return [*own, _pass(home)]


def _tower(
    m: Found,
    guesses: Mapping[int, Guess],
    *,
    off: Iterable[int] = (),
    idle: Iterable[int] = (),
    parts: Mapping[str, bool] | None = None,
    placed: bool = False,
    press: Iterable[int] = (),
) -> Part:
    """The last word below the blocks, what these are made of, or which place the answer has after each, and what is
    guessed at some heights."""
    floors = []
    for n, (last, _share) in enumerate(m.guesses):
        label, (says, told) = _("block {n}", n=n) if n else f"“{last}”", guesses.get(n, (None, None))
        tone = LOOK if says == m.guesses[-1][0] else SOFT if says == "?" else INK
        made = parts or {} if n else {}
        if placed and n:
            made = {_("“{word}”: place {place}", word=m.guesses[-1][0], place=str(m.places[n])): True}
        floors.append(floor(label, made, says=says, share=told, tone=tone, off=n in off, idle=n in idle, name=f"{n}"))
    return tower(*floors, stream=_("last word’s stream"), press=map(str, press), verb=_("Leave out"))


def _story(m: Found, guess: str, *tower: Part) -> Picture:
    """The story with a guess at its end, "" for none, above a tower of its last word."""
    return strip(m.tokens, blank=guess, told=guess != "?", under=len(m.tokens) - 1, share=0.36), *tower


def _parts(m: Found, heads: bool = True, feed: bool = True) -> dict[str, bool]:
    """What a block is made of, and which of it works."""
    return {_("{n} heads", n=len(m.rows)): heads, _("feed-forward"): feed}


def _offer(right: str, whys: Whys) -> Choose:
    return choose(f"“{right}”", *((f"“{name}”", *whys[name]) for name in sorted(whys)))


def _none(m: Found) -> Scene:
    every, (best, sure), last = range(1, len(m.guesses)), m.guesses[-1], m.guesses[0][0]
    why = _(
        "It says “{last}”, {same} sure: the last word itself. What goes in comes out again, as nothing has worked on "
        "the stream."
    )
    whys = {
        best: (_("No: then the blocks would do nothing."), why),
        m.deaf[0]: (_("No: then something would have worked on it."), why),
        last: (_("Yes, “{last}”."), why),
    }
    return Scene(
        _(
            "A **stream** of numbers runs through {blocks} **blocks** to the guess, “{best}”. "
            "Take all {blocks} away: what does the model guess?"
        ),
        _story(m, best, _tower(m, {len(every): (best, sure)})),
        _offer(last, whys),
        _story(m, last, _tower(m, {0: m.guesses[0]}, off=every)),
        _("Every word has a stream of its own, through the same blocks. Only the last word’s is drawn."),
        _block(m),
        asks=True,
    )


def _first(m: Found) -> Scene:
    (last, same), (after, share), *_between, (best, _sure) = m.guesses
    idle = range(2, len(m.guesses))
    why = _(
        "It says “{after}”, {share} sure. Already one block has made a first guess of what follows out of the word "
        "itself."
    )
    whys = {
        best: (_("No: not yet."), why),
        last: (_("No: then block 1 would do nothing."), why),
        after: (_("Yes, “{after}”."), why),
    }
    return Scene(
        _("Now block 1 works, and no other. “{last}” goes in. What does the model guess?"),
        _story(m, "?", _tower(m, {0: (last, same), 1: UNKNOWN}, idle=idle)),
        _offer(after, whys),
        _story(m, after, _tower(m, {0: (last, same), 1: (after, share)}, idle=idle)),
        behind=_block(m),
    )


def _rise(m: Found) -> Scene:
    top, replies = len(m.guesses) - 1, []
    why = _(
        "Below, “{best}” has place {low} of {known} at worst, and place {near} just before. Block {rise} makes it the "
        "top guess."
    )
    early, late = _("No: there it is “{says}”, and “{best}” has place {place}."), _("No, sooner.")
    offered = sorted(range(m.rise % 2 or 2, top + 1, 2), key=lambda n: abs(n - m.rise))[:3]
    for n in sorted(offered):
        verdict = _("Yes, block {it}.") if n == m.rise else early if n < m.rise else late
        told = {"it": f"{n}", "says": m.guesses[n][0], "place": str(m.places[n])}
        replies.append(Reply(verdict, why, n == m.rise, words=told, label=_("block {it}")))
    return Scene(
        _(
            "One block after another works; the guess is read off the stream after each. After which block does "
            "“{best}” become the **top guess**?"
        ),
        _story(m, m.guesses[top][0], _tower(m, {n: m.guesses[n] for n in (0, 1, top)})),
        Choose(replies),
        _story(m, m.guesses[top][0], _tower(m, dict(enumerate(m.guesses)), placed=True)),
        _("To read a guess off on the way up is called the logit lens."),
        _block(m),
    )


def _deaf(m: Found) -> Scene:
    top, last = len(m.guesses) - 1, m.guesses[0][0]
    why = _(
        "It says “{deaf}”, {alone} sure: feed-forward parts make that of “{last}” alone. After block 1 it was "
        "“{after}” without heads, too, {still} sure."
    )
    whys = {
        m.guesses[top][0]: (_("No: then it would know the story."), why),
        last: (_("No: then nothing would work on it."), why),
        m.deaf[0]: (_("Yes, “{deaf}”."), why),
    }
    mute = ",".join(f"{layer}.{head}" for layer in range(top) for head in range(len(m.rows)))
    return Scene(
        _(
            "A block has {heads} heads and a **feed-forward part**. Now all heads are silenced. What does the model "
            "guess?"
        ),
        _story(m, "?", _tower(m, {top: UNKNOWN}, parts=_parts(m, heads=False))),
        _offer(m.deaf[0], whys),
        _story(m, m.deaf[0], _tower(m, {top: m.deaf}, parts=_parts(m, heads=False))),
        _("A head brings something from other words; a feed-forward part sees one word’s stream only."),
        Behind("explorer", {"model": MODEL, "text": m.text, "panel": "Mute heads", "mute": mute}),
    )


def _carried(m: Found) -> Scene:
    (best, sure), right = m.guesses[-1], 100 * m.carried[1]
    what = _(
        "“{best}” gets {left}, no guess is above {most}. Heads carry between words; feed-forward parts work on one "
        "word’s stream alone, and make a guess of it."
    )
    replies = guessed(what, _("Hardly more is left."), _("Far less is left."), _("Yes, hardly anything is left."))

    def shown(feed: bool, share: float) -> Picture:
        tower = _tower(m, {}, parts=_parts(m, feed=feed))
        return _story(m, best if feed else "", tower, bars(bar(best, share, LOOK, "answer"), share=0.35))

    return Scene(
        _(
            "The other way round: all heads work, all feed-forward parts are silenced. How sure of “{best}” will the "
            "model be? Drag."
        ),
        shown(True, sure),
        Drag(_("How sure the model will be, in per cent"), _("Silence them"), right, replies),
        shown(False, m.carried[1]),
        behind=_block(m, step="down"),
    )


def _heads(m: Found, silent: int | None = None, press: bool = True) -> Picture:
    """Where the heads of the last block look most, one of them silent, and what is guessed."""
    those = []
    for head, weights in enumerate(m.rows):
        aim = _most(weights)
        name = f"“{word(m.tokens[aim])}”" if aim else _("(start)")
        says, off = f"{name} {percent(weights[aim])}", head == silent
        those.append(ring(f"{head + 1}", weights[aim], says, NOTE if off and not press else DOES, off))
    (best, _sure), (guess, share) = m.guesses[-1], m.guesses[-1] if silent is None else m.muted[silent]
    drawn = rings(*those, press=press, verb=_("Silence"), share=0.46)
    text = strip(m.tokens, blank=guess, told=True, under=len(m.tokens) - 1, share=0.34)
    return text, drawn, bars(bar(f"“{best}”", share, LOOK), share=0.2)


def _looks(m: Found) -> Scene:
    aims, answer, replies = [word(m.tokens[_most(each)]) for each in m.rows], m.guesses[-1][0], {}
    alike = [f"{head + 1}" for head, aim in enumerate(aims) if aim == answer and head != m.needed]
    lost = _("Without it “{best}” falls from {sure} to {its}; without any other it keeps {least} or more.")
    if len(alike) > 1:
        lost += _(" Heads {alike} look most at “{best}”, too: a look does not tell all.")
    kept = _("Without it “{best}” gets {its}. Another head costs more: press on.")
    least = percent(min(share for head, (_guess, share) in enumerate(m.muted) if head != m.needed))
    for head, (_guess, share) in enumerate(m.muted):
        found, told = head == m.needed, {"it": f"{head + 1}", "its": little(share), "least": least}
        verdict = _("It is head {it}.") if found else _("Not head {it}.")
        shows = _heads(m, head, not found)
        replies[told["it"]] = Reply(verdict, lost if found else kept, found, shows, told | {"alike": ", ".join(alike)})
    place = {"head": f"{len(m.guesses) - 2}.{m.needed}", "query": f"{len(m.tokens) - 1}"}
    return Scene(
        _("Of the {heads} heads of block {blocks}, “{best}” needs one most. Silence one at a time until you find it."),
        _heads(m),
        Press(replies),
        hint=_("Below each head: where it looks most from “{last}”, and how much of its look that gets."),
        behind=Behind("explorer", {"model": MODEL, "text": m.text, **place}),
    )


def _sum(m: Found) -> Scene:
    at, top = m.told, max(abs(value) for each in m.written for value in each)
    says = [number(round(each[at], 2) + 0.0, "+.2f") for each in m.written]
    come, _one, _more, feed, out = says
    labels = _("stream in"), _("head {n}", n=m.writer + 1), _("other heads"), _("feed-forward"), _("stream out")
    tones = INK, DOES, DOES, NOTE, LOOK
    rows = [line(one, one, each, says[n], tones[n], top) for n, (one, each) in enumerate(zip(labels, m.written))]
    unknown = line(labels[-1], labels[-1], [None] * SHOWN, "?", LOOK, top)
    why = _("Every part **adds** its row to the stream, and what came in goes on: {sum} = {out}.")
    whys = {
        come: (_("No: then the block would change nothing."), why),
        feed: (_("No: then the last part would wipe out the rest."), why),
        out: (_("Yes, the sum."), why),
    }
    order = sorted(whys, key=lambda each: float(each.replace("−", "-")))
    return Scene(
        _(
            "The **stream** is a row of numbers. The parts of block {blocks} write rows, too. What goes out at the "
            "mark?"
        ),
        (numbers(*rows[:-1], unknown, at=at),),
        Choose([Reply(*whys[each], each == out, label=each) for each in order]),
        (numbers(*rows, at=at),),
        _(
            "Drawn: its first {count} numbers; written at the right: the one at the mark. It is called the **residual "
            "stream**."
        ),
        _block(m, step="add 2"),
        words={"sum": " ".join(says[:-1]), "out": out},
    )


def _pass(home: Found) -> Scene:
    rest = [share for *_guess, share in home.passed[:-1]]
    top, needed, replies = len(rest) + 1, rest.index(min(rest)), {}
    lost = _("“{best}” gets {its}. Without block {it} what the others read is wrong.")
    if home.passed[needed][0].startswith("…"):
        lost += _(" “{guess}” is a piece of a word.")
    passes = _("“{best}” still gets {its}. The stream passes by, the other blocks add to it. Press another.")
    for n, share in enumerate(rest):
        found, told = n == needed, {"it": f"{n + 1}", "its": little(share), "guess": home.passed[n][0]}
        shown = _tower(home, {top: home.passed[n][:2]}, off=[n + 1], press=() if found else range(1, top))
        verdict, why = (_("It is block {it}."), lost) if found else (_("Not block {it}."), passes)
        shows = (shown, _left(home, range(top))) if found else _story(home, home.passed[n][0], shown)
        replies[told["it"]] = Reply(verdict, why, found, shows, told)
    return Scene(
        _(
            "Parts only add to the stream, so blocks can be left out. Without block {blocks} “{best}” is lost. "
            "Press the **other** block that “{best}” needs."
        ),
        _story(home, home.guesses[-1][0], _tower(home, {top: home.guesses[-1]}, press=range(1, top))),
        Press(replies),
        hint=_("Each press leaves one block out; the one before comes back."),
        behind=_block(home),
        home=True,
    )


def _left(home: Found, blocks: Iterable[int]) -> Part:
    """How sure of the answer the model is, and still is without each of some blocks."""
    sure = home.guesses[-1][1]
    rows = (bar(_("no block {n}", n=n + 1), home.passed[n][2], SOFT) for n in blocks)
    return bars(bar(_("all {n}", n=len(home.passed)), sure, LOOK), *rows)


def _block(m: Found, **more: str) -> Behind:
    """The page that takes the last block apart, and reads the guess off at every height."""
    place = {"head": f"{len(m.guesses) - 2}.0", "query": f"{len(m.tokens) - 1}"}
    return Behind("inside_block", {"model": MODEL, "text": m.text, **place, **more})


def end(m: Found, home: Found) -> list[End]:
    """What can be explained now."""
    rest = [share for *_guess, share in home.passed[:-1]]
    high, low = rest.index(max(rest)), rest.index(min(rest))
    heights = [(_("no block"), 0), (_("block 1"), 1), (_("all blocks"), len(m.guesses) - 1)]
    read = (bar(label, m.guesses[n][1], LOOK if n > 1 else SOFT, says=m.guesses[n][0]) for label, n in heights)
    needed = (_("all"), m.guesses[-1][1]), (_("no heads"), m.silent), (_("heads only"), m.carried[1])
    parts = (bar(label, share, LOOK if n == 0 else SOFT) for n, (label, share) in enumerate(needed))
    told = {"best": home.guesses[-1][0], "most": f"{high + 1}", "least": f"{low + 1}"}
    shares = {"high": percent(rest[high]), "low": little(rest[low])}
    passing = _(
        "Parts only add to the stream, so most blocks can be left out: “{best}” gets {high} without block {most}, but "
        "{low} without {least}."
    )
    return [
        End(
            _(
                "A guess is read off the stream at any height: “{last}” with no block, “{after}” after block 1, "
                "“{best}” at the top."
            ),
            (bars(*read),),
        ),
        End(
            _("Heads bring something from other words, feed-forward parts make something of it: “{best}” needs both."),
            (bars(*parts),),
        ),
        End(passing.format(**told, **shares), (_left(home, (high, low)),)),
    ]


LESSON = Lesson(
    "block",
    N_("Many heads, one block"),
    N_(
        "A guess is read off at every height of the model. What do heads do, what do feed-forward parts, and how do "
        "they join?"
    ),
    MODEL,
    STORY,
    measure,
    words,
    plot,
    end,
)
