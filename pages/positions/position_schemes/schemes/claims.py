"""What the part Six schemes says about its picture, each where it is true, and what its parts are in any state."""

from __future__ import annotations

import numpy as np

from tlmviz.analysis.positions.position_schemes import flat_distance
from tlmviz.checks import positions_shift
from tlmviz.ui.hints import Hint, to
from tlmviz.ui.language import N_, _, listed

from .data import Data
from .state import ADDED, BY_DISTANCE, EXTRAPOLATION, SIMILARITY, TITLES


def climbs(data: Data) -> str | None:
    """What becomes of the losses behind the training length."""
    if data.chosen.view != EXTRAPOLATION or len(data.ids) <= data.context:
        return None
    found = {scheme: pair for scheme, pair in data.around.items() if pair[1] == pair[1]}  # learned vectors end
    order = sorted(found, key=lambda scheme: round(found[scheme][1], 2) - round(found[scheme][0], 2))
    (low, high), (before, after) = ([f"{loss:.2f}" for loss in found[scheme]] for scheme in (order[0], order[-1]))
    return _(
        "Trained on {context} tokens, read on {read}: after token {context} {worst}'s loss goes from {before} to "
        "{after}, {best}'s from {low} to {high}. Only their positions differ.",
        context=f"{data.context:,}",
        read=f"{len(data.ids):,}",
        worst=TITLES[order[-1]],
        before=before,
        after=after,
        best=TITLES[order[0]],
        low=low,
        high=high,
    )


def nothing_beyond(data: Data) -> str | None:
    """The text ends within the training length."""
    if data.chosen.view != EXTRAPOLATION or not 1 < len(data.ids) <= data.context:
        return None
    return _(
        "This text has {read} tokens and training had {context}: nothing lies beyond. Paste a longer one.",
        read=f"{len(data.ids):,}",
        context=f"{data.context:,}",
    )


def falls_off(data: Data) -> str | None:
    """ALiBi's steepest and flattest head."""
    if data.chosen.view != ADDED or data.slopes is None:
        return None
    steep, flat = int(data.slopes.argmax()), int(data.slopes.argmin())
    return _(
        "With ALiBi a token loses score for being far away: {most} for each step back in head {steep} and {least} in "
        "head {flat}.",
        most=f"{data.slopes[steep]:.4f}",
        steep=steep,
        least=f"{data.slopes[flat]:.4f}",
        flat=flat,
    )


def alike(data: Data) -> str | None:
    """How alike two positions side by side are to vectors that were learned and to sinusoids."""
    if data.chosen.view != SIMILARITY or not {"learned", "sinusoidal"} <= set(data.families):
        return None
    where = data.similar["learned"][1]
    if len(where) < 2:
        return None
    near = {scheme: np.diagonal(data.similar[scheme][0], -1).mean() for scheme in ("learned", "sinusoidal")}
    return _(
        "Two positions {apart} apart: to the sinusoids they are alike to {sinusoids}, to the vectors that a model "
        "learned to {learned} (1 is the same).",
        apart=int(where[1]),
        sinusoids=f"{near['sinusoidal']:.2f}",
        learned=f"{near['learned']:.2f}",
    )


def one_before(data: Data) -> str | None:
    """What the followed head gives to the token before."""
    if data.chosen.view != BY_DISTANCE or len(data.inside) < 2:
        return None
    layer, head = data.chosen.head
    weight = {scheme: round(float(found.weight[layer, head, 1]), 3) for scheme, found in data.distances.items()}
    most, least = max(weight, key=weight.get), min(weight, key=weight.get)
    return _(
        "The token just before gets {most_share} of the weight of {head} with {most}, and {least_share} with {least}.",
        head=f"L{layer}H{head}",
        most=TITLES[most],
        most_share=f"{weight[most]:.1%}",
        least=TITLES[least],
        least_share=f"{weight[least]:.1%}",
    )


def one_token(data: Data) -> str | None:
    """There is nothing to predict."""
    return (
        None
        if len(data.ids) > 1
        else _("This text has one token: there is no next one to predict. Paste a longer one.")
    )


