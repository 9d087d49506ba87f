"""
The runtime functions that the tap uses, captured when the package is loaded, so that later patches by the host have no effect.
The clocks and the rest are attributes of one object, because libraries that freeze time look for functions in modules.
"""

from __future__ import annotations

import _socket as _plain_socket
import _thread
import json
import os
import queue
import signal
import socket as _socket
import sys
import time
from typing import Any, Callable, Optional, TypeVar

try:
    import ssl as _ssl
except ImportError:  # a Python built without TLS posts to http endpoints only
    _ssl = None  # type: ignore[assignment]

Result = TypeVar("Result")


class _Native:
    """The functions as they were when the package was loaded."""

    monotonic_s = staticmethod(time.monotonic)
    wall_s = staticmethod(time.time)
    sleep = staticmethod(time.sleep)
    gmtime = staticmethod(time.gmtime)
    urandom = staticmethod(os.urandom)
    write = staticmethod(os.write)
    encode_json = staticmethod(json.JSONEncoder(separators=(",", ":")).encode)
    decode_json = staticmethod(json.JSONDecoder().decode)
    start_thread = staticmethod(_thread.start_new_thread)
    lock = staticmethod(_thread.allocate_lock)
    thread_id = staticmethod(getattr(_thread, "get_native_id", lambda: 0))
    is_path = staticmethod(os.path.exists)
    inbox = queue.SimpleQueue
    socket = _socket.socket
    addresses = staticmethod(_socket.getaddrinfo)
    plain_addresses = staticmethod(_plain_socket.getaddrinfo)
    ssl = _ssl


native = _Native


CAN_POST = sys.platform not in ("emscripten", "wasi")
"""False if the runtime has no sockets to post by."""


def quietly(observe: Callable[..., Result], *args: Any) -> Optional[Result]:
    """Runs code that only observes. Whatever it raises is swallowed, because the host must not notice."""
    try:
        return observe(*args)
    except Exception:
        return None


def monotonic_ms() -> float:
    """Monotonic time in milliseconds."""
    return native.monotonic_s() * 1000.0


def timestamp(wall_s: float) -> str:
    """RFC 3339 in UTC, with milliseconds."""
    ms = int(wall_s * 1000)
    year, month, day, hour, minute, second = native.gmtime(ms // 1000)[:6]
    return f"{year:04d}-{month:02d}-{day:02d}T{hour:02d}:{minute:02d}:{second:02d}.{ms % 1000:03d}Z"


def uuid4() -> str:
    """A random UUID, version 4."""
    octets = bytearray(native.urandom(16))
    octets[6] = octets[6] & 0x0F | 0x40
    octets[8] = octets[8] & 0x3F | 0x80
    text = octets.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def print_line(line: str) -> None:
    """
    Prints one line on stderr. The real stderr is written without Python's buffer: a background thread that holds the buffer's lock
    while the interpreter ends would abort the process. A stderr that the host replaced (a notebook, a test) gets the line itself.
    """
    stream: Any = sys.stderr
    try:
        if stream is not None and stream is _real_stderr() and stream.fileno() == 2 and not stream.closed:
            left = memoryview(f"{line}\n".encode("utf-8", "replace"))
            while left:
                left = left[native.write(2, left) :]
        elif stream is not None:
            stream.write(f"{line}\n")
    except Exception:  # a stderr that is closed: the line is lost
        pass


def _real_stderr() -> Any:
    return sys.__stderr__


def block_signals() -> None:
    """Blocks signals on this thread: they are delivered to the host's threads, as without the tap."""
    if hasattr(signal, "pthread_sigmask"):
        quietly(lambda: signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals()))


def daemon_threads_allowed() -> bool:
    """False in an isolated subinterpreter, where every thread must have ended before the interpreter does."""
    allowed = getattr(_thread, "daemon_threads_allowed", None)
    return allowed is None or bool(allowed())
