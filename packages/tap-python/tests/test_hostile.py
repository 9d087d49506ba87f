"""
The host is never harmed by the endpoint or by what it did to its own runtime: the same output and exit code, nothing on stderr, bounded
memory and threads (rule 29; spec, Tap client wrapper 2). Real processes, real sockets.
"""

from __future__ import annotations

import os
import socket
import tempfile
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable

from .host import Ingestion, run_host

SCRIPT = "tap(client, 't'); call(120); time.sleep(2.2); call(5); print('made', client.chat.completions.made)"
"""Calls before, during and after a flush of the interval."""


class Port:
    """A port that handles every connection in this way."""

    def __init__(self, connected: Callable[[socket.socket], Any]) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self._connected = connected
        self._kept: Any = []
        self.number = self._server.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._server.accept()
            except OSError:
                return
            self._kept.append(connection)
            threading.Thread(target=self._connected, args=(connection,), daemon=True).start()

    def close(self) -> None:
        self._server.close()
        for each in self._kept:
            each.close()


def _drip(connection: socket.socket) -> None:
    try:
        connection.sendall(b"HTTP/1.1 500 Away\r\ncontent-length: 100000\r\n\r\n")
        while True:
            connection.sendall(b" ")
            threading.Event().wait(0.05)
    except OSError:
        pass


def _drip_head(connection: socket.socket) -> None:
    try:
        while True:
            connection.sendall(b"HTTP")
            threading.Event().wait(0.05)
    except OSError:
        pass


