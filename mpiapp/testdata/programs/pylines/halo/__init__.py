"""Rows of a field that neighbours in a line of ranks exchange."""
from .line import Line

__all__ = ["Line"]
