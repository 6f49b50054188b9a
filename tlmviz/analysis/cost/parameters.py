"""Where the parameters of a model are: every named parameter of its module, by part and layer (LLM notes, section
8)."""

from __future__ import annotations

from dataclasses import dataclass

from tlmviz.networks.transformer import count_by_part
from tlmviz.protocols import LanguageModelLike

OUTSIDE = {"token_emb": "embedding", "positions": "positions", "norm": "norms", "head": "head"}
WITHIN = {"attn": "attention", "mlp": "feed-forward", "norm": "norms", "join": "connections"}


@dataclass(frozen=True)
class Parameter:
    """One tensor of the module: its name, its part as `count_by_part` names it, its layer (None outside), its shape."""

    name: str
    part: str
    layer: int | None
    shape: tuple[int, ...]
    count: int


def parameters(lm: LanguageModelLike) -> list[Parameter]:
    """Every parameter of the network once, in its own order: a tied head is the embedding."""
    found = []
    for name, value in lm.network.named_parameters():
        path = name.split(".")
        inside = path[0] == "blocks"
        if inside:
            part = next(part for key, part in WITHIN.items() if path[2].startswith(key))
        else:
            part = OUTSIDE[path[0]]
        layer = int(path[1]) if inside else None
        found.append(Parameter(name, part, layer, tuple(value.shape), value.numel()))
    return found


def by_part(every: list[Parameter]) -> dict[str, int]:
    """Parameters of each part that has some, largest first."""
    sums: dict[str, int] = {}
    for each in every:
        sums[each.part] = sums.get(each.part, 0) + each.count
    return dict(sorted(sums.items(), key=lambda entry: -entry[1]))


def differences(lm: LanguageModelLike) -> dict[str, int]:
    """Of each part: parameters of the module less those of the formula."""
    counted, formula = by_part(parameters(lm)), count_by_part(lm.config)
    return {part: counted.get(part, 0) - formula.get(part, 0) for part in {*counted, *formula}}
