"""All lessons, in the order in which they are taken: name -> lesson."""

from __future__ import annotations

from . import (
    aligned,
    back,
    block,
    cheap,
    experts,
    finding,
    looking,
    next_word,
    scores,
    search,
    small,
    streams,
    tiles,
    vectors,
    where,
)
from .parts import Lesson

LESSONS: dict[str, Lesson] = {
    module.LESSON.name: module.LESSON
    for module in (
        next_word,
        looking,
        finding,
        scores,
        block,
        where,
        cheap,
        search,
        aligned,
        streams,
        experts,
        vectors,
        tiles,
        small,
        back,
    )
}
