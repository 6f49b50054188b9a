"""What the page Chat says about its pictures, each where it is true, and what their parts are in any state."""

from __future__ import annotations

from tlmviz.figures import number
from tlmviz.ui import fetching
from tlmviz.ui.hints import Hint, within
from tlmviz.ui.language import N_, _
from tlmviz.ui.markdown import plain

from .data import Data
from .state import ALL, LAST, REPLIES

NAMES = {
    "system": N_("the system prompt"),
    "user": N_("the user"),
    "assistant": N_("the assistant"),
    "template": N_("the template's marks"),
    "sink": N_("the first token"),
}
WHERE = {LAST: N_("from the last token"), REPLIES: N_("from the assistant's tokens"), ALL: N_("from all tokens")}
MUCH = 0.5  # of a head's attention


def reads_most(data: Data) -> str | None:
    """The head that reads the chosen party most."""
    if not (best := _best(data)):
        return None
    layer, head, share = best
    return _(
        "Of {count} heads L{layer}H{head} reads {party} most: {share} of its attention, {where}, goes there.",
        count=data.shares[data.chosen.role].size,
        layer=layer,
        head=head,
        party=_(NAMES[data.chosen.role]),
        share=share,
        where=_where(data),
    )


def nobody_there(data: Data) -> str | None:
    """The chosen party has no token in this conversation."""
    if _best(data):
        return None
    return _("There is nothing of {party} here that could be read.", party=_(NAMES[data.chosen.role]))


def most_goes(data: Data) -> str | None:
    """Whose words all heads together read most."""
    written = {party: number(mean, ".0%") for party, mean in data.means.items()}
    first, second = sorted(data.means, key=lambda party: -data.means[party])[:2]
    if written[first] == written[second]:
        return None
    return _(
        "**All heads together** give most to {party}, {share} of their attention {where}; then {other} to {next}.",
        party=_(NAMES[first]),
        share=written[first],
        where=_where(data),
        other=written[second],
        next=_(NAMES[second]),
    )


def many_rest(data: Data) -> str | None:
    """Most heads have more than half of their attention on the first token."""
    sink = data.shares["sink"]
    resting = int((sink > MUCH).sum())
    if resting <= sink.size / 2:
        return None
    return _(
        "**A head that finds nothing** to read rests on the first token: {some} of {count} heads give it more than "
        "half of their attention, {where}.",
        some=resting,
        count=sink.size,
        where=_where(data),
    )


def in_a_row(data: Data) -> str | None:
    """Two turns of one speaker follow each other."""
    speakers = [role for role, _content in data.chosen.turns if role != "system"]
    twice = {one for one, other in zip(speakers, speakers[1:]) if one == other}
    if not twice:
        return None
    return _(
        "**Two turns of {party}** follow each other: no chat model was trained on that.", party=_(NAMES[min(twice)])
    )


CLAIMS = reads_most, nobody_there, most_goes, many_rest, in_a_row
HINTS = (Hint(N_("Click a cell; then say something to the model."), within),)


def _best(data: Data) -> tuple[int, int, str] | None:
    shares = data.shares[data.chosen.role]
    layer, head = divmod(int(shares.argmax()), shares.shape[1])
    return (layer, head, number(float(shares.max()), ".0%")) if shares.max() > 0 else None


def _where(data: Data) -> str:
    """Where attention comes from; while the assistant has said nothing, the last token stands in for its tokens."""
    nothing = data.chosen.source == REPLIES and "assistant" not in data.conversation.roles
    return _(WHERE[LAST if nothing else data.chosen.source])


def one_head(data: Data) -> str:
    """The chosen head's shares."""
    layer, head = data.chosen.view.head
    shares = {role: share[layer, head] for role, share in data.shares.items()}
    parts = ", ".join(f"{role} {share:.1%}" for role, share in shares.items() if share >= 0.0005)
    return _("L{layer}H{head}, {where}: {parts}.", layer=layer, head=head, where=_where(data), parts=parts)


def warned(data: Data) -> list[str]:
    """Warnings of the conversation; for a model that cannot chat, the way to one that can."""
    untrained = _(
        ":orange[{model} was not trained to chat] and has no chat template, so the turns stand one after another; for "
        "a model that was, {way}.",
        model=plain(data.chosen.model),
        way=fetching.way_to("smollm2-135m"),
    )
    return [untrained if "no chat template" in each else f":orange[{each}]" for each in data.conversation.warnings]


NOTICE = (
    N_("The label *sink* of a head in the view is its mean over all tokens, whatever *from* says here."),
    N_("*template* is what nobody wrote: the marks between the turns."),
)
