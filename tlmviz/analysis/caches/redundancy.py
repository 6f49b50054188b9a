"""Head ablation, and heads that share keys and values: the loss a model then has (001, "Redundancy Among Heads").

Losses are nats per token of real passes over the text; several variants of the model run as one batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from einops import einsum, rearrange
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from tlmviz.errors import BadText, UnknownName
from tlmviz.protocols import LanguageModelLike
from tlmviz.recording import Recording
from tlmviz.tracing.trace import Edit, recording

Text = Sequence[int]  # token ids
BATCH_TOKENS = 4096  # of all variants that run together: bounds memory
HOW = ("zero", "mean")
ORDERS = ("single", "greedy", "random")

# --- losses of many variants ------------------------------------------------------------------------------


def losses(
    lm: LanguageModelLike, ids: Text, edits: Callable[[slice], dict[str, Edit]], count: int
) -> Float[Tensor, " n"]:
    """Nats per token of `count` variants of the model; `edits(part)` changes a batch whose rows are the variants
    `part`.

    Raises BadText for a text of one token, which predicts nothing.
    """
    if len(ids) < 2:
        raise BadText("The text has one token, so there is no next token to predict; type at least one more.")
    line, found = torch.tensor([list(ids)]), []
    size = max(1, BATCH_TOKENS // len(ids))
    for start in range(0, count, size):
        part = slice(start, min(start + size, count))
        batch = line.expand(part.stop - start, -1)
        with torch.inference_mode(), recording(lambda name: False, edits(part)):
            logits = lm(batch)[:, :-1]
        targets = line[:, 1:].expand(len(batch), -1)
        found.append(F.cross_entropy(logits.transpose(1, 2).float(), targets, reduction="none").mean(1))
    return torch.cat(found)


def pruned_losses(
    lm: LanguageModelLike, ids: Text, kept: Float[Tensor, "n l h"], how: str = "zero"
) -> Float[Tensor, " n"]:
    """Loss of N variants in which heads with 0 in `kept` say nothing: zero, or their mean over this text ("mean")."""
    if how not in HOW:
        raise UnknownName(f"Heads can be muted by 'zero' or 'mean', not {how!r}.")

    def edits(part: slice) -> dict[str, Edit]:
        def mute(layer: int) -> Edit:
            keep = kept[part, layer, :, None, None].to(lm.device)

            def edit(z: Tensor, record: Recording) -> Tensor:  # [B, H, T, D]
                return z * keep if how == "zero" else torch.lerp(z.mean(2, keepdim=True), z, keep)

            return edit

        return {f"blocks.{layer}.attn.z": mute(layer) for layer in range(kept.shape[1])}

    return losses(lm, ids, edits, len(kept))


# --- pruning ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Losses:
    """Nats per token after 0, 1, 2, ... changes: on the text that chose them, and on other texts, which did not."""

    here: tuple[float, ...]
    elsewhere: tuple[float, ...]


def single_effects(lm: LanguageModelLike, ids: Text, how: str = "zero") -> Float[Tensor, "l h"]:
    """What muting each head alone adds to the loss, [L, H] nats per token."""
    layers, heads = lm.config.n_layers, lm.config.n_heads
    kept = torch.ones(1 + layers * heads, layers * heads)
    kept[1:].fill_diagonal_(0)
    found = pruned_losses(lm, ids, kept.unflatten(1, (layers, heads)), how)
    return (found[1:] - found[0]).unflatten(0, (layers, heads))


def pruning_order(
    lm: LanguageModelLike, ids: Text, order: str = "single", how: str = "zero", seed: int = 0
) -> list[tuple[int, int]]:
    """All heads as (layer, head), in the order in which they are muted.

    "single": what muting each alone adds to the loss, least first; "greedy": at every step the head whose loss is least
    now, all remaining ones tried; "random": drawn with `seed`. Raises UnknownName, BadText.
    """
    layers, heads = lm.config.n_layers, lm.config.n_heads
    if order == "single":
        return list(least_first(single_effects(lm, ids, how)))
    if order == "random":
        chosen = torch.randperm(layers * heads, generator=torch.Generator().manual_seed(seed)).tolist()
        return [divmod(head, heads) for head in chosen]
    if order == "greedy":
        muted: list[tuple[int, int]] = []
        while len(muted) < layers * heads:
            muted.append(greedy_step(lm, ids, muted, how))
        return muted
    raise UnknownName(f"There is no order {order!r}; choose one of {', '.join(ORDERS)}.")


def least_first(effects: Float[Tensor, "l h"]) -> tuple[tuple[int, int], ...]:
    """The heads (layer, head) by what muting each alone adds to the loss, least first."""
    heads = effects.shape[1]
    return tuple(divmod(head, heads) for head in effects.flatten().argsort(stable=True).tolist())


def greedy_step(
    lm: LanguageModelLike, ids: Text, muted: Sequence[tuple[int, int]], how: str = "zero"
) -> tuple[int, int]:
    """The head (layer, head) that is missed least when it is ablated beside the muted ones."""
    layers, heads = lm.config.n_layers, lm.config.n_heads
    left = [head for head in range(layers * heads) if divmod(head, heads) not in muted]
    kept = torch.zeros(len(left), layers * heads)
    kept[:, left] = 1
    kept[range(len(left)), left] = 0
    return divmod(left[int(pruned_losses(lm, ids, kept.unflatten(1, (layers, heads)), how).argmin())], heads)


def prune(
    lm: LanguageModelLike, ids: Text, order: Sequence[tuple[int, int]], how: str = "zero", others: Sequence[Text] = ()
) -> Losses:
    """Loss with 0, 1, ... all of the heads in `order` muted, on this text and on others."""
    kept = torch.ones(len(order) + 1, lm.config.n_layers, lm.config.n_heads)
    for step, (layer, head) in enumerate(order, start=1):
        kept[step:, layer, head] = 0
    return _here_and_elsewhere(lambda text: pruned_losses(lm, text, kept, how), ids, others)


def _here_and_elsewhere(measure: Callable[[Text], Tensor], ids: Text, others: Sequence[Text]) -> Losses:
    """Other texts count by their tokens."""
    weights = torch.tensor([len(text) - 1.0 for text in others])
    elsewhere = weights @ torch.stack([measure(text) for text in others]) / weights.sum() if others else torch.zeros(0)
    return Losses(tuple(measure(ids).tolist()), tuple(elsewhere.tolist()))


# --- sharing keys and values -----------------------------------------------------------------------------


def shareable(lm: LanguageModelLike) -> int:
    """G, where keys and values of a layer can be merged. Raises UnknownName where there is nothing to merge."""
    if lm.config.attention.latent_dim is not None:
        raise UnknownName(
            f"{lm.name} caches one latent for all heads: there are no keys and values of its own to share."
        )
    if lm.config.n_kv_heads == 1:
        raise UnknownName(f"{lm.name} has one key/value head, which all query heads share already.")
    return lm.config.n_kv_heads


def shared_losses(lm: LanguageModelLike, ids: Text, mixing: Float[Tensor, "n l g g"]) -> Float[Tensor, " n"]:
    """Loss of N variants whose key/value head i of a layer is the sum over j of mixing[i, j] times head j.

    Averaging keys after RoPE is averaging W_K before it: a rotation is linear, and the same in every head.
    """

    def edits(part: slice) -> dict[str, Edit]:
        def mix(layer: int) -> Edit:
            weights = mixing[part, layer].to(lm.device)
            return lambda x, record: einsum(weights, x, "b i j, b j t d -> b i t d")

        return {f"blocks.{layer}.attn.{kv}": mix(layer) for layer in range(mixing.shape[1]) for kv in "kv"}

    return losses(lm, ids, edits, len(mixing))


def averaging(groups: Sequence[Sequence[int]], count: int) -> Float[Tensor, "g g"]:
    """The mixing matrix that gives every head of a group the group's mean."""
    matrix = torch.zeros(count, count)
    for group in groups:
        members = torch.tensor(group)
        matrix[members[:, None], members] = 1 / len(group)
    return matrix


