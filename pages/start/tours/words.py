"""The words of the page Tours."""

from __future__ import annotations

CLAIM = "Guided walks through the pages: each step sets a page, lights a place, and asks what you expect."
NOTICE = (
    "Every step is a page as it is: type another text, choose another head, and go on when you like.",
    "Answers are measured on the models when you give yours; nothing is written down beforehand.",
    "Leave a tour anywhere. Its address holds the step and your answers, and this page offers to go on with it.",
)
