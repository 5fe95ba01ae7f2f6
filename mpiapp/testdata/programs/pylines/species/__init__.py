"""Particles of several species that drift along a ring of ranks."""
from .cloud import Cloud
from .ring import Ring

__all__ = ["Cloud", "Ring"]
