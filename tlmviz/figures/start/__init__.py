"""Figures of the chapter Start."""
