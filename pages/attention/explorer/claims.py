"""What the page Attention explorer says about its picture, each where it is true, and what its parts are in any
state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tlmviz.analysis.attention.flow import Flow
from tlmviz.decoding.cuts import Cuts
from tlmviz.decoding.sampling import Sampling
from tlmviz.figures import number
from tlmviz.tokens import output_names
from tlmviz.ui.hints import Hint, within
from tlmviz.ui.language import N_, _, listed, ngettext
from tlmviz.ui.looking import comes_again, comes_again_in_vain, looks_too
from tlmviz.ui.markdown import plain
from tlmviz.ui.markdown import quoted as quoted_token

from .data import Data, LossGradient

if TYPE_CHECKING:  # it imports these sentences
    from .writing import Branch

NAMED = 3  # heads in a sentence


def lost(data: Data) -> str | None:
    """Without the muted heads the model expects something else."""
    if (without := data.without) is None or without[1] == data.expected[0]:
        return None
    return _(
        "Without {heads} {token} goes from {before} to {after}, and the model expects {next} instead, with {p}.",
        heads=_muted(data),
        token=_next(data),
        before=_percent(data.expected[1]),
        after=_percent(without[0]),
        next=_token(data, without[1]),
        p=_percent(without[2]),
    )


def kept(data: Data) -> str | None:
    """Without the muted heads the model expects the same."""
    if (without := data.without) is None or without[1] != data.expected[0]:
        return None
    before, after = _percent(data.expected[1]), _percent(without[0])
    if before == after:
        return _(
            "Without {heads} the model expects {token} as before, with {after}.",
            heads=_muted(data),
            token=_next(data),
            after=after,
        )
    return _(
        "Without {heads} the model still expects {token}, with {after} in place of {before}.",
        heads=_muted(data),
        token=_next(data),
        after=after,
        before=before,
    )


def looks(data: Data) -> str | None:
    """Where the head looks most, and what is expected next, where there is a network to expect it."""
    if not data.is_text or (data.look and data.look.followed is not None):
        return None
    best = int(data.row.argmax())
    said = _(
        "From {token} head {head} looks most at {key}, with {share} of its attention.",
        token=quoted(data, data.query),
        head=_head(data),
        key=_("itself") if best == data.query else quoted(data, best),
        share=_percent(data.row[best]),
    )
    if not data.expected:
        return said
    return (
        said
        + " "
        + _("What the model expects next is {next}, with {p}.", next=_next(data), p=_percent(data.expected[1]))
    )


def adds_most(data: Data) -> str | None:
    """Which head adds most to the word that is asked about."""
    if not (parts := data.attribution):
        return None
    heads = parts.heads.numpy()
    layer, head = divmod(int(heads.argmax()), heads.shape[1])
    if float(f"{heads[layer, head]:.2f}") <= 0:
        return None
    return _(
        "**L{layer}H{head} adds most** of all heads to {word}: {part} to a logit of {logit}.",
        layer=layer,
        head=head,
        word=quoted_token(data.lm.tokenizer.name(data.chosen.word)),
        part=number(float(heads[layer, head]), ".2f"),
        logit=number(float(parts.logit), ".2f"),
    )


CLAIMS = lost, kept, comes_again, comes_again_in_vain, looks, looks_too, adds_most
HINTS = (Hint(N_("Click a cell of the map."), within),)


def _percent(share: float) -> str:
    return number(float(share), ".0%")


def _head(data: Data) -> str:
    return "L{}H{}".format(*data.chosen.view.head)


def quoted(data: Data, position: int) -> str:
    """A token in quotation marks, with its place."""
    return quoted_token(data.trace.tokens[position], position)


def _next(data: Data) -> str:
    return _token(data, data.expected[0])


def _token(data: Data, number: int) -> str:
    return quoted_token(output_names(data.lm.tokenizer, [number])[0])


def _muted(data: Data) -> str:
    """The heads that are muted, the first of many by name."""
    named = ["L{}H{}".format(*head) for head in data.chosen.view.mute]
    if len(named) > NAMED:
        named = [*named[:NAMED], _("{n} more", n=len(named) - NAMED)]
    return listed(named)


NOTICE = (
    N_(
        "Heads differ: order the overview by *Previous token* to find those that look back one token, by *Entropy* to "
        "tell sharp heads from those that average over everything; by *Induction*, with a phrase that comes twice, for "
        "those that look at what followed it. All three are means over the text's tokens."
    ),
    N_(
        "*Flow*, below the maps, follows a prediction back to the tokens it starts from, through the heads and MLPs "
        "that carry it: the thicker an edge, the more."
    ),
    N_(
        "◎ beside a prediction asks who wrote it: every tile and MLP shows what it adds to that word's logit. The "
        "parts add up to the logit because the final norm's scale is held fixed; mute a head (Alt-click) to see what "
        "the model really loses."
    ),
)


# --- beside the bars ----------------------------------------------------------------------------------


def cuts(sampling: Sampling, cuts: Cuts, size: int) -> str:
    """How many tokens the filters leave, and what share of the probability."""
    if cuts.kept == size:
        return _(
            "Nothing is cut: temperature {temperature}, all {size} tokens.",
            temperature=f"{sampling.temperature:g}",
            size=f"{size:,}",
        )
    return ngettext(
        "{n} token is left of {size}: {mass} of the probability, scaled to 100%.",
        "{kept} tokens are left of {size}: {mass} of the probability, scaled to 100%.",
        cuts.kept,
        kept=f"{cuts.kept:,}",
        size=f"{size:,}",
        mass=f"{cuts.mass:.1%}",
    )


def muted(count: int) -> str:
    """That the bars are without some heads; nothing where none is muted."""
    if not count:
        return ""
    return " " + ngettext(
        "Without {n} head; the upright marks are with all.", "Without {n} heads; the upright marks are with all.", count
    )


def cut_anew(token: str) -> str:
    """Why the drawn tokens are not those of the text."""
    return _("With “{token}” the text is cut into other tokens than those that were drawn.", token=token)


def branches(shared: str, here: Branch, there: Branch) -> str:
    """Two continuations of one text, each with its log-probability."""

    def line(label: str, branch: Branch) -> str:
        text = plain(branch.rest.strip()) or _("nothing more")
        if not branch.tokens:
            return f"**{label}** … {text}"
        logp, each = number(branch.logp, ".2f"), number(branch.logp / branch.tokens, ".2f")
        said = _("log P {logp} nats, {each} per token", logp=logp, each=each)
        return f"**{label}** … *{text}* :gray[{said}]"

    tail = plain(shared.replace("<|endoftext|>", "")[-60:])
    begin = _("Both begin:")
    return f":gray[{begin}] …{tail}  \n{line(_('Shown'), here)}  \n{line(_('Kept'), there)}"


# --- below the picture --------------------------------------------------------------------------------


def one_weight(data: Data) -> str:
    """One weight in a sentence: which dimension adds what to its score."""
    (layer, head), (query, key) = data.chosen.view.head, data.pair
    mask = data.trace.specs[layer].mask
    weight = data.trace.attention(layer, head, slice(query, query + 1), slice(key, key + 1)).item()
    values = {"layer": layer, "head": head, "query": query, "key": key, "weight": f"{weight:.4f}"}
    if mask.causal and key > query:
        said = _("L{layer}H{head}: query {query} to key {key} is hidden, as a later token: weight 0.", **values)
    elif mask.window is not None and query - key >= mask.window:
        said = _("L{layer}H{head}: query {query} to key {key} is hidden, as outside the window: weight 0.", **values)
    else:
        said = _("L{layer}H{head}: query {query} to key {key} gets weight {weight}.", **values)
    term = "q·k/√d" if mask.relative is None else _("q·(k + a)/√d, where a is the distance's vector")
    end = _("the score") if mask.slopes is None else _("the score before ALiBi's penalty")
    said += " " + _("Each bar is one dimension's {term}; the line adds them up to {end}.", term=term, end=end)
    return said if data.chosen.view.query is not None else said + " " + _("Pin a cell in the map to choose the pair.")


def flow(data: Data, followed: Flow) -> str:
    """How much of the flow the picture shows, and how it is measured."""
    edges, name = followed.edges, data.lm.tokenizer.name(followed.token).strip()
    count = int((edges.flow >= data.chosen.least).sum())
    stopped = float(followed.biases.sum()) + followed.rest
    parts = [
        ngettext("{n} edge.", "{n} edges.", count) if count else _("No edge: lower the slider."),
        _("Below each token: the share of the prediction that starts in its embedding."),
        _("{share} comes from biases and from no token.", share=f"{stopped:.1%}") if stopped >= 0.0005 else "",
        _(
            "Dots are the residual stream, squares MLPs. What goes into the last column is what the logit of “{word}” "
            "({logit}) is a sum of: blue adds, orange takes off, widths are by size. Grey edges carry what those parts "
            "were made of. Tokens that carry less than the slider's share are left out.",
            word=plain(name),
            logit=number(followed.logit, ".2f"),
        ),
        _("Muted heads are followed as if they spoke.") if data.chosen.view.mute else "",
    ]
    return " ".join(filter(None, parts))


FLOW_MATHS = N_(
    "What parts were made of is shared by ALTI (Ferrando et al. 2022): how much nearer a part c brings the sum to the "
    "stream y, |y|₁ − |y − c|₁."
)


def rescaled(factor: float, trained: float, entropy: float) -> str:
    """What another scale makes of the pinned row; entropies in bits, as trained and at the factor."""
    values = {"factor": f"{factor:g}", "trained": f"{trained:.3f}", "entropy": f"{entropy:.3f}"}
    if factor == 1:
        return _("Pinned row at × 1: entropy {entropy} bits. Nothing has changed yet: move the slider.", **values)
    if abs(entropy - trained) <= 5e-4:
        return _(
            "Pinned row at × {factor}: the row's weight stays where it was, entropy {trained} → {entropy} bits.",
            **values,
        )
    if entropy < trained:
        return _(
            "Pinned row at × {factor}: the row's weight gathers on fewer tokens, entropy {trained} → {entropy} bits.",
            **values,
        )
    return _(
        "Pinned row at × {factor}: the row's weight spreads over more tokens, entropy {trained} → {entropy} bits.",
        **values,
    )


def rescaled_maths(gradient: float) -> str:
    """The pinned row's gradient under another scale."""
    return _(
        "Its gradient Σ|p − y| is {gradient}, with y one-hot on the row's strongest key.", gradient=f"{gradient:.4f}"
    )


