"""
The responses of one WebSocket connection, asked for and under way: messages in both directions → calls. A response that is announced answers
the oldest request of its lane, or was begun by the provider itself: after words that were spoken, a tool or a steer.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Callable, Dict, List, NamedTuple, Optional

from .call import Call, Hold
from .look import own, text_in

_REMEMBERED_MAX = 256
"""How many names of ended and of steered responses are remembered."""
_ENDS = ("response.done", "response.completed", "response.incomplete", "response.failed", "response.cancelled")


class _Asked(NamedTuple):
    call: Call
    lane: Any
    previous: Any
    event_id: Any


class ConnectionCalls:
    """Used by the thread or task that reads and by those that write. Takes any event, as a dictionary or as the SDK's object."""

    def __init__(self, hold: Hold, model: Optional[str] = None) -> None:
        """`model`: the connection's, until the provider names another; None if it has none."""
        self._hold = hold
        self._model = model
        self._asked: List[_Asked] = []
        self._running: Dict[str, _Asked] = {}
        self._known: Dict[Any, None] = {}
        self._steered: Dict[Any, None] = {}

    def sent(self, event: Any) -> None:
        """The host sends it."""
        kind = own(event, "type")
        if kind == "response.create":
            self._asked.append(self._begin(event))
        elif kind == "response.steer":
            _remember(self._steered, own(event, "previous_response_id"))

    def received(self, event: Any) -> None:
        kind = own(event, "type")
        if kind == "error":
            self._refused(event)
            return
        self._model = text_in(event, "session.model") or self._model
        response = own(event, "response")
        name = own(response, "id")
        if not isinstance(name, str):
            return
        one = self._running.get(name)
        if one is None and name not in self._known:
            one = self._announced(event, response, name)
        if one is None or kind not in _ENDS:
            return
        self._running.pop(name, None)
        one.call.value(event)
        one.call.end("done")

    def over(self, ending: str) -> None:
        """Nothing more comes of what is asked for and under way."""
        running, self._running = self._running, {}
        asked, self._asked = self._asked, []
        for one in running.values():
            one.call.end(ending)
        for one in asked:
            one.call.fail(ConnectionError())

    def _begin(self, event: Any) -> _Asked:
        call = Call(self._hold, {"model": text_in(event, "model") or self._model})
        return _Asked(call, own(event, "stream_id"), own(event, "previous_response_id"), own(event, "event_id"))

    def _announced(self, event: Any, response: Any, name: str) -> _Asked:
        previous = own(response, "previous_response_id")
        one = self._take(lambda each: each.previous == previous) if previous is not None else None
        if one is None:
            is_successor = self._steered.pop(previous, self) is None
            one = None if is_successor else self._take(_in_lane(own(event, "stream_id")))
        if one is None:
            one = self._begin(event)
        self._running[name] = one
        _remember(self._known, name)
        one.call.head(None)
        one.call.value({"model": text_in(response, "model") or self._model, "id": name})
        return one

    def _refused(self, event: Any) -> None:
        """
        Realtime's errors refuse a request, and name it as the host did. Those of Responses refuse the oldest request of their lane, or are of
        what runs there if they say so. Any other may be of any message, and ends nothing.
        """
        lane = own(event, "stream_id")
        is_realtime = own(event, "event_id") is not None
        runs = [name for name, each in self._running.items() if not is_realtime and each.lane == lane][-1:]
        if runs and own(event, "sequence_number") is not None:
            one: Optional[_Asked] = self._running.pop(runs[0])
        else:
            named = own(event, "error.event_id")
            one = self._take((lambda each: each.event_id == named) if is_realtime else _in_lane(lane))
        if one is not None:
            one.call.refuse(SimpleNamespace(status_code=own(event, "status")))

    def _take(self, fits: Callable[[_Asked], bool]) -> Optional[_Asked]:
        """Takes the first that fits out of those asked for."""
        for place, one in enumerate(self._asked):
            if fits(one):
                return self._asked.pop(place)
        return None


def _in_lane(lane: Any) -> Callable[[_Asked], bool]:
    """A provider that knows no lanes names none: what it says is of any."""
    return lambda each: lane is None or each.lane == lane


def _remember(names: Dict[Any, None], name: Any) -> None:
    names[name] = None
    if len(names) > _REMEMBERED_MAX:
        names.pop(next(iter(names)), None)
