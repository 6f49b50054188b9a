"""The doctor: where two runs of one text part, and the cause by name with its number."""

from .diagnosis import Diagnosis, diagnose

__all__ = ["Diagnosis", "diagnose"]
