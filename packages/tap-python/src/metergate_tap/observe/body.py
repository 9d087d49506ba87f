"""
Follows the body of an HTTP response while the host reads it, in whatever way: by bytes, lines, text, raw or whole. All of these take their
bytes from one source, which is observed. Nothing is read unless the host asks for it, and nothing waits.
"""

from __future__ import annotations

from typing import Any

from ..runtime import quietly
from .body_reading import BodyReading
from .call import Call
from .heard_iterator import HeardAsyncIterator, HeardIterator
from .in_place import fields_of
from .look import own


def follow_body(response: Any, call: Call) -> bool:
    """
    Follows the body of a response whose bytes the host may read itself. If the SDK makes a stream of it and the host reads that one, the bytes
    are not looked at. False if the body was read before, or the response is of another kind than the SDKs'.
    """
    if own(response, "_content") is not None:
        return False
    fields = fields_of(own(response, "stream"))
    inner = fields.get("_stream") if fields is not None else None
    if inner is None:
        return False
    if isinstance(inner, _HeardSource):  # the stream that the SDK made of a response that is followed
        return True
    fields["_stream"] = _HeardSource(inner, _BodyListener(call, _decoder_of(response)))
    return True


class _HeardSource:
    """The source of a response's bytes, which reports them to a listener. In everything else it behaves as the one it replaces."""

    def __init__(self, inner: Any, listener: "_BodyListener") -> None:
        self._inner = inner
        self._listener = listener

    def __iter__(self) -> HeardIterator:
        return HeardIterator(iter(self._inner), self._listener)

    def __aiter__(self) -> HeardAsyncIterator:
        return HeardAsyncIterator(self._inner.__aiter__(), self._listener)

    def close(self) -> Any:
        self._listener.end("left")
        return self._inner.close()

    def aclose(self) -> Any:
        self._listener.end("left")
        return self._inner.aclose()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class _BodyListener:
    """Receives the bytes of a response as they come, with their content coding, as a call receives the parts of its answer."""

    def __init__(self, call: Call, decoder: Any) -> None:
        self._call = call
        self._decoder = decoder
        self._reading = BodyReading(call.value)
        if decoder is None:
            self._reading.give_up()

    def start(self) -> None:
        pass

    def value(self, piece: Any) -> None:
        if not self._call.parsed:
            quietly(self._decode, self._decoder_method("decode"), piece)

    def end(self, ending: str) -> None:
        if self._call.parsed:
            return
        if ending != "done":
            self._call.leave()
            return
        quietly(self._decode, self._decoder_method("flush"))
        quietly(self._call.end_of_body, self._reading)

    def fail(self, error: BaseException) -> None:
        if not self._call.parsed:
            self._call.fail(error)

    def _decoder_method(self, name: str) -> Any:
        return getattr(self._decoder, name, None)

    def _decode(self, run: Any, *piece: Any) -> None:
        if not self._reading.readable:
            return
        try:
            decoded = run(*piece)
            for part in (decoded,) if isinstance(decoded, bytes) else decoded:
                self._reading.add(part)
        except Exception:  # not in the coding that the head names
            self._reading.give_up()


def _decoder_of(response: Any) -> Any:
    """A decoder for the response's content coding, beside the one that the host's reading uses; None if there is none."""
    fields = fields_of(response)
    if fields is None or "_decoder" in fields:
        return None
    decoder = quietly(response._get_content_decoder)
    fields.pop("_decoder", None)
    return decoder
