"""
Replaces a method by an observing function, on the object itself: among its own fields, so that its class and the class's other objects are
not touched. An object without fields of its own is left as it is, and so is a method that is not a function (a test's mock).
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
"""Called with a function that runs the method, and with the method's own arguments; the host receives what it returns or raises."""

_FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType, functools.partial)
_WRAPPED = ("BoundFunctionWrapper", "FunctionWrapper", "cython_function_or_method", "method")


def fields_of(owner: Any) -> Any:
    """The object's own fields; None if it has none that can be set."""
    try:
        fields = object.__getattribute__(owner, "__dict__")
    except AttributeError:
        return None
    return fields if isinstance(fields, dict) else None


def is_function(found: Any) -> bool:
    return isinstance(found, _FUNCTIONS) or type(found).__name__ in _WRAPPED


def override(owner: Any, name: str, stand_in: StandIn) -> bool:
    """
    Replaces a method by a function that has its name and documentation. False if there is no such method, or it cannot be replaced.
    For owners that live long, such as clients: the owner then lives until Python collects cycles, as clients do because of their own parts.
    """
    return _override(owner, name, stand_in, lambda: owner)


def override_passing(owner: Any, stand_ins: Dict[str, StandIn]) -> bool:
    """
    The same for objects that live as long as a call, for each of the methods that they have: the owner is freed when the host releases it, at
    the same moment as without the tap. If it lived until Python collects cycles, an open stream could be closed in the middle of another call
    of its client, whose connection pool then waits for itself. True if any method was replaced.
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
        # Looked up each time: what is put on the class later takes effect, as without the tap.
        here = kept()
        run: Run = previous if previous is not None else getattr(type(here), name).__get__(here, type(here))
        return run

    first = 1 if isinstance(found, types.MethodType) else 0  # a method's first argument is the object it is bound to

    if inspect.iscoroutinefunction(found):

        async def it(*args: Any, **kwargs: Any) -> Any:
            return await stand_in(method(), *args[first:], **kwargs)
    else:

        def it(*args: Any, **kwargs: Any) -> Any:
            return stand_in(method(), *args[first:], **kwargs)

    fields[name] = _dressed(it, found, previous)
    return True


def _dressed(it: Any, found: Any, previous: Any) -> Any:
    """The stand-in with the name, documentation and signature of the method, and without a reference to the owner."""
    if isinstance(found, types.MethodType):
        quietly(functools.update_wrapper, it, found.__func__)
        return types.MethodType(it, it)
    quietly(functools.update_wrapper, it, found)
    if previous is None:  # not bound by Python
        it.__dict__.pop("__wrapped__", None)
        it.__signature__ = quietly(inspect.signature, found)
    return it


class _Passing:
    """
    An object, for its methods, that is not kept alive. A method may outlive it, as in `create(…).parse()`, where Python releases the response
    before the call: it then continues with a twin, an object of the same class over the same fields.
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
    """Returns the owner, or its twin. An owner that cannot be remade from its fields is kept alive."""
    kind, fields = type(owner), fields_of(owner)
    can = _twinned.get(kind)
    if can is None:
        can = all(_only_fields(base) for base in kind.__mro__)
        _twinned.set(kind, can)
    return _Passing(owner, fields) if can and fields is not None else lambda: owner


def _only_fields(base: type) -> bool:
    """True if the class adds no slots, no native attributes, and neither `__del__` nor `__new__`."""
    names = vars(base)
    slots = [name for name in names if isinstance(names[name], (types.MemberDescriptorType, types.GetSetDescriptorType))]
    return base is object or ("__del__" not in names and "__new__" not in names and not set(slots) - {"__dict__", "__weakref__"})


def look_at_returned(owner: Any, name: str, look: Callable[[Any], Any]) -> bool:
    """Lets a method run as it is, and looks at what it returned."""

    def stand_in(run: Run, *args: Any, **kwargs: Any) -> Any:
        returned = run(*args, **kwargs)
        quietly(look, returned)
        return returned

    return override(owner, name, stand_in)