def loss_gradient(gradient: LossGradient | None) -> str:
    """What the entries of p − y say, with their source."""
    if gradient is None:
        return _("A text of one token has no next one, and so no loss to differentiate: type a longer text.")
    return _(
        "After “{token}” the text has “{target}”, which the model gave {p}. Training lowers the logits of the positive "
        "bars and raises that of the negative one, the token that really follows.",
        token=gradient.token,
        target=gradient.target,
        p=f"{gradient.p:.2%}",
    )


LOSS_GRADIENT_MATHS = N_(
    "The loss is −log p of the token that follows, and its gradient with respect to the logits is p − y: p is the "
    "predicted distribution, y is 1 at that token and 0 elsewhere, and all entries of the vocabulary sum to 0 "
    "(Transformer with PyTorch, section 1.2, Eq. 3)."
)


def change(what: str, here: float, mean: float, loss: float) -> str:
    """An intervention in two numbers."""
    return _(
        "{what}: KL(original‖changed) **{here}** nats here, **{mean}** on average; loss **{loss}** nats per token.",
        what=what,
        here=f"{here:.4f}",
        mean=f"{mean:.4f}",
        loss=number(loss, "+.4f"),
    )


def crossing(data: Data, rows: slice, cols: slice) -> str:
    """Which part of two texts is drawn."""
    trace = data.trace
    said = _(
        "{count} tokens read {other} tokens of another text; every row sums to 1.",
        count=len(trace),
        other=len(trace.key_tokens),
    )
    for name, part, total in ((_("queries"), rows, len(trace)), (_("keys"), cols, len(trace.key_tokens))):
        if part.stop - part.start < total:
            said += " " + _(
                "Drawn: {name} {first}–{last} of {total}; the link's query= moves the part.",
                name=name,
                first=part.start,
                last=part.stop - 1,
                total=total,
            )
    return (
        said
        + " "
        + _(
            "Stages, arcs, the notebook's widget and `save_html` show maps within one text only; the buttons give "
            "these numbers."
        )
    )


def over_patches(share: float, others: int) -> str:
    """How much falls on the image, and what else there is."""
    said = _("{share} of this row falls on patches.", share=f"{share:.1%}")
    if others:
        said += " " + ngettext("The rest falls on {n} other token.", "The rest falls on the {n} other tokens.", others)
    return said + " " + _("Click a patch to ask from there; pixels are as the model reads them.")
