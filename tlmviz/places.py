"""Which patch of an image or a video each token is, found by changing pixels and never by counting; and what it is
called."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from .errors import BadShape
from .patches import Patches, from_channels


@dataclass(frozen=True, eq=False)
class Cut:
    """Pixels and how they are cut: `numbers`, broadcast to the pixels, say of which patch each is, -1 for none.

    `places` are the image, tube of frames, row and column of each patch [N, 4]; `size` its frames and its rows and
    columns.
    """

    pixels: Tensor
    numbers: Tensor
    places: Tensor
    size: tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class Places:
    """What tokens are [rows, T]: the number of a patch, beyond those of all patches one of `learned`, -1 where it is
    unknown."""

    found: Tensor
    cut: Cut
    learned: Sequence[str] = ()

    @property
    def grid(self) -> tuple[int, int] | None:
        """Rows and columns of whole patches; None where no token is known to be one."""
        if self.cut.pixels.ndim < 4 or not len(self._places(self.found)):
            return None
        height, width = self.cut.pixels.shape[-2:]
        return height // self.cut.size[1], width // self.cut.size[2]

    def names(self, row: int) -> list[str]:
        """Names: "[CLS]", "patch 0,1", "frames 2-3, patch 0,1", "image 0, patch 0,1" in a row of several; "token 3"
        unknown."""
        several = len(self._places(self.found[row])[:, 0].unique()) > 1
        return [self._name(place, number, several) for place, number in enumerate(self.found[row].tolist())]

    def picture(self, row: int, where: Tensor) -> Patches | None:
        """The image whose patches, in reading order, the last of a row's tokens `where` are; None where they are
        not."""
        found = self.found[row, where.to(self.found.device)]
        known = self._places(found)
        if self.cut.pixels.ndim != 4 or not len(known):
            return None
        image, _, rows, columns = (known[-1] + torch.tensor([0, 0, 1, 1], device=known.device)).tolist()
        whole = [[image, 0, y, x] for y in range(rows) for x in range(columns)]
        if known.tolist() != whole or len(self._places(found[-len(whole) :])) < len(whole):
            return None
        part = self.cut.pixels[image, :, : rows * self.cut.size[1], : columns * self.cut.size[2]]
        return from_channels(part.float().cpu().numpy(), rows, columns)

    def _places(self, found: Tensor) -> Tensor:
        """Image, tube, row and column of those tokens that are patches, [N, 4]."""
        return self.cut.places[found[(found >= 0) & (found < len(self.cut.places))]]

    def _name(self, place: int, number: int, several: bool) -> str:
        if number < 0:
            return f"token {place}"
        if number >= len(self.cut.places):
            return self.learned[number - len(self.cut.places)]
        image, tube, row, column = self.cut.places[number].tolist()
        name = f"patch {row},{column}"
        if self.cut.pixels.ndim == 5:
            first = tube * self.cut.size[0]
            last = min(first + self.cut.size[0], self.cut.pixels.shape[1]) - 1
            name = (f"frame {first}, " if first == last else f"frames {first}-{last}, ") + name
        return f"image {image}, {name}" if several else name


def cut(pixels: Tensor, size: tuple[int, int, int], shapes: Tensor | None = None) -> Cut:
    """Images [B, C, height, width] or videos [B, frames, C, height, width] in patches of so many frames, rows and
    columns.

    Or patches [B, N, pixels] that were cut before, in reading order, by each image's rows and columns: `shapes` [B, 2].
    Raises BadShape for other axes.
    """
    device = pixels.device
    if pixels.ndim == 3 and shapes is not None:
        numbers, places = _numbered(pixels.shape[:2], (1, 1), device)
        image, place = places.T
        rows, columns = shapes.to(device)[image].T
        places = torch.stack([image, torch.zeros_like(image), place // columns, place % columns], 1)
        numbers = numbers.where((place < rows * columns).view_as(numbers), -1)
        return Cut(pixels, numbers[:, :, None], places, size)
    if pixels.ndim == 4:
        numbers, places = _numbered((len(pixels), 1, *pixels.shape[2:]), (1, *size), device)
        return Cut(pixels, numbers, places, size)  # an image is its only frame, however many a tube has
    if pixels.ndim == 5:
        count, frames, _, height, width = pixels.shape
        numbers, places = _numbered((count, frames, height, width), (1, *size), device)
        return Cut(pixels, numbers[:, :, None], places, size)
    raise BadShape(f"The pixels are {list(pixels.shape)}; give [B, C, height, width] or [B, frames, C, height, width].")


def sources(
    run: Callable[[Mapping[str, Tensor]], Tensor],
    tensors: Mapping[str, Tensor],
    numbers: Mapping[str, Tensor],
    plain: Tensor,
) -> Tensor:
    """Which part of its input each token of `plain = run(tensors)` [rows, T, N] is made of, and of no other: its
    number, else -1.

    `numbers`, broadcast to the tensors, say which part each cell is; -1 for none. Each part is changed in half of the
    runs, in a choice of its own: 10 runs for 252 parts. A token of one part changes in just these, one of several in
    more than half. Several tokens of one part are each a piece of it, and get -1 too.
    """
    count = 1 + max(int(number.max()) for number in numbers.values())
    runs = next(runs for runs in itertools.count(2) if math.comb(runs, runs // 2) >= count)
    choices = itertools.islice(itertools.combinations(range(runs), runs // 2), count)
    words = torch.tensor([sum(1 << number for number in choice) for choice in choices], device=plain.device)
    other = {name: part + (1 + part.abs().max()) * _wave(part) for name, part in tensors.items()}
    changed = torch.zeros(plain.shape[:2], dtype=torch.long, device=plain.device)
    for number in range(runs):
        mixed = {}
        for name, part in tensors.items():
            own = numbers[name]
            chosen = (own >= 0) & (words.to(own.device)[own] >> number & 1).bool()
            mixed[name] = other[name].where(chosen, part)
        changed += (run(mixed) != plain).any(-1).long() << number
    known = torch.full((1 << runs,), -1, device=plain.device)
    known[words] = torch.arange(count, device=plain.device)
    found = known[changed]
    for row in found:
        _, same, counts = row.unique(return_inverse=True, return_counts=True)
        row[counts[same] > 1] = -1
    return found


def _numbered(sides: Sequence[int], steps: Sequence[int], device: torch.device) -> tuple[Tensor, Tensor]:
    """A grid cut into blocks of these steps: each cell's block as a number [*sides], and each block's place [N,
    axes]."""
    axes = [torch.arange(side, device=device) // step for side, step in zip(sides, steps)]
    places = torch.cartesian_prod(*(axis.unique() for axis in axes))
    numbers = torch.arange(len(places), device=device).view([int(axis[-1]) + 1 for axis in axes])
    for number, axis in enumerate(axes):
        numbers = numbers.index_select(number, axis)
    return numbers, places


def _wave(part: Tensor) -> Tensor:
    """Numbers between -1 and 1 that no sum of a few makes 0, the same each time, drawn from no generator."""
    return torch.arange(1, part.numel() + 1, device=part.device).sin().view(part.shape).to(part)
