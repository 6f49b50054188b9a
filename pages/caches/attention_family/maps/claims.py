"""What the part Trained maps says about its picture, each where it is true."""

from __future__ import annotations

from tlmviz.config import ModelConfig
from tlmviz.figures import number
from tlmviz.ui.hints import Hint, within
from tlmviz.ui.language import N_, _

from .data import Data


def same_loss_smaller_cache(data: Data) -> str | None:
    """The model that caches least beside the one that caches most, with their losses on the text."""
    cached, losses = data.cached, data.losses
    most, least = max(cached, key=cached.__getitem__), min(cached, key=cached.__getitem__)
    if cached[most] == cached[least] or losses[most] != losses[most]:
        return None
    return _(
        "{least} keeps {few} numbers of a token and layer where {most} keeps {many}; on this text its loss is {own}, "
        "the other's {other} nats per token.",
        least=least,
        few=f"{cached[least]:,}",
        most=most,
        many=f"{cached[most]:,}",
        own=number(losses[least], ".3f"),
        other=number(losses[most], ".3f"),
    )


def best_here(data: Data) -> str | None:
    """Whose loss is lowest and highest on the text."""
    written = {name: f"{loss:.3f}" for name, loss in data.losses.items() if loss == loss}
    if len(set(written.values())) < 2:
        return None
    best, worst = min(data.losses, key=data.losses.__getitem__), max(data.losses, key=data.losses.__getitem__)
    return _(
        "On this text {best} predicts best, with a loss of {low}, and {worst} worst, with {high}. The part Model zoo "
        "says how good each is on many, with the noise of seeds.",
        best=best,
        low=written[best],
        worst=worst,
        high=written[worst],
    )


def share_keys(data: Data) -> str | None:
    """Models whose heads all read the same keys."""
    names = [
        reading.model
        for reading, config in zip(data.readings, data.configs)
        if config.n_kv_heads == 1 and config.attention.latent_dim is None and config.n_heads > 1
    ]
    if not names:
        return None
    return _(
        "All heads of {models} read one key and one value; their maps differ all the same, as their queries do.",
        models=", ".join(names),
    )


CLAIMS = same_loss_smaller_cache, best_here, share_keys
HINTS = (Hint(N_("Click a map."), within),)


def other_family(model: str, names: list[str]) -> str:
    """Why other models than the loaded one are compared."""
    return _(
        "{model} was trained once only; shown are {names}: one recipe, another attention each.",
        model=model,
        names=", ".join(names),
    )


def head_reads(model: str, config: ModelConfig, head: int) -> str:
    """Which keys a head reads."""
    if config.attention.latent_dim:
        return _("{model}, head {head}: keys made from the latent", model=model, head=head)
    group = head * config.n_kv_heads // config.n_heads
    return _("{model}, head {head}: key/value head {group}", model=model, head=head, group=group)


NOTICE = (
    N_("Heads under one colour read the same keys and values."),
    N_("Each model was trained on its own: head 3 of one has nothing to do with head 3 of another."),
)
