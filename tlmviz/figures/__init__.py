"""Figures: pure functions from NumPy arrays to Plotly figures, by chapter, and the kit all of them share."""

from .axes import Named, log_ticks, named_axes, tick_text, ticks, token_axis, turn
from .chart import FIXED_MARGIN, MONO, figure, layout, note, points_by
from .heatmap import colorbar, rooted
from .player import Layer, animated, walked
from .shapes import frame, row_frame, shaded, upright
from .theme import DARK, GROUPS, HEADS, KEY, LIGHT, QUERY, THEMES, Theme, faded, palette, rgb, scale
from .tokens import escaped, placed, readable, readable_all, token_label, token_labels
from .written import MISSING, minus, number, percent

__all__ = [
    "MISSING",
    "minus",
    "number",
    "percent",
    "DARK",
    "KEY",
    "QUERY",
    "GROUPS",
    "FIXED_MARGIN",
    "HEADS",
    "LIGHT",
    "Layer",
    "MONO",
    "THEMES",
    "Named",
    "Theme",
    "animated",
    "colorbar",
    "escaped",
    "faded",
    "figure",
    "frame",
    "layout",
    "log_ticks",
    "named_axes",
    "note",
    "palette",
    "points_by",
    "readable",
    "rgb",
    "rooted",
    "row_frame",
    "scale",
    "shaded",
    "tick_text",
    "ticks",
    "token_axis",
    "token_label",
    "token_labels",
    "placed",
    "readable_all",
    "turn",
    "upright",
    "walked",
]
