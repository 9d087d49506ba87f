"""
Puts an observing function in the place of a method, on the very object: among its own fields, where its class is not touched and other
objects of the class are not met. What has no fields of its own is left as it is, and so is a method that is no function (a test's mock).
"""

from __future__ import annotations

import functools
import inspect
import types
import weakref
from typing import Any, Callable, Dict

from ..identity_map import IdentityMap
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


def override(owner: Any, name: str, stand_in: StandIn) -> bool:
    """
    Replaces a method by a function that has its name and documentation. False where there is no such method, or it cannot be replaced.
    The owner is one that lives long, a client: it is kept until Python looks for cycles, as clients are by their own parts.
    """
    return _override(owner, name, stand_in, lambda: owner)


def override_passing(owner: Any, stand_ins: Dict[str, StandIn]) -> bool:
    """
    The same of what comes and goes with a call, for each of its methods that is there: the owner ends when the host lets go of it, at the
    very moment it would without the tap. Kept until Python looks for cycles, an open stream could be closed in the middle of another call
    of its client, whose connection pool then waits for itself. True where any method was replaced.
    """
    kept = _passing(owner)
    return any([_override(owner, name, stand_in, kept) for name, stand_in in stand_ins.items()])


def _override(owner: Any, name: str, stand_in: StandIn, kept: Callable[[], Any]) -> bool:
    fields = fields_of(owner)
    found = quietly(getattr, owner, name)
    if fields is None or not is_function(found):
        return False
    previous = fields.get(name)

    def method() -> Run:
        # Asked anew each time: what is put on the class later is met, as without the tap.
        here = kept()
        run: Run = previous if previous is not None else getattr(type(here), name).__get__(here, type(here))
        return run

    first = 1 if isinstance(found, types.MethodType) else 0  # a method is given what it is bound to

    if inspect.iscoroutinefunction(found):

        async def it(*args: Any, **kwargs: Any) -> Any:
            return await stand_in(method(), *args[first:], **kwargs)
    else:

        def it(*args: Any, **kwargs: Any) -> Any:
            return stand_in(method(), *args[first:], **kwargs)

    fields[name] = _dressed(it, found, previous)
    return True


def _dressed(it: Any, found: Any, previous: Any) -> Any:
    """The stand-in with the name, documentation and signature of what it stands in for, and nothing that leads to the owner."""
    if isinstance(found, types.MethodType):
        quietly(functools.update_wrapper, it, found.__func__)
        return types.MethodType(it, it)
    quietly(functools.update_wrapper, it, found)
    if previous is None:  # bound by something else than Python
        it.__dict__.pop("__wrapped__", None)
        it.__signature__ = quietly(inspect.signature, found)
    return it


class _Passing:
    """
    An object that is not kept alive, for its methods. A method that outlives it, as in `create(…).parse()`, where Python lets go of the
    response before it calls, goes on with a twin: an object of the same class over the same fields.
    """

    __slots__ = ("_reference", "_kind", "_fields", "_twin")

    def __init__(self, owner: Any, fields: Dict[str, Any]) -> None:
        self._reference = weakref.ref(owner)
        self._kind = type(owner)
        self._fields = dict(fields)
        self._twin: Any = None

    def __call__(self) -> Any:
        owner = self._reference()
        if owner is None:
            if self._twin is None:
                self._twin = object.__new__(self._kind)
                self._twin.__dict__.update(self._fields)
            owner = self._twin
        return owner


_twinned: IdentityMap[bool] = IdentityMap()


def _passing(owner: Any) -> Callable[[], Any]:
    """What gives the owner, or its twin; one of a kind that fields alone do not make is kept."""
    kind, fields = type(owner), fields_of(owner)
    can = _twinned.get(kind)
    if can is None:
        can = all(_only_fields(base) for base in kind.__mro__)
        _twinned.set(kind, can)
    return _Passing(owner, fields) if can and fields is not None else lambda: owner


def _only_fields(base: type) -> bool:
    """True where objects of the class have no slots, no ending of their own and nothing that is not Python's."""
    names = vars(base)
    slots = [name for name in names if isinstance(names[name], (types.MemberDescriptorType, types.GetSetDescriptorType))]
    return base is object or ("__del__" not in names and "__new__" not in names and not set(slots) - {"__dict__", "__weakref__"})


def look_at_returned(owner: Any, name: str, look: Callable[[Any], Any]) -> bool:
    """Replaces a method by itself, and looks at what it returned."""

    def stand_in(run: Run, *args: Any, **kwargs: Any) -> Any:
        returned = run(*args, **kwargs)
        quietly(look, returned)
        return returned

    return override(owner, name, stand_in)
