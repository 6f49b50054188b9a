"""What the part GloVe says about its picture, each where it is true, and what its parts are in any state."""

from __future__ import annotations

from functools import reduce

import numpy as np

from tlmviz.figures import escaped, number
from tlmviz.ui import frame, markdown
from tlmviz.ui.hints import OWN_TEXT, Hint, to
from tlmviz.ui.language import N_, _, listed, ngettext

from .data import Data
from .state import OWN

ENOUGH = 10  # meetings from which a ratio is more than chance


def same_word(data: Data) -> str | None:
    """Both words are one."""
    if data.first != data.second:
        return None
    return _("Both words are “{word}”, so every ratio is 1; give two different words.", word=markdown.plain(data.first))


def tells_apart(data: Data) -> str | None:
    """The probe that tells the words apart best, among those that met both of them often, and what the vectors make of
    it."""
    ratios, counts = data.ratios.ratios, data.ratios.counts
    known = (counts.min(0) >= ENOUGH) & (data.first != data.second)
    if not known.any():
        return None
    best = int(np.where(known, np.abs(np.log(np.where(known, ratios, 1.0))), -1).argmax())
    one, other = (data.first, data.second) if ratios[best] > 1 else (data.second, data.first)
    times = number(float(max(ratios[best], 1 / ratios[best])), ".1f")
    if float(times) < 1.5:
        return None
    said = _(
        "“{probe}” stands {times} times as often near “{one}” as near “{other}”, for equally many words around each.",
        probe=markdown.plain(data.probes[best]),
        times=times,
        one=markdown.plain(one),
        other=markdown.plain(other),
    )
    if data.fitted is None:
        return said
    fitted = float(data.fitted[best] if ratios[best] > 1 else 1 / data.fitted[best])
    made = _("Vectors fitted to all counts at once make that {times} times.", times=number(fitted, ".1f"))
    return said + " " + made


def near_one(data: Data) -> str | None:
    """On one's own text, which probes stand near one of the words alone."""
    if data.own is None or data.first == data.second:
        return None
    met = data.ratios.counts > 0
    parts = []
    for row, word, other in ((0, data.first, data.second), (1, data.second, data.first)):
        alone = [probe for probe, (own, others) in zip(data.probes, met[[row, 1 - row]].T) if own and not others]
        if alone:
            said = ngettext(
                "{probes} stands near “{word}” and never near “{other}”",
                "{probes} stand near “{word}” and never near “{other}”",
                len(alone),
                probes=listed([*map(markdown.quoted, alone)]),
                word=markdown.plain(word),
                other=markdown.plain(other),
            )
            parts.append(said)
    if not parts:
        return None
    return _("In your text {parts}.", parts=parts[0] + "; " + parts[1] if len(parts) > 1 else parts[0])


def sides(data: Data) -> str | None:
    """On how many probes the vectors agree with the counts; those that met one word alone are counted too."""
    if data.fitted is None or data.first == data.second:
        return None
    counted = data.ratios.ratios[~np.isnan(data.ratios.ratios)]
    if not len(counted):
        return None
    agree = int(((data.fitted > 1) == (data.ratios.ratios > 1))[~np.isnan(data.ratios.ratios)].sum())
    return ngettext(
        "The vectors put {agree} of {n} probe on the counted side of 1.",
        "The vectors put {agree} of {n} probes on the counted side of 1.",
        len(counted),
        agree=agree,
    )


def chance(data: Data) -> str | None:
    """Some ratios rest on few meetings."""
    words = [markdown.quoted(probe) for probe, most in zip(data.probes, data.ratios.counts.max(0)) if most < ENOUGH]
    if not words:
        return None
    return _("Small counts are chance: {words} met neither word {enough} times.", words=listed(words), enough=ENOUGH)


def left_out(data: Data) -> str | None:
    """What was given and is not shown: probes without counts, probes beyond the most, and words of a long text."""
    read, shown, said = data.read, len(data.probes), []
    words = listed([markdown.quoted(word[:30]) for word in read.unknown[:12]]) if read.unknown else ""
    if words and data.own is None:
        said.append(_("Not among the most frequent words that counts come with, so left out: {words}.", words=words))
    elif words:
        said.append(_("Not among your text, so left out: {words}.", words=words))
    if len(read.probes) > shown:
        said.append(_("{count} probes were given; the first {n} are shown.", count=len(read.probes), n=shown))
    if data.own is not None and data.count > len(data.own):
        said.append(_("This text has {count:,} words; the first {n:,} are counted.", count=data.count, n=len(data.own)))
    return reduce(lambda before, more: before + " " + more, said) if said else None


CLAIMS = same_word, tells_apart, near_one, sides, chance, left_out
HINTS = Hint(N_("Choose *My text*."), to(source=OWN)), OWN_TEXT


def refused(data: Data) -> str:
    """Why words were not read, and what is shown in their place."""
    said = [
        _(
            "{error} The picture shows {words}.",
            error=frame.worded(error),
            words=listed([f"“{word}”" for word in words]),
        )
        for error, words in data.read.refused
    ]
    return markdown.plain(" ".join(said))


def title(data: Data) -> str:
    """What the bars say."""
    return _(
        "“{one}” against “{other}” (ratio of shares)", one=escaped(data.first[:16]), other=escaped(data.second[:16])
    )


def fit(data: Data) -> str:
    """The error of the fit."""
    return _(
        "Root of the mean squared error in log X: {weighed} weighed by f, as trained, and {plain} with every count "
        "alike; an error of 0.69 is a factor of 2. Measured on the counts of the {size} most frequent words that the "
        "model learned from, each pair from both sides. X is symmetric; the fit need not be.",
        weighed=number(data.fit.error(), ".2f"),
        plain=number(data.fit.error(weighted=False), ".2f"),
        size=f"{data.size:,}",
    )


NOTICE = (
    N_(
        "**A ratio far above 1** says the probe belongs to the first word, far below 1 to the second; near 1 it "
        "belongs to both or to neither, and tells nothing. Ratios are what GloVe was thought up for; what it is "
        "fitted to is the logarithm of every count."
    ),
    N_("A count of 0.2 is one meeting five words apart; the weight f makes the fit care little about such counts."),
)


MATHS = (
    N_(
        "$P(k\\mid i)=X_{ik}/X_i$. A model that fits $\\log X_{ik}$ has the ratio as a difference of vectors, "
        "$(w_i-w_j)^\\top\\tilde w_k+b_i-b_j$: the probe's own bias falls out."
    ),
)
