"""
The package's entry: ``tap(client, tag)`` reports one content-free event for each model call of a provider client.
"""

from .version import __version__
from .wrap import tap

__all__ = ["__version__", "tap"]
