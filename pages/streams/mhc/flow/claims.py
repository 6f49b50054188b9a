"""What the view Flow says of its picture: how much each model mixes its streams, and what that does to the
embedding."""

from __future__ import annotations

from math import isfinite

from pages.streams.mhc.claims import factor, kept, one_stream, share, token
from pages.streams.mhc.state import CARRIED
from tlmviz.analysis.streams.mixing import composite
from tlmviz.figures import number
from tlmviz.ui import markdown
from tlmviz.ui.hints import Hint, to, where, within
from tlmviz.ui.language import N_, _, listed, ngettext

from .data import NEW_TOKENS, Data

LITTLE = 0.1  # a weight of another stream below which streams are hardly mixed


def carries(data: Data) -> str | None:
    """What the streams of the models that are drawn hold of the embedding at their end, where it is written."""
    kinds = [kind for kind in data.drawn if kind == "residual" or _measured(data, kind)]
    if data.chosen.widths != CARRIED or data.connection.kind == "residual" or kinds in ([], ["residual"]):
        return None
    return _(
        "Through all {count} sublayers the embedding of {token} is carried {each}.",
        token=token(data, data.token),
        count=len(data.sublayers),
        each=listed([_at_the_end(data, kind) for kind in kinds]),
    )


def mixes(data: Data) -> str | None:
    """How much the model that reads mixes its streams."""
    found = _measured(data, data.connection.kind)
    if not found:
        return None
    said = (
        _(
            "**{model} hardly mixes its streams**: at a sublayer each keeps {own} of itself on average, and the "
            "largest weight of another in it is {other}."
        )
        if abs(found[1]) < LITTLE
        else _(
            "**{model} mixes its streams**: at a sublayer each keeps {own} of itself on average, and the largest "
            "weight of another in it is {other}."
        )
    )
    carried_on = _(" Over all tokens of this text the embedding ends at {least} to {most}.")
    own, other, least, most = found
    return (said + carried_on).format(
        model=_named(data, data.connection.kind),
        own=share(own),
        other=share(other),
        least=factor(least),
        most=factor(most),
    )


def overflows(data: Data) -> str | None:
    """The matrices that are drawn of the model that reads are no numbers any more."""
    if data.connection.kind == "residual" or _measured(data, data.connection.kind):
        return None
    return _("**The numbers of {model} overflow** on this text.", model=markdown.plain(data.chosen.model))


def iterations(data: Data) -> str | None:
    """What the constrained model does with as many iterations as it makes."""
    if not data.constrained:
        return None
    (usual, factor_then), (loss, gain) = _run(data, data.trained), _run(data, data.iterations)
    named = {"model": markdown.plain(data.constrained), "loss": loss, "gain": gain}
    if data.iterations == data.trained:
        return ngettext(
            "{model} makes {n} iteration, as in training: loss {loss} nats a token, gain of all H_res together {gain}.",
            "{model} makes {n} iterations, as in training: loss {loss} nats a token, gain of all H_res together "
            "{gain}.",
            data.trained,
            **named,
        )
    return ngettext(
        "{model} with {n} iteration for the {trained} of its training: loss {usual} → **{loss}** nats a token, gain of "
        "all H_res together {then} → **{gain}**.",
        "{model} with {n} iterations for the {trained} of its training: loss {usual} → **{loss}** nats a token, gain "
        "of all H_res together {then} → **{gain}**.",
        data.iterations,
        trained=data.trained,
        usual=usual,
        then=factor_then,
        **named,
    )


def writes_the_same(data: Data) -> str | None:
    """With another number of iterations it writes as in training."""
    if not data.constrained or data.iterations == data.trained:
        return None
    if data.written(data.iterations) != data.written(data.trained):
        return None
    return ngettext(
        "With {n} iteration it writes the same {count} tokens.",
        "With {n} iterations it writes the same {count} tokens.",
        data.iterations,
        count=NEW_TOKENS,
    )


CLAIMS = carries, mixes, one_stream, overflows, iterations, writes_the_same
HINTS = (
    Hint(
        N_("Move *Sinkhorn iterations that the model makes* to 0."),
        where(lambda data: data.constrained, to(iterations=0)),
    ),
    Hint(N_("Click a sublayer."), within),
)


def _at_the_end(data: Data, kind: str) -> str:
    """Of a model's streams, the least and the largest factor that stands at their end."""
    held = composite(data.members[kind].res[:, data.token].double()).sum(-1)
    least, most = (_end(float(each)) for each in (held.min(), held.max()))
    values = {"model": _named(data, kind), "least": least, "most": most}
    return _("× {least} in {model}", **values) if least == most else _("× {least} to {most} in {model}", **values)


def _end(value: float) -> str:
    """A factor as the picture writes it."""
    size = abs(value)
    if size >= 1e4:
        return number(value, ".1e")
    return number(value, ".0f" if size >= 100 else ".1f" if size >= 10 else ".4f" if 0 < size < 0.01 else ".2f")


def _named(data: Data, kind: str) -> str:
    """A model, and its iterations where they are not those of its training."""
    model = markdown.plain(data.family[kind])
    if kind == "manifold" and data.iterations != data.trained:
        return ngettext("{model} with {n} iteration", "{model} with {n} iterations", data.iterations, model=model)
    return model


def _measured(data: Data, kind: str) -> tuple[float, float, float, float] | None:
    """What a stream keeps on average, the largest weight of another one, and the least and the largest factor of the
    embedding in a stream's end, of all tokens; None of one stream."""
    if kind == "residual" or kind not in data.members:
        return None
    res = data.members[kind].res
    ends = composite(res.double()).sum(-1)
    found = *kept(res), float(ends.min()), float(ends.max())
    return found if all(map(isfinite, found)) else None


def _run(data: Data, iterations: int) -> tuple[str, str]:
    """Loss and gain of a pass, as they are written."""
    run = data.rerun(iterations)
    return number(run.loss, ".4f"), f"×\u00a0{number(run.forward, '.4g')}"


def window(data: Data) -> str | None:
    """The picture was sent a part of the tokens."""
    if len(data.window) == len(data.tokens):
        return None
    return _(
        "The picture walks along tokens {first} to {last} of {count}; choose another token in Matrices.",
        first=data.window.start,
        last=data.window.stop - 1,
        count=len(data.tokens),
    )


NOTICE = (
    N_(
        "A **stream** is one of the several vectors that a token carries in place of one: each sublayer reads a "
        "mixture of them, adds its result to each, and what is carried on is mixed too."
    ),
    N_(
        "Bands are the streams on their way from the embedding to the head; A and M are attention and MLP. Lines "
        "into a sublayer are what it reads, lines out of it what it writes, all as wide as their weights; orange "
        "ones are negative."
    ),
)


MATHS = (N_("The three sets of weights are H_pre (read), H_post (written) and H_res (carried on)."),)