class Hostile(unittest.TestCase):
    def unharmed(self, endpoint: str, script: str = SCRIPT, out: str = "made 125\n", **more: Any) -> None:
        ended = run_host(script, SVC_TAP_KEY="svc_tap_test", SVC_TAP_ENDPOINT=endpoint, **more)
        self.assertEqual((ended.code, ended.stdout, ended.stderr), (0, out, ""))

    def at_port(self, connected: Callable[[socket.socket], Any], scheme: str = "http") -> None:
        port = Port(connected)
        try:
            self.unharmed(f"{scheme}://127.0.0.1:{port.number}/tap/v1/events")
        finally:
            port.close()

    def test_endpoints_that_harm(self) -> None:
        """Each host waits most of the time, so they run in parallel."""
        cases: Any = {
            "absent": lambda: self.unharmed("http://127.0.0.1:9/tap/v1/events"),
            "no such name": lambda: self.unharmed("http://tap.invalid/tap/v1/events"),
            "a black hole": lambda: self.at_port(lambda connection: None),
            "one byte at a time, without end": lambda: self.at_port(_drip),
            "a head without end": lambda: self.at_port(_drip_head),
            "every connection ended": lambda: self.at_port(lambda connection: connection.close()),
            "no HTTP": lambda: self.at_port(lambda connection: connection.sendall(b"220 mail.example ready\r\n")),
            "bad TLS": lambda: self.at_port(lambda connection: connection.sendall(b"HTTP/1.1 202 Accepted\r\n\r\n"), "https"),
            "500": lambda: self._answers((500, {}, b"{}"), 9),
            "an answer of 10 MB": lambda: self._answers((202, {}, b"x" * 10_000_000), 3),
            "a redirect": self._redirect,
        }
        with ThreadPoolExecutor(4) as side_by_side:
            ran = {name: side_by_side.submit(run) for name, run in cases.items()}
        for name, outcome in ran.items():
            with self.subTest(name):
                outcome.result()

    def _answers(self, answer: Any, posts_max: int) -> None:
        with Ingestion(lambda index: answer) as endpoint:
            self.unharmed(endpoint.url)
            self.assertLessEqual(len(endpoint.posts), posts_max)

    def _redirect(self) -> None:
        with tempfile.TemporaryDirectory() as folder, Ingestion() as elsewhere:
            # The last calls are made once the flush of the interval has come, however long that takes: they are a separate batch.
            flushed = os.path.join(folder, "flushed")

            def answer(index: int) -> Any:
                if index == 1:
                    os.mkdir(flushed)
                return (307, {"location": elsewhere.url}, b"")

            script = SCRIPT.replace("time.sleep(2.2); ", f"\nwhile not os.path.exists({flushed!r}): time.sleep(0.02)\n")
            with Ingestion(answer) as endpoint:
                self.unharmed(endpoint.url, script)
                self.assertEqual((len(endpoint.posts), len(elsewhere.posts)), (3, 0))

    def test_a_long_answer_to_a_post_that_must_be_read(self) -> None:
        with Ingestion(lambda index: (410, {}, b'{"error":{"code":"' + b"x" * 10_000_000 + b'"}}')) as endpoint:
            ended = run_host(SCRIPT, SVC_TAP_KEY="k", SVC_TAP_ENDPOINT=endpoint.url)
        self.assertEqual((ended.code, ended.stdout), (0, "made 125\n"))
        self.assertEqual(ended.stderr, "metergate-tap: the tap has ended for this key: reporting stopped.\n")

    def test_a_host_that_patches_its_runtime_after_loading_the_tap(self) -> None:
        script = """
import builtins, datetime, http.client, json, os, queue, socket, ssl, threading, time, uuid, urllib.request
tap(client, 't')
def no(*args, **kwargs): raise RuntimeError('patched')
for module, names in ((time, 'time monotonic sleep perf_counter gmtime'), (json, 'dumps loads'), (os, 'urandom'), (uuid, 'uuid4'),
                      (socket, 'socket create_connection getaddrinfo'), (threading, 'Thread Lock'), (queue, 'SimpleQueue'),
                      (http.client, 'HTTPConnection'), (urllib.request, 'urlopen'), (json, 'JSONEncoder JSONDecoder')):
    for name in names.split(): setattr(module, name, no)
call(3)
print('made', client.chat.completions.made)
"""
        with Ingestion() as endpoint:
            self.unharmed(endpoint.url, script, "made 3\n")
            self.assertEqual(endpoint.ids(), ["call_1", "call_2", "call_3"])

    def test_a_host_that_patches_its_runtime_before_loading_the_tap(self) -> None:
        before = """
import time, json, socket, os
real = time.monotonic
def no(*args, **kwargs): raise RuntimeError('patched')
time.time = time.monotonic = json.dumps = json.loads = socket.getaddrinfo = os.urandom = no
"""
        self.unharmed("http://127.0.0.1:9/", "tap(client, 't'); call(3); print('made', client.chat.completions.made)", "made 3\n", before=before)

    def test_a_frozen_clock(self) -> None:
        """As libraries that freeze time do: every function of that name is replaced in every module."""
        script = """
tap(client, 't')
import time
frozen = {time.time: lambda: 0.0, time.monotonic: lambda: 5.0}
for module in list(sys.modules.values()):
    for name, value in list(vars(module).items()):
        try:
            if value in frozen: setattr(module, name, frozen[value])
        except TypeError: pass
call(2)
print(time.time())
"""
        with Ingestion() as endpoint:
            self.unharmed(endpoint.url, script, "0.0\n")
            self.assertEqual([event["timestamp"][:2] for event in endpoint.events()], ["20", "20"])

    def test_a_million_calls_with_the_server_away(self) -> None:
        script = """
import gc, resource, threading
tap(client, 'a-tag-of-some-length')
call(12_000)
gc.collect()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
call(%d)
gc.collect()
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(client.chat.completions.made, threading.active_count(), grown < 16_384 or grown)
os._exit(0)
"""
        count = int(os.environ.get("TAP_CALLS", "20000"))  # a million by hand: the same figures
        self.unharmed("http://127.0.0.1:9/", script % count, f"{count + 12_000} 1 True\n")

    def test_a_stderr_that_is_closed_or_gone(self) -> None:
        for gone in ("os.close(2)", "sys.stderr.close()", "sys.stderr = None"):
            script = f"{gone}; tap(client, 't'); tap(Client(), 't', inspect=True); call(2); print(client.chat.completions.made)"
            ended = run_host(script)
            self.assertEqual((ended.code, ended.stdout), (0, "2\n"), gone)

    def test_an_audit_hook_that_forbids_sockets_and_threads(self) -> None:
        script = """
def hook(event, args):
    if event.startswith(('socket.', '_thread.start')): raise RuntimeError(event)
sys.addaudithook(hook)
tap(client, 't'); call(3); print('made', client.chat.completions.made)
"""
        self.unharmed("http://127.0.0.1:9/", script, "made 3\n")

    def test_destructors_and_signal_handlers_may_make_calls(self) -> None:
        script = """
import gc, signal
dying, signalled = Client(), Client()
for each in (client, dying, signalled): tap(each, 't')
dying.chat.completions.made, signalled.chat.completions.made = 100_000, 200_000
class Dying:
    def __init__(self): self.me = self
    def __del__(self): call(1, dying)
def alarm(*args):
    call(1, signalled)
    signal.setitimer(signal.ITIMER_REAL, 0.001)
signal.signal(signal.SIGALRM, alarm)
alarm()
for _ in range(2000):
    Dying(); call(1)
signal.setitimer(signal.ITIMER_REAL, 0)
gc.collect()
made = client.chat.completions.made + dying.chat.completions.made - 100_000 + signalled.chat.completions.made - 200_000
"""
        with Ingestion() as endpoint:
            ended = run_host(script + "print(made)", SVC_TAP_KEY="k", SVC_TAP_ENDPOINT=endpoint.url)
            self.assertEqual((ended.code, ended.stderr), (0, ""))
            self.assertEqual(len(endpoint.ids()), min(int(ended.stdout), 10_000))

    def test_a_subinterpreter(self) -> None:
        script = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
inside = "import sys; sys.path[:0] = %r\\nfrom metergate_tap import tap\\n" % (sys.path,) + '''
class Thing: pass
client = Thing(); client.chat = Thing(); client.chat.completions = Thing()
client.chat.completions.create = lambda **asked: {"id": "sub_1", "model": "m", "choices": []}
tap(client, "t"); client.chat.completions.create(model="m")
'''
one = interpreters.create()
interpreters.run_string(one, inside)
interpreters.destroy(one)
print("on")
"""
        with Ingestion() as endpoint:
            ended = run_host(script, SVC_TAP_KEY="k", SVC_TAP_ENDPOINT=endpoint.url)
            self.assertEqual((ended.code, ended.stdout), (0, "on\n"), ended.stderr)
            self.assertEqual(endpoint.ids(), ["sub_1"])


if __name__ == "__main__":
    unittest.main()
