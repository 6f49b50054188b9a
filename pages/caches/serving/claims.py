"""What the page Serving says about its picture, each where it is true, and what to notice in any."""

from __future__ import annotations

from tlmviz.ui import frame
from tlmviz.ui.hints import Hint, to, within
from tlmviz.ui.language import N_, _, ngettext

from .data import Data
from .state import CONTINUOUS, MOST_PAGES, STATIC


def faster(data: Data) -> str | None:
    """Continuous batching writes more tokens a step."""
    more, less = _rates(data)
    if len(data.requests) < 2 or more <= less:
        return None
    return _(
        "{requests} people share the model: it writes {more} tokens a step if they come and go, {less} if they wait "
        "for one another.",
        requests=len(data.requests),
        more=more,
        less=less,
    )


def as_fast(data: Data) -> str | None:
    """Both policies take the same steps."""
    one, other = data.totals[CONTINUOUS], data.totals[STATIC]
    if one.steps != other.steps:
        return None
    if len(data.requests) == 1:
        said = _("One request is served: batching has nothing to do; steps under both policies: {steps}.")
        return said.format(steps=one.steps)
    said = _("Continuous and static batching end {count} requests after the same number of steps, {steps}.")
    return said.format(count=len(data.requests), steps=one.steps)


def found(data: Data) -> str | None:
    """Shared pages save computing."""
    totals = data.totals[CONTINUOUS]
    if not totals.num_cached_tokens:
        return None
    return _(
        "**Shared pages** save work in continuous batching: {found} tokens of prompts are found in memory, {computed} "
        "are computed.",
        found=totals.num_cached_tokens,
        computed=totals.num_computed_tokens,
    )


def preempted(data: Data) -> str | None:
    """Memory runs out."""
    totals = data.totals[CONTINUOUS]
    if not totals.preemptions:
        return None
    return ngettext(
        "**Memory runs out** once in continuous batching: a request gives its pages back, and {again} tokens are "
        "computed again.",
        "**Memory runs out** {n} times in continuous batching: requests give their pages back, and {again} tokens "
        "are computed again.",
        totals.preemptions,
        again=totals.num_recomputed_tokens,
    )


def wasted(data: Data) -> str | None:
    """A static batch reserves slots that nobody fills."""
    most, least = (f"{data.totals[policy].waste:.0%}" for policy in (STATIC, CONTINUOUS))
    if most == least or data.totals[STATIC].waste < data.totals[CONTINUOUS].waste:
        return None
    return _(
        "Of the slots that it allocates, static batching leaves {most} empty, continuous {least}.",
        most=most,
        least=least,
    )


CLAIMS = faster, as_fast, found, preempted, wasted
HINTS = (
    Hint(
        N_("Press ▶; then make *Page size* 1."),
        to(page=1, pages=lambda data: min(data.chosen.page * data.chosen.pages, MOST_PAGES)),
    ),
    Hint(N_("Press ▶."), within),
)


def _rates(data: Data) -> tuple[float, float]:
    """Tokens a step of both policies, as they are written: a claim compares what the reader sees."""
    return tuple(round(data.totals[policy].tokens_per_step, 1) for policy in (CONTINUOUS, STATIC))


def left_out(data: Data) -> list[str]:
    """What is not served as it was asked for, a sentence each."""
    said, context = [], data.lm.config.context
    if data.given > 8:
        text = _("{given:,} requests are given, and the picture has colours for {most}: the first {most} are served.")
        said.append(text.format(given=data.given, most=8))
    for letter, why in data.refused:
        said.append(_("**Request {letter}** is left out. {why}", letter=letter, why=frame.worded(why)))
    for letter, length, asked in data.short:
        text = _(
            "**Request {letter}** has {length:,} tokens and is to write {asked:,}, and {model} reads {context:,}: it "
            "writes at most {room:,}. Shorten its prompt for more."
        )
        said.append(
            text.format(
                letter=letter, length=length, asked=asked, model=data.lm.name, context=context, room=context - length
            )
        )
    return said


NOTICE = (
    N_(
        "**Continuous** batching gives a free row to the next request at once. In **static** batching new requests "
        "wait until the longest answer is written."
    ),
    N_(
        "Pages waste at most the empty end of each request's last page; a static row reserves the longest prompt "
        "and the longest answer from the start."
    ),
    N_(
        "Where **beginnings are shared**, they lie on the same pages (stripes). The first request to write to a "
        "part-full one gets its own copy."
    ),
    N_("**Preemption**: when no page is free, the latest arrival gives its pages back and is computed again later."),
)
