"""What the page Inside a block says about its pictures, each where it is true, and what their parts are in any
state."""

from __future__ import annotations

from tlmviz.analysis.attention.stacks import ENCODER
from tlmviz.figures import number, placed, readable
from tlmviz.tokens import output_names
from tlmviz.ui.guess import three_digits
from tlmviz.ui.hints import Hint, within
from tlmviz.ui.language import N_, _, ngettext
from tlmviz.ui.looking import comes_again, comes_again_in_vain
from tlmviz.ui.markdown import plain
from tlmviz.ui.markdown import quoted as quoted_token

from .data import Data


def writes(data: Data) -> str | None:
    """How much attention and the feed-forward part each add to the stream."""
    if (written := data.written) is None:
        return None
    come, attention, mlp = map(three_digits, written)
    if attention == mlp or not min(written):
        return None
    ratio = max(written[1:]) / min(written[1:])
    said = (
        _(
            "Layer {layer} writes twice into the stream at {token}, which comes in with length {come}: attention adds "
            "a vector of length {attention}, and the feed-forward part, which sees no other token, one of {mlp}, "
            "{times} times as long."
        )
        if written[2] > written[1]
        else _(
            "Layer {layer} writes twice into the stream at {token}, which comes in with length {come}: the "
            "feed-forward part, which sees no other token, adds a vector of length {mlp}, and attention one of "
            "{attention}, {times} times as long."
        )
    )
    return said.format(
        layer=data.chosen.layer,
        token=_token(data),
        come=come,
        attention=attention,
        mlp=mlp,
        times=number(ratio, ".1f" if ratio < 10 else ",.0f"),
    )


def looks(data: Data) -> str | None:
    """Where the head looks most, and what is expected next."""
    if data.look is None or data.look.followed is not None:
        return None
    best = int(data.weights.argmax())
    return _(
        "At {token} head {head} looks most at {key}, with {share} of its attention. What the model expects next is "
        "{next}, with {p}.",
        token=_token(data),
        head=_head(data),
        key=_("itself") if best == data.chosen.position else _key(data, best),
        share=_percent(data.weights[best]),
        next=_next(data),
        p=_percent(data.expected[1]),
    )


def crosses(data: Data) -> str | None:
    """Which word of the sentence is read where the decoder is, and what is written next."""
    if not data.stack or data.chosen.which == ENCODER:
        return None
    best = int(data.weights.argmax())
    return _(
        "Having written {token}, the decoder looks back at the English sentence: head {head} gives {share} to {key}. "
        "What it writes next is {next}, with {p}.",
        token=_token(data),
        head=_head(data),
        key=_key(data, best),
        share=_percent(data.weights[best]),
        next=_next(data),
        p=_percent(data.expected[1]),
    )


def encodes(data: Data) -> str | None:
    """Where a head of the encoder looks."""
    if not data.stack or data.chosen.which != ENCODER:
        return None
    best = int(data.weights.argmax())
    share = _percent(data.weights[best])
    if best == data.chosen.position:
        return _(
            "The encoder's head {head} looks most at {token} itself, with {share}.",
            head=_head(data),
            token=_token(data),
            share=share,
        )
    said = (
        _(
            "At {token} the encoder's head {head} looks most at {key}, which stands later, with {share}: nothing is "
            "hidden here."
        )
        if best > data.chosen.position
        else _("At {token} the encoder's head {head} looks most at {key}, with {share}.")
    )
    return said.format(token=_token(data), head=_head(data), key=_key(data, best), share=share)


def hides(data: Data) -> str | None:
    """How many scores the mask takes from this token."""
    if data.name != "mask" or not (later := len(data.trace) - 1 - data.chosen.position):
        return None
    return ngettext(
        "**The mask** hides {n} of {length} scores of {token}, that of the token after it.",
        "**The mask** hides {n} of {length} scores of {token}, those of the tokens after it.",
        later,
        length=len(data.trace),
        token=_token(data),
    )


def hides_nothing(data: Data) -> str | None:
    """The last token sees all."""
    if data.name != "mask" or data.chosen.position < len(data.trace) - 1:
        return None
    return _("{token} is the last token: the mask hides nothing from it. Choose an earlier one.", token=_token(data))


