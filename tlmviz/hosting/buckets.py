"""How often somebody may do something: a bucket for each address, which is refilled with time."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass, field

KEPT = 10_000  # addresses that are remembered


@dataclass
class Bucket:
    """What somebody may still do: refilled with time, `most` at the fullest."""

    most: float
    per_second: float
    level: float = field(init=False)
    at: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.level = self.most

    def wait(self) -> float:
        """Take one, and say how many seconds too early that was."""
        now = time.monotonic()
        self.level = min(self.most, self.level + (now - self.at) * self.per_second) - 1
        self.at = now
        return max(0.0, -self.level / self.per_second)

    def refusal(self) -> float:
        """As `wait`, of what is refused where it comes too early: that takes nothing, or who asks on would wait for
        ever."""
        wait = self.wait()
        if wait:
            self.level += 1
        return wait


@dataclass
class Buckets:
    """A bucket of `most` for each address, full again after so many `seconds`. The KEPT addresses seen last are
    remembered."""

    most: float
    seconds: float
    by_address: OrderedDict[str, Bucket] = field(default_factory=OrderedDict)

    def __getitem__(self, address: str) -> Bucket:
        if address not in self.by_address:
            self.by_address[address] = Bucket(self.most, self.most / self.seconds)
            if len(self.by_address) > KEPT:
                self.by_address.popitem(last=False)
        self.by_address.move_to_end(address)
        return self.by_address[address]
