"""The words of the page Glossary."""

from __future__ import annotations

CLAIM = "Every term that pages explain, in a sentence or two, and where it is used."
UNKNOWN = "No term is called “{asked}”; search among the {count} that there are."
NOTICE = (
    "Terms with a dotted line, on any page, say what is written here: point at one, or tap it.",
    "The pages beside a term are those whose texts have it, most often first. They are counted, not chosen.",
    "The sign # before a term is its link: it opens this page with the term lit.",
)