def dearest(data: Data) -> str | None:
    """The token that was expected least."""
    losses = data.step.losses
    if losses is None or not len(losses):
        return None
    written = [f"{loss:.2f}" for loss in losses]
    worst = max(range(len(written)), key=lambda at: float(written[at]))
    if written.count(written[worst]) > 1:
        return None
    return _(
        "**Least expected** was “{token}”: it costs {loss} nats, more than any other token.",
        token=plain(readable(data.step.scored[worst + 1])),
        loss=written[worst],
    )


def writes_most(data: Data) -> str | None:
    """The head whose part is longest at the token."""
    if data.step.heads is None:
        return None
    written = [f"{length:.2f}" for length in data.length]
    most = max(range(len(written)), key=lambda head: float(written[head]))
    if written.count(written[most]) > 1:
        return None
    return _(
        "**Head {head}** of this layer writes most at {token}: a vector of length {length}.",
        head=most,
        token=_token(data),
        length=written[most],
    )


CLAIMS = (writes, comes_again, comes_again_in_vain, looks, crosses, encodes, hides, hides_nothing, dearest, writes_most)
HINTS = (Hint(N_("Click a step, or walk with ↑ and ↓."), within),)


def grows(data: Data) -> str | None:
    """How long the stream's vector is at both ends."""
    labels, lengths = data.norms
    first, last = (f"{length:.1f}" for length in lengths[[0, -1], data.chosen.position])
    if first == last:
        return None
    return _(
        "**The stream at {token}** has length {first} at the start and {last} at the end.",
        token=_token(data),
        first=first,
        last=last,
    )


def formed(data: Data) -> str | None:
    """From which layer on the final guess stands first."""
    first = data.lens.tokens[:, data.chosen.position - data.drawn.start, 0]
    since = len(first) - 1
    while since and first[since - 1] == first[-1]:
        since -= 1
    told = _("from the embedding on") if since == 0 else _("from layer {n} on", n=since - 1)
    return _(
        "**The guess** after {token}, {next}, stands first {told}.", token=_token(data), next=_next(data), told=told
    )


STREAM = grows, formed


def _percent(share: float) -> str:
    return number(float(share), ".0%")


def _head(data: Data) -> str:
    return f"L{data.chosen.layer}H{data.chosen.head}"


def _token(data: Data) -> str:
    return quoted_token(data.trace.tokens[data.chosen.position], data.chosen.position)


def _key(data: Data, at: int) -> str:
    return quoted_token(data.keys[at], at)


def _next(data: Data) -> str:
    tokenizer = data.stack.tokenizer if data.stack else data.lm.tokenizer
    return quoted_token(output_names(tokenizer, [data.expected[0]])[0])


def about(data: Data) -> str:
    """Which token's row the first picture follows, and through what."""
    chosen, token = data.chosen, data.rows[0].token
    name = placed(token, data.trace.tokens[token])
    if not data.stack:
        said = _("Token {token} through L{layer}H{head}, embedding to logits")
    elif chosen.which == ENCODER:
        said = _("Token {token} through the encoder's L{layer}H{head}")
    else:
        said = _("Token {token} through the decoder's L{layer}H{head}")
    said = said.format(token=name, layer=chosen.layer, head=chosen.head)
    if token != chosen.position:
        said += " " + _("(of a long text some rows are drawn, not that of token {position})", position=chosen.position)
    return said


NOTICE = (
    N_("What travels through the model (the residual stream) keeps its shape: attention and the MLP only *add* to it."),
    N_(
        "Under *All steps* follow *scale*, *mask* and *softmax*: at first a token has scores for later tokens too. The "
        "mask takes these away, and softmax turns each row into shares of what is left."
    ),
)
NOTICE_PAIR = (
    N_(
        "**A decoder's block has three parts.** First the translation looks at itself, where the mask hides what is "
        "not written yet; then *cross-attention* looks at the source sentence; then comes the MLP. Each only *adds* to "
        "what travels through."
    ),
    N_(
        "**Two texts meet in *cross scores*** (*All steps*): a row for each token that is written, a column for each "
        "that was read. The queries are made from the translation, the keys and values from the *memory*, the "
        "encoder's last step. Nothing is hidden."
    ),
)
MATHS = (N_("Every sublayer ends at `[B, T, C]` again."),)