def furthest(data: Data) -> str | None:
    """The heads that look nearest and furthest."""
    means = {scheme: np.round(found.mean.astype(float), 1) for scheme, found in data.distances.items()}
    near, far = min(means, key=lambda name: means[name].min()), max(means, key=lambda name: means[name].max())
    if means[near].min() == means[far].max():
        return None
    heads = [np.unravel_index(index, means[near].shape) for index in (means[near].argmin(), means[far].argmax())]
    return _(
        "Of all heads {near} {first} stays nearest, {least} tokens back on average, and {far} {last} looks furthest, "
        "{most}.",
        near=TITLES[near],
        first="L{}H{}".format(*heads[0]),
        least=f"{means[near].min():.1f}",
        far=TITLES[far],
        last="L{}H{}".format(*heads[1]),
        most=f"{means[far].max():.1f}",
    )


def moved(data: Data) -> str | None:
    """Whose predictions stay when the text begins elsewhere."""
    errors = {scheme: check.error for scheme, check in data.shifts.items()}
    same = [TITLES[scheme] for scheme, error in errors.items() if error <= 1e-6]
    if not same or len(same) == len(errors):
        return None
    others = [
        _("{scheme} ({error:.3f} nats)", scheme=TITLES[scheme], error=error)
        for scheme, error in errors.items()
        if error > 1e-6
    ]
    return _(
        "Begun at position {by} the text is predicted as at 0 by {same}, and otherwise by {others}.",
        by=positions_shift.BY,
        same=listed(same),
        others=listed(others),
    )


CLAIMS = climbs, nothing_beyond, falls_off, alike, one_before, one_token, furthest, moved
HINTS = (
    Hint(N_("Choose *What is added*."), to(view=ADDED)),
    Hint(N_("Choose *Extrapolation*."), to(view=EXTRAPOLATION)),
)


def about(data: Data) -> str:
    """What is read and by whom, in a sentence."""
    read = len(data.ids) if data.chosen.view == EXTRAPOLATION else len(data.inside)
    if data.chosen.reading.is_own:
        said = _("The same {read} tokens of your text, for models that differ in nothing but their positions.")
    else:
        said = _(
            "The same {read} tokens of stories that stories-rope wrote, easier to predict than real ones, for models "
            "that differ in nothing but their positions."
        )
    return said.format(read=f"{read:,}")


def slopes(data: Data) -> str:
    """How to read the chart of slopes."""
    *alone, uniform = (f"{value:.0f}" for value in flat_distance([*data.slopes, 0], len(data.inside)))
    return _(
        "Measured: the slope of a query's scores over the tokens before it. Marks on the dash: content adds no trend; "
        "at the bottom: no decay is left. Mean tokens back if the bias alone decided, head by head: {listed}; uniform: "
        "{uniform}.",
        listed=", ".join(alone),
        uniform=uniform,
    )


NOTICE = {  # what the parts of the picture are, by the view
    ADDED: (
        N_(
            "Two families: *learned* and *sinusoidal* add a vector to the embedding, once; *relative*, *ALiBi* and "
            "*RoPE* act in every layer, where queries meet keys, and depend on distances alone."
        ),
        N_(
            "Sinusoidal and RoPE share their frequencies: fast dimensions change from token to token, slow ones "
            "hardly change."
        ),
        N_(
            "Zero has the colour of the page; each picture has its own span. Without positions, only the mask "
            "tells order."
        ),
    ),
    SIMILARITY: (
        N_("Blue is alike. A picture that is the same along every diagonal depends on distances alone."),
        N_(
            "ALiBi and relative are shown for the past alone, as the factor on a weight. "
            "Relative vectors end: from some distance on all share the last one."
        ),
    ),
    BY_DISTANCE: (
        N_("ALiBi's steep heads cannot look far, whatever the text; in the others training decides where heads look."),
        N_("Flat lines average over the past; a peak at 1 token back is a previous-token head."),
    ),
    EXTRAPOLATION: (
        N_(
            "ALiBi's steep heads hardly see far tokens, and all far distances share one relative vector. RoPE and "
            "sinusoids meet angles that did not occur in training; *Context extension* repairs RoPE."
        ),
    ),
}
