"""
The ends of a host's process and its forks: waiting events are delivered once, and the host keeps its exit code, its signals and its output
(spec, Tap client wrapper 3; rule 30c). Real processes, a real endpoint.
"""

from __future__ import annotations

import os
import sys
import unittest
from typing import Any

from .host import SOURCE, Ingestion, run_host


class ProcessEnds(unittest.TestCase):
    def delivered(self, script: str, code: int = 0, stderr: str = "", **more: Any) -> Any:
        """The ids that arrived while the host ran, and its output."""
        with Ingestion() as endpoint:
            ended = run_host(script, SVC_TAP_KEY="svc_tap_test", SVC_TAP_ENDPOINT=endpoint.url, **more)
            self.assertEqual((ended.code, ended.stderr), (code, stderr))
            return endpoint.ids(), ended.stdout

    def test_a_normal_end(self) -> None:
        self.assertEqual(self.delivered("tap(client, 't'); call(3)")[0], ["call_1", "call_2", "call_3"])

    def test_sys_exit_keeps_its_code(self) -> None:
        ids, _ = self.delivered("tap(client, 't'); call(250); sys.exit(3)", code=3)
        self.assertEqual(len(ids), 250)
        self.assertEqual(len(set(ids)), 250)

    def test_an_exception_nobody_catches(self) -> None:
        with Ingestion() as endpoint:
            ended = run_host("tap(client, 't'); call(2); raise ValueError('of the host')", SVC_TAP_KEY="k", SVC_TAP_ENDPOINT=endpoint.url)
            self.assertEqual(ended.code, 1)
            self.assertRegex(ended.stderr, r"^Traceback[^~]*ValueError: of the host\n$")
            self.assertEqual(endpoint.ids(), ["call_1", "call_2"])

    def test_a_host_whose_resolver_can_start_no_thread_at_the_end(self) -> None:
        # As gevent's resolver does on Python 3.12.
        before = """
import socket
def resolver(*asked): raise RuntimeError("can't create new thread at interpreter shutdown")
socket.getaddrinfo = resolver
"""
        self.assertEqual(self.delivered("tap(client, 't'); call(3)", before=before)[0], ["call_1", "call_2", "call_3"])

    def test_os_exit_ends_at_once(self) -> None:
        ids, out = self.delivered("tap(client, 't'); call(2); print('out', flush=True); os._exit(9)", code=9)
        self.assertEqual((ids, out), ([], "out\n"))

    @unittest.skipIf(sys.platform == "win32", "signals are POSIX here")
    def test_signals_are_the_hosts(self) -> None:
        script = """
import signal
before = [signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT)]
tap(client, 't'); call(2)
assert before == [signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT)]
os.kill(os.getpid(), signal.%s)
time.sleep(5)
"""
        with Ingestion() as endpoint:
            env = {"SVC_TAP_KEY": "k", "SVC_TAP_ENDPOINT": endpoint.url}
            ended = run_host(script % "SIGTERM", **env)
            self.assertEqual((ended.code, ended.stderr), (-15, ""))
            self.assertEqual(endpoint.ids(), [])
            ended = run_host(script % "SIGINT", **env)
            self.assertEqual(ended.code, -2)
            self.assertTrue(ended.stderr.endswith("KeyboardInterrupt\n"), ended.stderr)
            self.assertEqual(endpoint.ids(), ["call_1", "call_2"])

    @unittest.skipIf(sys.platform == "win32", "signals are POSIX here")
    def test_a_host_that_says_the_line_of_the_readme_delivers_on_sigterm(self) -> None:
        line = "signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))"
        self.assertIn(line, (SOURCE.parent / "README.md").read_text(encoding="utf-8"))
        with Ingestion() as endpoint:
            script = f"import signal\n{line}\ntap(client, 't'); call(2)\nos.kill(os.getpid(), signal.SIGTERM)\ntime.sleep(5)"
            ended = run_host(script, SVC_TAP_KEY="k", SVC_TAP_ENDPOINT=endpoint.url)
            self.assertEqual((ended.code, ended.stderr, endpoint.ids()), (143, "", ["call_1", "call_2"]))

    @unittest.skipUnless(hasattr(os, "fork"), "forks are POSIX")
    def test_a_signal_that_the_host_waits_for_is_not_taken_by_the_tap(self) -> None:
        script = """
import signal
tap(client, 't'); call(1); time.sleep(0.2)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
os.kill(os.getpid(), signal.SIGTERM)
print(signal.sigwait({signal.SIGTERM}) == signal.SIGTERM)
"""
        self.assertEqual(self.delivered(script), (["call_1"], "True\n"))

    @unittest.skipUnless(hasattr(os, "fork"), "forks are POSIX")
    def test_a_fork_delivers_each_event_once(self) -> None:
        script = """
tap(client, 't'); call(2)
child = os.fork()
call(1)
if child == 0:
    client.chat.completions.made = 100
    call(1)
    sys.exit(5)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
        ids, out = self.delivered(script)
        self.assertEqual((sorted(ids), out), (["call_1", "call_101", "call_2", "call_3", "call_3"], "5\n"))

    @unittest.skipUnless(hasattr(os, "fork"), "forks are POSIX")
    def test_a_fork_that_python_is_not_told_of(self) -> None:
        # As in uWSGI: its workers are forks of a process that loaded the host, and may have made calls meanwhile.
        script = """
