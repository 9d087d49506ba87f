"""
Puts an observing function in the place of a method, on the very object: among its own fields, where its class is not touched and other
objects of the class are not met. What has no fields of its own is left as it is, and so is a method that is no function (a test's mock).
"""

from __future__ import annotations

import functools
import types
from typing import Any, Callable, Dict

from ..identity_map import reference_to
from ..runtime import quietly

Run = Callable[..., Any]
StandIn = Callable[..., Any]
"""Called with what runs the method, and the method's own arguments; what it returns, or raises, is the host's."""

_FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType, functools.partial)
_WRAPPED = ("BoundFunctionWrapper", "FunctionWrapper", "cython_function_or_method", "method")


def fields_of(owner: Any) -> Any:
    """The object's own fields; None where it has none that can be set."""
    try:
        fields = object.__getattribute__(owner, "__dict__")
    except AttributeError:
        return None
    return fields if isinstance(fields, dict) else None


def is_function(found: Any) -> bool:
    return isinstance(found, _FUNCTIONS) or type(found).__name__ in _WRAPPED


def override(owner: Any, name: str, stand_in: StandIn, weak: bool = False) -> bool:
    """
    Replaces a method by a function that has its name and documentation. False where there is no such method, or it cannot be replaced.
    With `weak`, the owner is not kept alive by it: it ends when the host lets go of it, as before.
    """
    fields = fields_of(owner)
    found = quietly(getattr, owner, name)
    if fields is None or not is_function(found):
        return False
    previous = fields.get(name)
    kept = reference_to(owner) if weak else lambda: owner

    def method() -> Run:
        # Asked anew each time: what is put on the class later is met, as without the tap.
        here = kept()
        run: Run = previous if previous is not None else getattr(type(here), name).__get__(here, type(here))
        return run

    def it(*args: Any, **kwargs: Any) -> Any:
        return stand_in(method(), *args, **kwargs)

    return put(fields, name, dressed(it, found))


def override_async(owner: Any, name: str, stand_in: StandIn) -> bool:
    """The same for a coroutine function, by one; `stand_in` is one too."""
    fields = fields_of(owner)
    found = quietly(getattr, owner, name)
    if fields is None or not is_function(found):
        return False
    previous = fields.get(name)

    async def it(*args: Any, **kwargs: Any) -> Any:
        run = previous if previous is not None else getattr(type(owner), name).__get__(owner, type(owner))
        return await stand_in(run, *args, **kwargs)

    return put(fields, name, dressed(it, found))


def look_at_returned(owner: Any, name: str, look: Callable[[Any], Any]) -> bool:
    """Replaces a method by itself, and looks at what it returned."""

    def stand_in(run: Run, *args: Any, **kwargs: Any) -> Any:
        returned = run(*args, **kwargs)
        quietly(look, returned)
        return returned

    return override(owner, name, stand_in)


def dressed(it: Any, found: Any) -> Any:
    """The function with the name, documentation and signature of the one it stands in for."""
    quietly(functools.update_wrapper, it, found)
    return it


def put(fields: Dict[str, Any], name: str, value: Any) -> bool:
    fields[name] = value
    return True