def kv_similarity(lm: LanguageModelLike, similarity: Float[Tensor, "n n"]) -> Float[Tensor, "l g g"]:
    """Similarity of key/value heads within each layer: the mean over the query heads that read them."""
    layers, heads, groups = lm.config.n_layers, lm.config.n_heads, lm.config.n_kv_heads
    blocks = rearrange(similarity, "(a h) (b i) -> a b h i", a=layers, b=layers)[range(layers), range(layers)]
    return rearrange(blocks, "l (g p) (h q) -> l g h p q", g=groups, h=groups, p=heads // groups).mean((-1, -2))


def pair_effects(lm: LanguageModelLike, ids: Text) -> dict[tuple[int, int, int], float]:
    """What merging two key/value heads of a layer adds to the loss, for every (layer, a, b) with a < b."""
    groups, layers = shareable(lm), lm.config.n_layers
    pairs = [(layer, a, b) for layer in range(layers) for a in range(groups) for b in range(a + 1, groups)]
    mixing = torch.eye(groups).repeat(1 + len(pairs), layers, 1, 1)
    for row, (layer, a, b) in enumerate(pairs, start=1):
        rest = [[g] for g in range(groups) if g not in (a, b)]
        mixing[row, layer] = averaging([[a, b], *rest], groups)
    found = shared_losses(lm, ids, mixing)
    return {pair: (loss - found[0]).item() for pair, loss in zip(pairs, found[1:])}


def sharing_order(lm: LanguageModelLike, similarity: Float[Tensor, "n n"]) -> list[tuple[int, int, int]]:
    """Which groups of key/value heads are merged, as (layer, group, group), until every layer has one head left.

    Always the two most similar groups of any layer; a group is named by its first head and as similar to another as
    their members are on average. Raises UnknownName where there is nothing to merge.
    """
    count, layers = shareable(lm), lm.config.n_layers
    alike = kv_similarity(lm, similarity).nan_to_num(-1.0)
    groups, merged = [[[g] for g in range(count)] for _ in range(layers)], []
    for _ in range(layers * (count - 1)):
        pairs = [(layer, a, b) for layer, part in enumerate(groups) for i, a in enumerate(part) for b in part[i + 1 :]]
        layer, a, b = max(pairs, key=lambda pair: alike[pair[0]][pair[1]][:, pair[2]].mean().item())
        groups[layer] = sorted([*(group for group in groups[layer] if group not in (a, b)), a + b])
        merged.append((layer, a[0], b[0]))
    return merged


def share(
    lm: LanguageModelLike, ids: Text, order: Sequence[tuple[int, int, int]], others: Sequence[Text] = ()
) -> Losses:
    """Loss after 0, 1, ... all merges in `order`, on this text and on others.

    A merged group reads the mean of its members' keys and values, as GQA is made from MHA before it is trained on
    (Ainslie et al. 2023, section 2.1); here nothing is trained.
    """
    count, layers = shareable(lm), lm.config.n_layers
    groups = [{g: [g] for g in range(count)} for _ in range(layers)]
    steps = [torch.eye(count).repeat(layers, 1, 1)]
    for layer, a, b in order:
        groups[layer][a] += groups[layer].pop(b)
        step = steps[-1].clone()
        step[layer] = averaging(list(groups[layer].values()), count)
        steps.append(step)
    mixing = torch.stack(steps)
    return _here_and_elsewhere(lambda text: shared_losses(lm, text, mixing), ids, others)
