"""
What is known about the host's objects, by identity and not by equality: models of LangChain are equal by their fields and cannot be hashed.
An object is forgotten when it is gone; one that cannot be weakly referenced is kept.
"""

from __future__ import annotations

import weakref
from typing import Any, Callable, Dict, Generic, Optional, Tuple, TypeVar

Known = TypeVar("Known")


def reference_to(owner: Any) -> Callable[[], Any]:
    """Returns the object while it lives, or for good if it cannot be weakly referenced."""
    try:
        return weakref.ref(owner)
    except TypeError:
        return lambda: owner


class IdentityMap(Generic[Known]):
    """Objects → what is known about them."""

    def __init__(self) -> None:
        self._entries: Dict[int, Tuple[Callable[[], Any], Known]] = {}

    def get(self, owner: Any) -> Optional[Known]:
        entry = self._entries.get(id(owner))
        return entry[1] if entry is not None and entry[0]() is owner else None

    def set(self, owner: Any, known: Known) -> None:
        key, entries = id(owner), self._entries
        try:
            reference: Callable[[], Any] = weakref.ref(owner, lambda _: entries.pop(key, None))
        except TypeError:
            reference = reference_to(owner)
        entries[key] = (reference, known)

    def set_while_it_lives(self, owner: Any, known: Known) -> bool:
        """False, and nothing is kept, if the object cannot be weakly referenced."""
        try:
            weakref.ref(owner)
        except TypeError:
            return False
        self.set(owner, known)
        return True
