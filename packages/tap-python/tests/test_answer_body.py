"""How the body of a 410 is read: chunks and lengths as they may come, and no head that takes longer than in proportion to its length."""

from __future__ import annotations

import json
import socket
import time
import unittest

from metergate_tap import post

CLOSED = b'{"error":{"code":"baseline_closed"}}'


def is_closed(head: bytes, body: bytes) -> bool:
    """Reads this answer from a real socket whose other side then ends."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(body)
        theirs.shutdown(socket.SHUT_WR)
        return post._is_closed(ours, b"HTTP/1.1 410 Gone\r\n" + head, b"", post.native.monotonic_s() + 5)


def in_chunks(length: int) -> bytes:
    chunks = [CLOSED[at : at + length] for at in range(0, len(CLOSED), length)]
    return b"".join(b"%X;a=b\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"


class AnswerBody(unittest.TestCase):
    def test_is_read_by_length_in_chunks_and_to_its_end(self) -> None:
        self.assertTrue(is_closed(b"Content-Length:  %d " % len(CLOSED), CLOSED))
        self.assertTrue(is_closed(b"content-type: application/json", CLOSED))
        for head in (b"Transfer-Encoding: Chunked", b"transfer-encoding:gzip\r\nTRANSFER-ENCODING: gzip, chunked"):
            for length in (1, 7, 1000):
                self.assertTrue(is_closed(head, in_chunks(length)), (head, length))
        self.assertFalse(is_closed(b"x-transfer-encoding: chunked", in_chunks(7)))

    def test_figures_that_are_none_end_nothing_but_the_reading(self) -> None:
        for figure in (b"9" * 10_000, b"-1", b"+1", b"1_0", "\u0661".encode(), b"", b"x"):
            self.assertTrue(is_closed(b"content-length: " + figure, CLOSED), figure[:9])
            self.assertFalse(is_closed(b"transfer-encoding: chunked", figure + b"\r\n" + CLOSED + b"\r\n0\r\n\r\n"), figure[:9])

    def test_a_head_takes_time_in_proportion_to_its_length(self) -> None:
        for line in (b"transfer-encoding:\n", b"transfer-encoding:\r\n", b"content-length:\n", b"content-length: ", b"chunked", b":"):
            short, long = (self.least_s(line * (length // len(line))) for length in (16_384, 131_072))
            self.assertLess(long, max(24 * short, 0.05), line)

    def test_many_chunks_take_time_in_proportion(self) -> None:
        body = json.dumps({"error": {"code": "x" * 100_000}}).encode()
        chunks = [b"".join(b"1\r\n%c\r\n" % byte for byte in body[:length]) for length in (12_500, 100_000)]
        short, long = (min(self.taken_s(lambda: post._without_chunks(each)) for _ in range(3)) for each in chunks)
        self.assertLess(long, max(24 * short, 0.05))

    def least_s(self, head: bytes) -> float:
        return min(self.taken_s(lambda: is_closed(head, CLOSED)) for _ in range(3))

    def taken_s(self, work: object) -> float:
        begun = time.thread_time()
        work()  # type: ignore[operator]
        return time.thread_time() - begun


if __name__ == "__main__":
    unittest.main()
