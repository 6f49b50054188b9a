"""What the page Experts says about its pictures, each where it is true, and what their parts are in any state."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from tlmviz.analysis.experts.training import LOOKED_AT
from tlmviz.figures import number, percent
from tlmviz.figures.written import large
from tlmviz.ui import markdown
from tlmviz.ui.claims import Claim
from tlmviz.ui.hints import OWN_TEXT, Hint, to, where, within
from tlmviz.ui.language import N_, Said, _, listed, ngettext

from .data import Data, worst
from .state import CAPACITY, COST, KEPT, LOAD, MIXED, MUTING, REMOVED, ROUTING, TRAINING, Change

CHANCE = 0.01  # bits per byte by which seeds of one recipe differ


def by_itself(data: Data) -> str | None:
    """One expert reads a token each time it comes, and little else; one surprise is enough."""
    if data.specialist is None or data.taste is not None:
        return None
    layer, expert, token, times = data.specialist
    return _(
        "Nobody told it to, and yet expert {expert} of layer {layer} reads {token} each of the {times} times it stands "
        "in this text, and of all tokens only {share}.",
        expert=expert,
        layer=layer,
        token=markdown.quoted(token),
        times=times,
        share=percent(data.loads[data.layers.index(layer), expert]),
    )


def has_a_taste(data: Data) -> str | None:
    """The expert whose held-out words this text shows."""
    if (found := data.taste) is None:
        return None
    words = [
        _("{share} of {token}", share=percent(each.share), token=markdown.quoted(each.token)) for each in found.words
    ]
    return _(
        "Nobody told it what to read, and yet expert {expert} of layer {layer} (blue frame) has words of its own: of "
        "{tokens:,} tokens of held-out stories it reads {load}, but {words}, and each of them here.",
        expert=found.expert,
        layer=found.layer,
        tokens=data.survey.tokens,
        load=percent(found.load),
        words=_all(words),
    )


def _all(parts: Sequence[Said]) -> Said:
    """Parts of a sentence as one says them, with their values."""
    *some, last = parts
    if not some:
        return last
    first = some[0]
    for each in some[1:]:
        first = first + ", " + each
    return _("{some} and {last}", some=first, last=last)


def few_read(data: Data) -> str | None:
    """A token reaches a few of the experts."""
    part = data.experts
    if part.chosen >= part.count:
        return None
    place = data.layers.index(data.layer)
    said = _(
        "The router of layer {layer} sends {token} to {chosen} of {count} experts, {names}; the others never see it."
    )
    return said.format(
        layer=data.layer,
        token=markdown.quoted(data.tokens[data.token]),
        chosen=part.chosen,
        count=part.count,
        names=listed([str(each) for each in sorted(data.arrays["chosen"][place, data.token].tolist())]),
    )


def bias_decides(data: Data) -> str | None:
    """How often the bias changes the choice, and by how much it would change the weights."""
    found = data.arrays_of(Change())
    if not np.any(found["bias"]) or not data.turned.any():
        return None
    off = float(np.abs(found["mixed"] - found["weights"]).max())
    return _(
        "The bias changes {turned} of {all:,} choices on this text ({share}, orange frames: filled where the bias "
        "brought the expert in, empty where it put one out). It chooses only: if it entered the weights too, they "
        "would move by up to {off}.",
        turned=int(data.turned.sum()),
        all=data.turned.size,
        share=percent(data.turned.mean()),
        off=number(off, ".3f"),
    )


def bias_changes_nothing(data: Data) -> str | None:
    """There is a bias, and every choice is what the scores alone would make."""
    if not data.experts.bias or data.turned.any():
        return None
    return _("The bias changes no choice on this text: the scores alone would send every token to the same experts.")


def no_bias(data: Data) -> str | None:
    """The router has none."""
    if data.experts.bias:
        return None
    return _("This router has no bias: the choice and the weights are made of the same scores.")


def shared(data: Data) -> str | None:
    """Experts that are not in the picture."""
    if not data.experts.shared:
        return None
    return ngettext(
        "{n} more expert is shared: it reads every token and is not drawn.",
        "{n} more experts are shared: they read every token and are not drawn.",
        data.experts.shared,
    )


def answers_to(data: Data) -> str | None:
    """The token that tells most of an expert of the layer, over held-out stories."""
    found = data.survey
    if found is None or data.layer not in found.layers:
        return None
    experts = found.experts[found.layers.index(data.layer)]
    telling = [
        (each.count * np.log(each.share / one.load), -place, each)
        for place, one in enumerate(experts)
        for each in one.answers
        if one.load and percent(each.share) != percent(one.load)
    ]
    if not telling:
        return None
    _most, place, answer = max(telling, key=lambda each: each[:2])
    return _(
        "Nothing told it to: expert {expert} of layer {layer} reads {share} of all {token} in {tokens:,} tokens of "
        "held-out stories, and {load} of all tokens.",
        expert=-place,
        layer=data.layer,
        share=percent(answer.share),
        token=markdown.quoted(answer.token),
        tokens=found.tokens,
        load=percent(experts[-place].load),
    )


def busiest(data: Data) -> str | None:
    """The expert that reads most of the text."""
    if percent(data.loads.max()) == percent(data.loads.min()):
        return None
    place, expert = np.unravel_index(int(data.loads.argmax()), data.loads.shape)
    return _(
        "On your text expert {expert} of layer {layer} reads most, {most} of the tokens, where an even share is "
        "{even}.",
        expert=expert,
        layer=data.layers[int(place)],
        most=percent(data.loads.max()),
        even=percent(data.even),
    )


def even_over_many(data: Data) -> str | None:
    """The balance over held-out stories, against that on the text."""
    if data.survey is None:
        return None
    shares = [expert.load / data.even for layer in data.survey.experts for expert in layer]
    here, there = (number(float(most), ".2f") for most in (data.loads.max() / data.even, max(shares)))
    if float(here) <= float(there):
        return None
    return _(
        "Balance holds over many texts, not in each: the busiest expert has {here} times the even share on your text, "
        "and {there} times over {tokens:,} held-out tokens (the least busy there {least} times).",
        here=here,
        there=there,
        tokens=data.survey.tokens,
        least=number(min(shares), ".2f"),
    )


def one_token(data: Data) -> str | None:
    """A text without a loss."""
    if len(data.tokens) > 1:
        return None
    return _("One token predicts nothing that follows, so there is no loss to compare; type one more.")


def as_trained(data: Data) -> str | None:
    """What the text costs, while nothing is changed."""
    if len(data.tokens) < 2 or not data.change.nothing:
        return None
    said = _("As trained, this text costs **{loss:.4f}** nats per token. Mute an expert to see who needs it.")
    return said.format(loss=data.loss().mean())


def costs_or_helps(data: Data) -> str | None:
    """What the change does to the loss."""
    if len(data.tokens) < 2 or data.change.nothing:
        return None
    before, after, change = data.loss(Change()), data.loss(), data.change
    parts = [_("without {experts}", experts=_named(change.muted))] if change.muted else []
    parts += [_("with {experts} forced", experts=_named(change.forced))] if change.forced else []
    parts += {KEPT: [], REMOVED: [_("without the bias")], MIXED: [_("with the bias in the mix")]}[change.bias]
    off = after - before
    worst_at = int(off.argmax())
    said = _(
        "Loss **{before:.4f}** nats as trained, **{after:.4f}** {changed}: **{off}**, most at token {at} {token} "
        "({most})."
    )
    return said.format(
        before=before.mean(),
        after=after.mean(),
        changed=_all(parts),
        off=number(float(off.mean()), "+.4f"),
        at=worst_at + 1,
        token=markdown.quoted(data.tokens[worst_at + 1]),
        most=number(float(off[worst_at]), "+.2f"),
    )


def _named(experts: tuple[tuple[int, int], ...]) -> str:
    """Experts in words, the first few."""
    named = [_("expert {expert} of layer {layer}", expert=expert, layer=layer) for layer, expert in experts[:3]]
    more = len(experts) - 3
    return ", ".join(named) if more < 1 else _("{some} and {more} more", some=", ".join(named), more=more)


def some_gain(data: Data) -> str | None:
    """Tokens that are expected better with the change."""
    if len(data.tokens) < 2 or data.change.nothing:
        return None
    gains = int((data.loss() < data.loss(Change())).sum())
    if not gains:
        return None
    return ngettext(
        "{n} of {all} tokens is predicted better with the change.",
        "{n} of {all} tokens are predicted better with the change.",
        gains,
        all=len(data.tokens) - 1,
    )


def most_missed(data: Data) -> str | None:
    """The expert that costs most when it alone is muted, and those that nobody misses."""
    found = data.each_muted
    if found is None or number(float(found.max()), ".2f") == "0.00" or found.max() <= 0:
        return None
    place, expert = np.unravel_index(int(found.argmax()), found.shape)
    return ngettext(
        "This text misses expert {expert} of layer {layer} most: muted alone, it costs {most} nats per token. Without "
        "{n} of {all} the text costs no more than before.",
        "This text misses expert {expert} of layer {layer} most: muted alone, it costs {most} nats per token. Without "
        "any one of {n} of {all} the text costs no more than before.",
        int((found.round(4) <= 0).sum()),
        expert=expert,
        layer=data.layers[int(place)],
        most=number(float(found.max()), "+.2f"),
        all=found.size,
    )


def dropped(data: Data) -> str | None:
    """How many choices find their expert full."""
    count = int(data.dropped.sum())
    said = _(
        "Room for **{room}** of {tokens:,} tokens in each expert: **{count}** of {all:,} choices are dropped ({share})."
    )
    return (
        said.format(
            room=data.room,
            tokens=len(data.tokens),
            count=count,
            all=data.choices,
            share=number(count / data.choices, ".1%"),
        )
        if count
        else None
    )


def room_for_all(data: Data) -> str | None:
    """Nothing is dropped."""
    if data.dropped.any():
        return None
    values = {"room": data.room, "tokens": len(data.tokens), "all": data.choices}
    if len(data.tokens) < 2:
        return _(
            "Room for **{room}** of {tokens:,} tokens in each expert: **0** of {all:,} choices are dropped.", **values
        )
    return _(
        "Room for **{room}** of {tokens:,} tokens in each expert: **0** of {all:,} choices are dropped, and the text "
        "costs **{loss:.4f}** nats per token as without a limit.",
        loss=data.loss().mean(),
        **values,
    )


def limit_costs(data: Data) -> str | None:
    """What the limit does to the loss."""
    if len(data.tokens) < 2 or not data.dropped.any():
        return None
    said = _("Loss {before:.4f} without a limit, **{after:.4f}** nats per token with it.")
    return said.format(before=data.loss(Change()).mean(), after=data.loss().mean())


def late_lose(data: Data) -> str | None:
    """Later tokens are dropped more often."""
    half = (len(data.tokens) + 1) // 2
    early, late = (int(part.sum()) for part in (data.dropped[:half], data.dropped[half:]))
    if early >= late:
        return None
    return _(
        "Earlier tokens are served first: {early} dropped choices are in the first half of the text, {late} in the "
        "second.",
        early=early,
        late=late,
    )


def becomes_even(data: Data) -> str | None:
    """The busiest expert at its worst, and at the end."""
    if (each := data.moments.get(data.chosen.model)) is None:
        return None
    peak, end = (number(float(value), ".2f") for value in (worst(each).max(), worst(each)[-1]))
    if float(end) >= float(peak):
        return None
    return _(
        "Of the {tokens:,} held-out tokens that its training counted, one expert of {model} read {peak} times its even "
        "share at worst; at the end the busiest has {end}.",
        tokens=prod(LOOKED_AT),
        model=data.chosen.model,
        peak=peak,
        end=end,
    )


def more_even(data: Data) -> str | None:
    """Which of several models ends with the busiest expert closest to the even share."""
    ends = sorted((float(number(float(worst(each)[-1]), ".2f")), name) for name, each in data.moments.items())
    if len(ends) < 2 or ends[0][0] == ends[-1][0]:
        return None
    return _(
        "At the end {best} is the most even on these {tokens:,} tokens, with {least} times the even share at the "
        "busiest expert; {other} has {most} times.",
        tokens=prod(LOOKED_AT),
        best=ends[0][1],
        least=f"{ends[0][0]:.2f}",
        other=ends[-1][1],
        most=f"{ends[-1][0]:.2f}",
    )


def part_at_work(data: Data) -> str | None:
    """How many parameters a token meets."""
    size = next(each.size for each in data.costs if each.model == data.chosen.model)
    if size.active >= size.total:
        return None
    return _(
        "{model} holds {total} parameters and uses {active} of them for a token ({share}): memory is paid for all, "
        "computing for the filled part of a bar.",
        model=data.chosen.model,
        total=large(size.total),
        active=large(size.active),
        share=percent(size.active / size.total),
    )


def all_at_work(data: Data) -> str | None:
    """A token meets every parameter."""
    if part_at_work(data):
        return None
    return _("{model} uses all of its parameters for every token.", model=data.chosen.model)


def against_dense(data: Data) -> str | None:
    """The twin without experts, on held-out stories and on the text."""
    found = {each.model: each.held_out for each in data.costs if each.held_out is not None}
    here = {each.model: number(each.here, ".3f") for each in data.costs}
    dense = found.pop("stories-dense", None)
    own = found.get(data.chosen.model)
    if dense is None or own is None:
        return None
    values = {"model": data.chosen.model, "own": number(own, ".3f"), "dense": number(dense, ".3f")}
    said = _(
        "Held-out stories cost {model} {own} bits per byte, and stories-dense, which has no experts and about as many "
        "parameters as a token meets here, {dense}:",
        **values,
    )
    said = said + " "
    if abs(own - dense) < CHANCE:
        said = said + _("one training each, and within chance.")
    else:
        fewer, more = _("fewer, for more memory and as much computing."), _("there experts did not help.")
        said = said + (fewer if own < dense else more)
    if len(data.tokens) < 2:
        return said
    here_said = _("Your text costs them {own} and {dense}.", own=here[data.chosen.model], dense=here["stories-dense"])
    return said + " " + here_said


CLAIMS: dict[str, tuple[Claim, ...]] = {
    ROUTING: (has_a_taste, by_itself, few_read, bias_decides, bias_changes_nothing, no_bias, shared),
    LOAD: (answers_to, by_itself, busiest, even_over_many),
    MUTING: (one_token, as_trained, costs_or_helps, some_gain, most_missed),
    CAPACITY: (dropped, room_for_all, limit_costs, late_lose),
    TRAINING: (becomes_even, more_even),
    COST: (part_at_work, all_at_work, against_dense),
}
HINTS = {
    ROUTING: (Hint(N_("Click on a token; then open *Load*."), to(view=LOAD)),),
    LOAD: (OWN_TEXT,),
    MUTING: (Hint(N_("Click on an expert above the rows to mute it."), within),),
    CAPACITY: (Hint(N_("Move *Capacity factor* to 0.25."), to(factor=0.25)),),
    TRAINING: (Hint(N_("Press ▶."), where(lambda data: data.moments)),),
    COST: (Hint(N_("Open *Load*."), to(view=LOAD)),),
}


def cut(data: Data) -> str:
    """That not all tokens are in the picture."""
    if data.count == len(data.tokens):
        return ""
    said = _("The picture shows the first {shown:,} of {tokens:,} tokens; loads and losses are those of all.")
    return said.format(shown=data.count, tokens=len(data.tokens))


NOTICE = {
    ROUTING: (
        N_(
            "A row is a token, a column an expert of a layer; a darker cell has more weight in what a token's "
            "experts say together. The bars above are the shares of the tokens."
        ),
    ),
    LOAD: (
        N_("Blue experts read more of the tokens than an even share, orange ones fewer."),
        N_(
            "In the table a share in brackets says how many of the places where that token stands the expert "
            "reads; without one it reads all. What an expert answers to is most often a kind of token, a mark, a "
            "name, the end of a word, more rarely a subject."
        ),
    ),
    MUTING: (
        N_(
            "Forced, an expert is read by every token, in place of its last choice and with the weight of its own "
            "score."
        ),
        N_(
            "In the map, whose changes are against the model as trained, an expert that costs little is one that "
            "others can stand in for; what one costs on this text says nothing of other texts."
        ),
    ),
    CAPACITY: (
        N_(
            "On many chips each expert has room for a fixed number of tokens of a batch. Here the batch is your "
            "text: who comes after an expert is full is crossed out, and the expert says nothing for that token."
        ),
        N_(
            "A capacity factor of 1 is room for an even load and no more. DeepSeek-V3 drops nothing, as its bias "
            "keeps loads close to even over large batches."
        ),
        N_("The dotted line in the chart is the loss without a limit."),
    ),
    TRAINING: (
        N_(
            "Blue experts read more tokens than an even share, orange ones fewer. They were "
            "counted on the same held-out stories at every moment; your own text does not enter this view."
        ),
        N_("Nothing tells experts what to answer to. All that is asked for is that none of them is idle."),
    ),
    COST: (
        N_("An outline shows what every expert reading every token would take."),
        N_(
            "The models read the same stories in as many steps, one training each: differences below 0.01 bits per "
            "byte are chance."
        ),
    ),
}
MATHS = {
    ROUTING: (
        N_(
            "The notes write the router's bias into the logits and take the softmax over the chosen of that sum, "
            "so that the bias would change the output as well. DeepSeek-V3 adds it for the choice alone; the panel "
            "shows the weights both ways."
        ),
    ),
    LOAD: (
        N_("Colours count doublings: log₂ of the load over the even share k / E, cut at a quarter and at four times."),
    ),
    MUTING: (
        N_(
            "A muted expert's score and bias count as −∞ for the choice, so that the weights of those chosen still "
            "sum to 1. With the bias in the mix, scores plus bias take the scores' place in the weights, not below "
            "0."
        ),
    ),
    CAPACITY: (),
    TRAINING: (
        N_(
            "After each step of the training the bias of every expert that had more than the mean load is lowered "
            "by a small amount, that of every other raised by as much. No gradient reaches it, and it does not "
            "compete with the loss of the text."
        ),
        N_(
            "The other way is a loss of its own: E times the sum over experts of the share of the choices times "
            "the mean score, which is smallest when all are alike."
        ),
    ),
    COST: (
        N_(
            "FLOPs are those of one token at the end of your text with the keys and values of all before it in the "
            "cache, two for each multiplication, as torch counts them; norms, softmax and the choice itself are "
            "not counted."
        ),
    ),
}
