"""
What is known of objects of the host, by the object itself and not by what it is equal to: models of LangChain are equal by their fields and
cannot be hashed. An object is forgotten when it is gone; one that cannot be referred to weakly is kept.
"""

from __future__ import annotations

import weakref
from typing import Any, Callable, Dict, Generic, Optional, Tuple, TypeVar

Known = TypeVar("Known")


def reference_to(owner: Any) -> Callable[[], Any]:
    """What gives the object while it lives, or for good where it cannot be referred to weakly."""
    try:
        return weakref.ref(owner)
    except TypeError:
        return lambda: owner


class IdentityMap(Generic[Known]):
    """Objects → what is known of them."""

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
        """False, and nothing is kept, where the object cannot be referred to weakly."""
        try:
            weakref.ref(owner)
        except TypeError:
            return False
        self.set(owner, known)
        return True
