"""Lessons: one picture, one sentence, one question; each a table of scenes."""
