"""Tokens as text in a figure."""

from __future__ import annotations


def readable(token: str) -> str:
    """One token with its spaces and newlines visible and nothing unprintable in it."""
    text = token.replace("<|endoftext|>", "⟨start⟩").replace("\n", "⏎").replace("\t", "⇥")
    text = "".join(char if char.isprintable() else "�" for char in text)
    return "·" * len(text) if text and not text.strip() else text.strip()


def escaped(text: str) -> str:
    """Text without markup that Plotly would parse."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def token_label(token: str, limit: int = 14) -> str:
    """One token as axis text: readable, cut to `limit` characters, without markup."""
    text = readable(token)
    return escaped(text if len(text) <= limit else text[: limit - 1] + "…")
