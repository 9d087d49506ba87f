"""
Reads the host's objects without ever disturbing it: a property that raises reads as absent, and our own faults are swallowed.
Paths are given in one string, separated by spaces, with dots between names; the first that fits is taken.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Callable, Dict, List, Optional, Tuple

Paths = Tuple[Tuple[str, ...], ...]
_known: Dict[str, Paths] = {}
_field = object.__getattribute__


def _parsed(paths: str) -> Paths:
    parsed = _known.get(paths)
    if parsed is None:
        parsed = _known[paths] = tuple(tuple(path.split(".")) for path in paths.split(" "))
    return parsed


def _is_there(found: Any) -> bool:
    return found is not None


def at(value: Any, paths: str, fits: Callable[[Any], Any] = _is_there) -> Any:
    """The first value that exists, or that fits, at one of the paths of attributes; else None."""
    for path in _parsed(paths):
        here = value
        try:
            for name in path:
                here = getattr(here, name)
            if fits(here):
                return here
        except Exception:
            continue
    return None


def own(value: Any, paths: str, fits: Callable[[Any], Any] = _is_there) -> Any:
    """The same for dictionaries, lists and own fields: properties that the host's classes compute on demand are not read."""
    for path in _parsed(paths):
        here = value
        for name in path:
            here = _own_field(here, name)
            if here is None:
                break
        if fits(here):
            return here
    return None


def _own_field(here: Any, name: str) -> Any:
    if isinstance(here, dict):
        return dict.get(here, name)
    if isinstance(here, list):
        return here[int(name)] if name.isdigit() and int(name) < len(here) else None
    try:
        fields = _field(here, "__dict__")
    except AttributeError:
        return None
    found = fields.get(name)
    if found is None:
        try:  # pydantic keeps fields that its model does not name in a separate place
            extra = _field(here, "__pydantic_extra__")
        except AttributeError:
            return None
        found = extra.get(name) if extra else None
    return found


def list_at(value: Any, paths: str) -> List[Any]:
    """The elements of the first list at one of the own paths; none if there is no list."""
    found = own(value, paths, _is_list)
    return list(found) if found is not None else []


def _is_list(found: Any) -> bool:
    return isinstance(found, (list, tuple))


def text_in(value: Any, paths: str) -> Optional[str]:
    """The first non-empty string at one of the own paths; of a member of an enumeration, its value."""
    found = own(value, paths, _is_text)
    text: Optional[str] = found.value if isinstance(found, Enum) else found
    return text


def _is_text(found: Any) -> bool:
    return isinstance(found.value if isinstance(found, Enum) else found, str) and found != ""


def figure_in(value: Any, paths: str) -> Optional[int]:
    """The first whole number of at least 0 at one of the own paths."""
    found = own(value, paths, _is_figure)
    return int(found) if found is not None else None


def _is_figure(found: Any) -> bool:
    if isinstance(found, float):
        return found.is_integer() and found >= 0
    return isinstance(found, int) and not isinstance(found, bool) and found >= 0
