"""
The body of a response, as the host reads its bytes → the parts of the answer: a JSON text, or the data of server-sent events. It takes the
bytes in any pieces, without their content coding.
"""

from __future__ import annotations

from typing import Any, Callable, List

from ..runtime import native

BODY_MAX_BYTES = 32 * 1024 * 1024
"""A JSON text, or one event of a stream, that is longer is not read."""

_BLANK = b" \t\r\n\xef\xbb\xbf"
"""What may stand before the first byte of a text: white space and the byte order mark."""
_FIELDS = (b"event:", b"id:", b"retry:", b":")


class BodyReading:
    """Reads one body. It holds what has come of a JSON text, or the last event of a stream, and nothing after `finish`."""

    __slots__ = ("_take", "_pieces", "_size", "_is_json", "_data", "readable")

    def __init__(self, take: Callable[[Any], None]) -> None:
        """`take` receives each part: the whole answer, or the next event of a stream."""
        self._take = take
        self._pieces: List[bytes] = []
        self._size = 0
        self._is_json: Any = None
        """None until the first byte that is not blank."""
        self._data: List[bytes] = []
        self.readable = True
        """False once it is known that this is no text, or too long a one: what usage it carries is not known."""

    def add(self, piece: bytes) -> None:
        """Takes the next bytes; raises nothing but what `take` raises."""
        if not self.readable:
            return
        if self._is_json is None:
            piece = piece.lstrip(_BLANK)
            self._is_json = piece[:1] in (b"{", b"[") if piece else None
        self._pieces.append(piece)
        self._size += len(piece)
        if self._size > BODY_MAX_BYTES:
            self.give_up()
        elif not self._is_json and (b"\n" in piece or b"\r" in piece):
            self._read_lines(ended=False)

    def finish(self) -> bool:
        """The body has come whole. False if it could not be read; a text that is neither JSON nor a stream of events carries no usage."""
        if self.readable and self._is_json:
            self._read_json()
        elif self.readable:
            self._read_lines(ended=True)
        self._pieces, self._data = [], []
        return self.readable

    def give_up(self) -> None:
        """The rest of the body is not read."""
        self.readable = False
        self._pieces, self._data = [], []

    def _read_json(self) -> None:
        text = b"".join(self._pieces)
        if not self._is_text(text):
            return
        try:
            answer = native.decode_json(text.decode())
        except (ValueError, RecursionError):
            return
        for part in answer if isinstance(answer, list) else [answer]:
            self._take(part)

    def _read_lines(self, ended: bool) -> None:
        lines = b"".join(self._pieces).splitlines(keepends=True)
        # A line that ends in a carriage return may go on with its line feed.
        rest = b"" if ended or not lines or lines[-1].endswith(b"\n") else lines.pop()
        self._pieces = [rest]
        for line in lines:
            self._read_line(line.rstrip(b"\r\n"))
        if ended:
            self._read_data()

    def _read_line(self, line: bytes) -> None:
        if line.startswith(b"data:"):
            self._data.append(line[5:])
        elif not line:
            self._read_data()
        elif not line.startswith(_FIELDS):
            self._is_text(line)

    def _read_data(self) -> None:
        """The event is complete. One that is no JSON, such as `[DONE]`, says nothing."""
        data, self._data = b"\n".join(self._data), []
        self._size = sum(map(len, self._pieces))
        if not data or not self._is_text(data):
            return
        try:
            part = native.decode_json(data.decode().strip())
        except (ValueError, RecursionError):
            return
        self._take(part)

    def _is_text(self, found: bytes) -> bool:
        try:
            if b"\0" not in found:
                found.decode()
                return True
        except UnicodeDecodeError:
            pass
        self.give_up()
        return False
