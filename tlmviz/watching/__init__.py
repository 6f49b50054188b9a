"""Watching a model of the package transformers: its own forward, and a trace of it. See `watch`."""

from .watched import Watched, watch

__all__ = ["Watched", "watch"]
