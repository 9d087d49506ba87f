"""
One batch → one POST → its answer, over a new socket: it touches no connection, pool or instrumentation of the host, and a host that
records or forbids its HTTP calls sees none of these. Redirects are not followed, so the key goes to no other host. Only the body of a 410 is
read, up to 16 KiB. A post takes at most 2.5 s, except if a name does not resolve. It never raises: a failure is `NO_ANSWER`.
"""

from __future__ import annotations

import re
from typing import Any, List, NamedTuple, Optional

from .answer import NO_ANSWER, Answer
from .runtime import native
from .version import __version__

_ATTEMPT_BUDGET_S = 2.5
_ANSWER_LENGTH_MAX = 16_384
_URL = re.compile(r"(https?)://(\[[^\]]*\]|[^\s/?#@:]+)(?::(\d+))?([/?#]\S*)?", re.IGNORECASE)
_STATUS = re.compile(rb"HTTP/1\.[01] (\d\d\d)[ \r]")
# Longer figures are none: Python refuses to read very long ones.
_LENGTH = re.compile(rb"[0-9]{1,15}")
_CHUNK_SIZE = re.compile(rb"[0-9A-Fa-f]{1,15}")


class Destination(NamedTuple):
    """Where a reporter posts to, and with which key."""

    endpoint: str
    key: str


def post_batch(destination: Destination, body: str) -> Answer:
    """Posts one body. Blocks the calling thread."""
    connection: Optional[Any] = None
    deadline_s = native.monotonic_s() + _ATTEMPT_BUDGET_S
    try:
        match = _URL.fullmatch(destination.endpoint)
        if match is None:
            return NO_ANSWER
        scheme, host, port, path = match.groups()
        secure = scheme.lower() == "https"
        connection = _connect(host.strip("[]"), int(port or (443 if secure else 80)), secure, deadline_s)
        connection.sendall(_request(host, port, path, destination.key, body.encode()))
        return _answer(connection, deadline_s)
    except Exception:
        return NO_ANSWER
    finally:
        if connection is not None:
            _close(connection)


def _request(host: str, port: Optional[str], path: Optional[str], key: str, body: bytes) -> bytes:
    target = (path or "/").partition("#")[0]
    head = (
        f"POST {target if target.startswith('/') else '/' + target} HTTP/1.1\r\n"
        f"host: {host}{':' + port if port else ''}\r\n"
        f"authorization: Bearer {key}\r\n"
        "content-type: application/json\r\n"
        f"content-length: {len(body)}\r\n"
        f"user-agent: metergate-tap/{__version__}\r\n"
        "connection: close\r\n\r\n"
    )
    return head.encode("ascii") + body


def _connect(host: str, port: int, secure: bool, deadline_s: float) -> Any:
    """A connection to the first of the host's addresses that accepts one; each attempt may take as long as the whole post."""
    failure: Exception = OSError("no address")
    for family, kind, protocol, _, address in _addresses(host, port):
        connection: Any = native.socket(family, kind, protocol)
        try:
            connection.settimeout(_left_s(deadline_s))
            connection.connect(address)
            if not secure:
                return connection
            connection = _tls().wrap_socket(connection, server_hostname=host)
            return connection
        except Exception as error:
            _close(connection)
            failure = error
    raise failure


def _addresses(host: str, port: int) -> Any:
    """
    If gevent patched the host before the tap was loaded, names are resolved on a thread that gevent starts, and Python 3.12 starts none at the
    end of the interpreter. Then the system's resolver is called directly.
    """
    asked = (host, port, 0, 1)  # 1: SOCK_STREAM
    try:
        return native.addresses(*asked)
    except RuntimeError:
        return native.plain_addresses(*asked)


_context: Optional[Any] = None


def _tls() -> Any:
    """Python's TLS settings; if the system has no certificate authorities, with those that the provider SDKs bring."""
    global _context
    if _context is None:
        context = native.ssl.create_default_context()
        paths = native.ssl.get_default_verify_paths()
        if paths.cafile is None and paths.capath is None:
            try:
                import certifi

                context.load_verify_locations(certifi.where())
            except Exception:
                pass
        _context = context
    return _context


def _answer(connection: Any, deadline_s: float) -> Answer:
    received = b""
    while True:
        head, end, rest = received.partition(b"\r\n\r\n")
        if end:
            status = int(_STATUS.match(head).group(1))  # type: ignore[union-attr]
            if status >= 200:
                break
            received = rest  # an interim answer
            continue
        if len(received) > _ANSWER_LENGTH_MAX:
            return NO_ANSWER
        part = _receive(connection, deadline_s)
        if not part:
            return NO_ANSWER
        received += part
    if status != 410:
        return Answer(status)
    return Answer(status, _is_closed(connection, head, rest, deadline_s))


def _is_closed(connection: Any, head: bytes, body: bytes, deadline_s: float) -> bool:
    """True if the body's `error.code` says so. A body that is too long, or cut, is read as far as it goes."""
    chunked = any(b"chunked" in value.lower() for value in _values(head, b"transfer-encoding"))
    length = next((int(value) for value in _values(head, b"content-length") if _LENGTH.fullmatch(value)), None)
    try:
        while len(body) <= _ANSWER_LENGTH_MAX and not (length is not None and len(body) >= length):
            if chunked and body.endswith(b"0\r\n\r\n"):
                break
            part = _receive(connection, deadline_s)
            if not part:
                break
            body += part
    except OSError:
        pass
    try:
        text = (_without_chunks(body) if chunked else body).decode()
        return bool(native.decode_json(text)["error"]["code"] == "baseline_closed")
    except Exception:
        return False


def _values(head: bytes, name: bytes) -> List[bytes]:
    fields = (line.partition(b":") for line in head.split(b"\r\n"))
    return [value.strip() for field, _, value in fields if field.lower() == name]


def _without_chunks(body: bytes) -> bytes:
    """What the chunks hold, as far as they can be read."""
    chunks = []
    at = 0
    while True:
        size = _CHUNK_SIZE.match(body, at)
        end = body.find(b"\r\n", at)
        if size is None or end < 0:
            break
        length = int(size.group(), 16)
        if length == 0:
            break
        chunks.append(body[end + 2 : end + 2 + length])
        at = end + 2 + length + 2
    return b"".join(chunks)


def _receive(connection: Any, deadline_s: float) -> bytes:
    connection.settimeout(_left_s(deadline_s))
    return bytes(connection.recv(16_384))


def _left_s(deadline_s: float) -> float:
    left_s = deadline_s - native.monotonic_s()
    if left_s <= 0:
        raise TimeoutError
    return left_s


def _close(connection: Any) -> None:
    try:
        connection.close()
    except Exception:
        pass