import atexit, ctypes
fork = ctypes.PyDLL(None).fork
tap(client, 't'); call(2); time.sleep(0.2)
ended = []
for calls in (1, 0):
    child = fork()
    if child == 0:
        client.chat.completions.made = 100
        call(calls)
        atexit._run_exitfuncs()  # as that server does
        os._exit(5)
    ended.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(ended)
"""
        ids, out = self.delivered(script)
        self.assertEqual((sorted(ids), out), (["call_1", "call_101", "call_2"], "[5, 5]\n"))

    @unittest.skipUnless(hasattr(os, "fork"), "forks are POSIX")
    def test_forks_in_the_middle_of_flushes(self) -> None:
        script = """
tap(client, 't')
for turn in range(6):
    call(40)
    time.sleep(0.45)
    child = os.fork()
    if child == 0:
        client.chat.completions.made = 1000 + turn
        call(1)
        sys.exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""
        ids, _ = self.delivered(script, args=["-W", "error"])
        self.assertEqual(sorted(ids), sorted([f"call_{n}" for n in range(1, 241)] + [f"call_{n}" for n in range(1001, 1007)]))

    @unittest.skipUnless(hasattr(os, "fork"), "forks are POSIX")
    def test_a_fork_while_the_endpoint_hangs_neither_waits_nor_blocks(self) -> None:
        script = """
tap(client, 't'); call(1)
time.sleep(2.3)
began = time.monotonic()
child = os.fork()
if child == 0:
    call(1)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
print(time.monotonic() - began < 1)
"""
        with Ingestion(lambda index: None) as endpoint:
            ended = run_host(script, SVC_TAP_KEY="k", SVC_TAP_ENDPOINT=endpoint.url)
        self.assertEqual((ended.code, ended.stdout), (0, "True\n"))

    @unittest.skipUnless(hasattr(os, "fork"), "forks are POSIX")
    def test_the_children_of_multiprocessing_deliver_at_their_end(self) -> None:
        for method in ("fork", "spawn"):
            script = f"""
import multiprocessing
def work(number):
    client.chat.completions.made = number
    call(1)
if __name__ == "__main__":
    tap(client, 't'); call(1)
    context = multiprocessing.get_context("{method}")
    if "{method}" == "fork":
        children = [context.Process(target=work, args=(number * 100,)) for number in (1, 2, 3)]
        for each in children: each.start()
        for each in children: each.join()
        print([each.exitcode for each in children])
        with context.Pool(2) as pool:
            pool.map(work, [400, 500])
            pool.close(); pool.join()
"""
            ids, out = self.delivered(script)
            if method == "fork":
                self.assertEqual(sorted(ids), ["call_1", "call_101", "call_201", "call_301", "call_401", "call_501"])
                self.assertEqual(out, "[0, 0, 0]\n")

    def test_a_stream_that_is_open_at_the_end_is_told(self) -> None:
        script = """
def create(**request):
    yield {"id": "open_1", "model": "m", "choices": []}
    yield {"id": "open_1", "model": "m", "choices": []}
client.chat.completions.create = create
tap(client, 't')
stream = client.chat.completions.create(model="m")
next(stream)
"""
        self.assertEqual(self.delivered(script)[0], ["open_1"])

    def test_threads_and_a_thread_that_outlives_main(self) -> None:
        script = """
import threading
tap(client, 't')
def work():
    for _ in range(50): call(1)
threads = [threading.Thread(target=work) for _ in range(8)]
for each in threads: each.start()
"""
        ids, _ = self.delivered(script)
        self.assertEqual(len(ids), 400)

    def test_an_endpoint_that_hangs_holds_the_end_up_by_a_second_and_a_half_at_most(self) -> None:
        # Registered before the tap, so it runs after it.
        before = "import atexit, time\nat = [0]\natexit.register(lambda: print(time.monotonic() - at[0] < 2.5))\n"
        with Ingestion(lambda index: None) as endpoint:
            script = "tap(client, 't'); call(1); at[0] = time.monotonic()"
            ended = run_host(script, before, SVC_TAP_KEY="k", SVC_TAP_ENDPOINT=endpoint.url)
        self.assertEqual((ended.code, ended.stdout, ended.stderr), (0, "True\n", ""))

    def test_inspect_mode_prints_what_is_queued_at_every_end(self) -> None:
        for end, code in (("", 0), ("sys.exit(4)", 4)):
            ended = run_host(f"tap(client, 't', inspect=True); call(150); {end}")
            notice, *batches = ended.stderr.splitlines()
            self.assertEqual((ended.code, len(batches)), (code, 2))
            self.assertRegex(notice, "^metergate-tap: inspect mode")

    def test_a_wrong_key_in_a_short_program_says_so(self) -> None:
        with Ingestion(lambda index: 401) as endpoint:
            ended = run_host("tap(client, 't'); call(2)", SVC_TAP_KEY="k", SVC_TAP_ENDPOINT=endpoint.url)
        self.assertEqual((ended.code, ended.stderr), (0, "metergate-tap: the tap key was not accepted: the last calls are not reported.\n"))


if __name__ == "__main__":
    unittest.main()
