"""Where attention goes in a conversation: to what the system, the user or the assistant said, to the template, or to
the sink."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from tlmviz import kernels
from tlmviz.errors import BadShape
from tlmviz.tracing.trace import AttentionSpec, Trace

SINK = "sink"  # the first token, whatever its role: heads that do nothing rest there
PARTIES = ("system", "user", "assistant", "template", SINK)
WEIGHTS_AT_ONCE = 1 << 22  # numbers: 16 MB


@dataclass(frozen=True)
class RoleShares:
    """`shares` [L, H, P]: of the attention of some queries, the mean part that goes to each of the `parties`; sums to
    1."""

    parties: tuple[str, ...]
    shares: Float[Tensor, "l h p"]
    queries: int  # how many were averaged

    def of(self, party: str) -> Float[Tensor, "l h"]:
        """One party's share, per layer and head."""
        return self.shares[..., self.parties.index(party)]


@torch.inference_mode()
def role_shares(trace: Trace, roles: Sequence[str], queries: str | Sequence[int] | None = None) -> RoleShares:
    """Per layer and head, the share of attention that goes to each role and to the first token.

    `roles` [T] as `Conversation.roles` has them; `queries` counts only queries of that role, or at those positions,
    None all of them. Rows are made a strip at a time, so that no map is held whole. Raises BadShape: a role for each
    token, and queries that exist.
    """
    if len(roles) != len(trace):
        raise BadShape(f"There are {len(roles)} roles and {len(trace)} tokens; give one role for each token.")
    parties = (*dict.fromkeys((*PARTIES[:-1], *roles)), SINK)
    asked = _asked(roles, queries)
    where = torch.tensor([parties.index(role) for role in roles])
    where[0] = len(parties) - 1
    member = torch.nn.functional.one_hot(where, len(parties)).float()  # [S, P]
    layers = [_shares(q, k, lse, spec, member, asked) for q, k, lse, spec in trace.batches()]  # [1 or L, H, P] each
    shares = torch.cat(layers)
    for layer, head in trace.replaced_rows:  # rows that an edit put in the map's place stand in no q and k
        rows = [trace.attention(layer, head, slice(row, row + 1))[0] for row in asked.nonzero()[:, 0].tolist()]
        shares[layer, head] = torch.stack(rows).mean(0) @ member
    return RoleShares(parties, shares, int(asked.sum()))


def _asked(roles: Sequence[str], queries: str | Sequence[int] | None) -> Tensor:
    """Which queries count, [T]. Raises BadShape where none does."""
    if queries is None or isinstance(queries, str):
        asked = torch.tensor([queries in (None, role) for role in roles])
        if not asked.any():
            raise BadShape(f"No token has the role {queries!r}; choose one of {', '.join(dict.fromkeys(roles))}.")
        return asked
    wanted = {position for position in queries if 0 <= position < len(roles)}
    if not wanted or len(wanted) < len(set(queries)):
        raise BadShape(f"The queries are {list(queries)[:8]}; give positions from 0 to {len(roles) - 1}, at least one.")
    return torch.tensor([position in wanted for position in range(len(roles))])


def _shares(q: Tensor, k: Tensor, lse: Tensor, spec: AttentionSpec, member: Tensor, asked: Tensor) -> Tensor:
    """The mean over the rows asked for of a batch of maps times `member`: [B, H, P]."""
    batch, heads, length, _ = q.shape
    strip = max(1, WEIGHTS_AT_ONCE // (batch * heads * length))
    total = q.new_zeros(batch, heads, member.shape[1])
    for start in range(0, length, strip):
        rows = slice(start, min(start + strip, length))
        if asked[rows].any():
            weights = kernels.attention_map(q, k, lse, spec.mask, rows=rows, scale=spec.scale)[:, :, asked[rows]]
            total += (weights @ member).sum(2)
    return total / asked.sum()
