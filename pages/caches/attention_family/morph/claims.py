"""What the part Morph says about its picture, each where it is true."""

from __future__ import annotations

from tlmviz.analysis.caches.family import DEEPSEEK, size_text
from tlmviz.figures import number
from tlmviz.ui.hints import Hint, to, within
from tlmviz.ui.language import N_, _

from .data import Data
from .state import PUBLISHED


def keeps_less_for_more(data: Data) -> str | None:
    """What MLA keeps in place of all keys and values, and what it pays for that."""
    if not _less(data) or not _pays(data):
        return None
    first, last = data.ends
    more, less = (size_text(variant.flops(data.chosen.length)) for variant in (last, first))
    return _(
        "MLA keeps {few} numbers of each token and layer where MHA keeps {many}, and pays with operations: {more}FLOP "
        "for token {length} in place of {less}FLOP.",
        few=f"{last.cached:,}",
        many=f"{first.cached:,}",
        more=more,
        less=less,
        length=f"{data.chosen.length:,}",
    )


def keeps_less(data: Data) -> str | None:
    """It keeps less and computes no more."""
    if not _less(data) or _pays(data):
        return None
    first, last = data.ends
    return _(
        "MLA keeps {few} numbers of each token and layer where MHA keeps {many}: {share} of it, for {heads} heads.",
        few=f"{last.cached:,}",
        many=f"{first.cached:,}",
        share=number(last.cached / first.cached, ".1%"),
        heads=data.sizes.heads,
    )


def keeps_more(data: Data) -> str | None:
    """A latent that is no shorter."""
    if _less(data):
        return None
    first, last = data.ends
    return _(
        "At these sizes MLA keeps {few} numbers of each token and layer, and MHA {many}: a latent saves only where "
        "heads are many.",
        few=f"{last.cached:,}",
        many=f"{first.cached:,}",
    )


def like_grouped(data: Data) -> str | None:
    """The GQA of the same cache."""
    heads = number(data.ends[1].cached / (2 * data.sizes.head_dim), ".3g")
    if data.sizes.heads == 1:
        return None
    return _("A GQA of the same cache would have {heads} key/value heads.", heads=heads)


def costs_less(data: Data) -> str | None:
    """MLA's operations are fewer, too."""
    if _pays(data):
        return None
    first, last = (variant.flops(data.chosen.length) for variant in data.ends)
    return _(
        "It takes no more operations, too: {less}FLOP for token {length}, MHA {more}FLOP.",
        less=size_text(last),
        more=size_text(first),
        length=f"{data.chosen.length:,}",
    )


def no_queries(data: Data) -> str | None:
    """DeepSeek compresses its queries too."""
    if data.sizes != DEEPSEEK:
        return None
    return _("DeepSeek also compresses its queries (c_Q), which touches no cache and is left out here.")


CLAIMS = (keeps_less_for_more, keeps_less, keeps_more, costs_less, like_grouped, no_queries)
HINTS = Hint(N_("Press ▶; then choose *DeepSeek*."), to(source=PUBLISHED)), Hint(N_("Press ▶."), within)


def _less(data: Data) -> bool:
    first, last = data.ends
    return last.cached < first.cached


def _pays(data: Data) -> bool:
    first, last = (variant.flops(data.chosen.length) for variant in data.ends)
    return last > first


def caption(data: Data) -> str:
    """What the variants cache."""
    first, last = data.ends
    return _(
        "{heads} query heads of {size}. MLA caches {few} numbers per token and layer, MHA {many} (× {times}).",
        heads=data.sizes.heads,
        size=data.sizes.head_dim,
        few=f"{last.cached:,}",
        many=f"{first.cached:,}",
        times=number(first.cached / last.cached, ".3g"),
    )


def absorbed(data: Data) -> str:
    """What MLA costs with absorbed weights and without."""
    last, length = data.ends[1], data.chosen.length
    return _(
        "MLA decodes absorbed: queries are taken to the latent instead of making every head's keys and values anew, "
        "{few}FLOP instead of {many}FLOP.",
        few=size_text(last.flops(length)),
        many=size_text(last.flops(length, absorbed=False)),
    )


NOTICE = (
    N_("Fewer key/value heads make the cache smaller in proportion; the work on each cached token stays."),
    N_(
        "MLA keeps one short vector per token, the latent, and gives every head keys and values of its own from "
        "it. Orange is what the cache holds. Each panel of bars has a scale of its own; shorter is less to pay."
    ),
)


MATHS = (N_("Parameters shrink a little with the key/value heads; the operations per cached token do not."),)
