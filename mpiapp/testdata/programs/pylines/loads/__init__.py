"""How much work ranks have, and how they tell each other."""
from .channel import Channel

__all__ = ["Channel"]
