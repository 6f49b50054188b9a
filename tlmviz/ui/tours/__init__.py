"""Guided walks through the pages: a table of steps each, and the bar that shows one step at the bottom of its page."""
