"""Figures of the chapter Experts."""
