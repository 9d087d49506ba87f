"""
Observes the WebSocket connections that the OpenAI SDK's `responses.connect` and `realtime.connect` make: each response on a connection is one
call. What the host sends and receives is observed on the connection itself.
"""

from __future__ import annotations

import inspect
from typing import Any, Dict, List, Type

from ..identity_map import IdentityMap
from ..runtime import native, quietly
from .call import Hold
from .connection_calls import ConnectionCalls
from .in_place import fields_of, look_at_returned, override, override_passing

_CONNECTING = ("responses", "realtime")
"""Parts of a client that make connections."""


def observe_connections(hold: Hold) -> None:
    """Observes the connections that a client of the OpenAI SDK will make."""
    if any("realtime" in vars(base) for base in type(hold.client).__mro__):
        _hear_parts(hold.client, hold)


class _Fields(Dict[str, Any]):
    """
    An object's own fields. Its class makes a part when it is first asked for, and keeps it here: that is the moment at which it is observed. To
    make it before would load modules that the host may never need, and make a cycle of each client.
    """

    __slots__ = ("_hold",)

    def __init__(self, fields: Dict[str, Any], hold: Hold) -> None:
        super().__init__(fields)
        self._hold = hold

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, value)
        quietly(_observe_part, name, value, self._hold)


def _hear_parts(owner: Any, hold: Hold) -> None:
    fields = _Fields(owner.__dict__, hold)
    owner.__dict__ = fields
    for name in list(fields):
        _observe_part(name, fields[name], hold)


def _observe_part(name: str, part: Any, hold: Hold) -> None:
    if name in _CONNECTING:
        look_at_returned(part, "connect", lambda manager: _observe_manager(hold, manager))
    elif name == "beta":
        _hear_parts(part, hold)


class _Managed:
    """What is known of one context manager: messages that it sends once it is entered."""

    def __init__(self, hold: Hold, model: Any) -> None:
        self.hold = hold
        self.model = model if isinstance(model, str) else None
        self.waiting: List[Any] = []

    def entered(self, connection: Any) -> None:
        calls = ConnectionCalls(self.hold, self.model)
        for event in self.waiting:
            quietly(calls.sent, event)
        observe_connection(connection, calls)


_heard_kinds: IdentityMap[Type[Any]] = IdentityMap()
_FIELD = "_metergate_tap"


def _observe_manager(hold: Hold, manager: Any) -> None:
    """Python looks up how a manager is entered in its class, so it gets one of its own, which differs in nothing else."""
    fields = fields_of(manager)
    kind = type(manager)
    if fields is None or not (hasattr(kind, "__enter__") or hasattr(kind, "__aenter__")):
        return
    model = next((value for name, value in fields.items() if name.endswith("__model")), None)
    managed = fields[_FIELD] = _Managed(hold, model)

    def send(run: Any, event: Any, *args: Any, **kwargs: Any) -> Any:
        managed.waiting.append(event)
        return run(event, *args, **kwargs)

    override(manager, "send", send)
    heard = _heard_kinds.get(kind)
    if heard is None:
        heard = _heard_kind(kind)
        _heard_kinds.set(kind, heard)
    manager.__class__ = heard


def _heard_kind(kind: Type[Any]) -> Type[Any]:
    more: Dict[str, Any] = {"__module__": kind.__module__, "__qualname__": kind.__qualname__, "__doc__": kind.__doc__, "__slots__": ()}
    if hasattr(kind, "__aenter__"):

        async def __aenter__(self: Any) -> Any:
            connection = await kind.__aenter__(self)
            quietly(_entered, self, connection)
            return connection

        more["__aenter__"] = more["enter"] = __aenter__
    else:

        def __enter__(self: Any) -> Any:
            connection = kind.__enter__(self)
            quietly(_entered, self, connection)
            return connection

        more["__enter__"] = more["enter"] = __enter__
    return type(kind.__name__, (kind,), more)


def _entered(manager: Any, connection: Any) -> None:
    manager.__dict__[_FIELD].entered(connection)


def observe_connection(connection: Any, calls: ConnectionCalls) -> bool:
    """Observes a connection in place; false if it cannot be changed."""
    hearing = _Hearing(calls)
    receive, receive_bytes = hearing.receive, hearing.receive_bytes
    if inspect.iscoroutinefunction(getattr(type(connection), "recv", None)):
        receive, receive_bytes = hearing.receive_async, hearing.receive_bytes_async
    return override_passing(connection, {
        "send": hearing.send, "send_raw": hearing.send_raw, "recv": receive, "recv_bytes": receive_bytes, "close": hearing.close,
    })  # fmt: skip


class _Hearing:
    """The stand-ins for a connection's methods. One `recv` runs at a time; it reads by `recv_bytes`, which a host may also call itself."""

    def __init__(self, calls: ConnectionCalls) -> None:
        self._calls = calls
        self._is_receiving = False
        self._is_sending = False

    def send(self, run: Any, event: Any, *args: Any, **kwargs: Any) -> Any:
        quietly(self._calls.sent, event)
        return run(event, *args, **kwargs)

    def send_raw(self, run: Any, data: Any, *args: Any, **kwargs: Any) -> Any:
        quietly(lambda: self._calls.sent(native.decode_json(_text(data))))
        return run(data, *args, **kwargs)

    def receive(self, run: Any, *args: Any, **kwargs: Any) -> Any:
        self._is_receiving = True
        try:
            event = run(*args, **kwargs)
        except BaseException as error:
            self._lost(error)
            raise
        finally:
            self._is_receiving = False
        quietly(self._calls.received, event)
        return event

    async def receive_async(self, run: Any, *args: Any, **kwargs: Any) -> Any:
        self._is_receiving = True
        try:
            event = await run(*args, **kwargs)
        except BaseException as error:
            self._lost(error)
            raise
        finally:
            self._is_receiving = False
        quietly(self._calls.received, event)
        return event

    def receive_bytes(self, run: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            message = run(*args, **kwargs)
        except BaseException as error:
            self._lost(error)
            raise
        self._hear_bytes(message)
        return message

    async def receive_bytes_async(self, run: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            message = await run(*args, **kwargs)
        except BaseException as error:
            self._lost(error)
            raise
        self._hear_bytes(message)
        return message

    def _hear_bytes(self, message: Any) -> None:
        if not self._is_receiving:
            quietly(lambda: self._calls.received(native.decode_json(_text(message))))

    def _lost(self, error: BaseException) -> None:
        """A wait that ends (a timeout, a cancelled task) ends no connection."""
        if any(base.__name__ == "ConnectionClosed" for base in type(error).__mro__):
            quietly(self._calls.over, "failed")

    def close(self, run: Any, *args: Any, **kwargs: Any) -> Any:
        quietly(self._calls.over, "left")
        return run(*args, **kwargs)


def _text(data: Any) -> str:
    return data if isinstance(data, str) else bytes(data).decode("utf-8")
