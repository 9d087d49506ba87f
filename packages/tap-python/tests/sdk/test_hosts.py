"""
Hosts of other kinds, as real processes: gevent's greenlets, trio, gunicorn's and Celery's workers. Each event is delivered once; the host ends
as without the tap and prints nothing of it. Spec: Tap client wrapper 1 and 3; rule 30c.
"""

from __future__ import annotations

import importlib.util
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable, List, Sequence, Tuple

from ..host import CLIENT, SOURCE, Ingestion, run_host

if not any(importlib.util.find_spec(name) for name in ("gevent", "trio", "gunicorn", "celery")):
    raise unittest.SkipTest("gevent, trio, gunicorn and celery are not installed")

WITHIN_S = 60


GUNICORN = """
import faulthandler

def post_worker_init(worker):
    worker.log.info("Worker ready")

def worker_exit(server, worker):
    faulthandler.dump_traceback_later(20)  # where a worker stands that has not ended by then

def child_exit(server, worker):
    worker.log.info("Worker ended")
"""
"""
The hooks of the server. A worker that gets its signal to end while it boots ignores it, tapped or not; one that does not end is silently
killed after half a minute, and the server ends as if nothing were wrong.
"""


def needs(*names: str) -> Any:
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    return unittest.skipIf(missing, f"not installed: {', '.join(missing)}")


def wait_until(is_so: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + WITHIN_S
    while not is_so():
        if time.monotonic() > until:
            raise AssertionError(f"not within {WITHIN_S} s: {what}")
        time.sleep(0.02)


class Program:
    """A server of the host that runs until it is asked to end."""

    def __init__(self, folder: str, args: List[str], handed: Sequence[int] = (), **env: str) -> None:
        """`handed`: open files of this process that the program inherits."""
        given = {name: value for name, value in os.environ.items() if not name.startswith("SVC_TAP")}
        self._output = open(Path(folder) / "output", "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [sys.executable, *args], cwd=folder, stdin=subprocess.DEVNULL, stdout=self._output, stderr=subprocess.STDOUT,
            pass_fds=handed, env={**given, "PYTHONPATH": f"{SOURCE}{os.pathsep}{folder}", **env},
        )  # fmt: skip

    def output(self) -> str:
        self._output.seek(0)
        return self._output.read()

    def end(self, sent: int = signal.SIGTERM) -> int:
        self.process.send_signal(sent)
        return self.process.wait(WITHIN_S)

    def __enter__(self) -> "Program":
        return self

    def __exit__(self, *args: Any) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._output.close()


class Hosts(unittest.TestCase):
    def delivered(self, script: str, before: str = "") -> List[str]:
        with Ingestion() as endpoint:
            ended = run_host(script, before, SVC_TAP_KEY="svc_tap_test", SVC_TAP_ENDPOINT=endpoint.url)
            self.assertEqual((ended.code, ended.stderr), (0, ""), ended)
            self.assertNotIn("CANARY", ended.stdout + endpoint.text())
            return sorted(endpoint.ids())

    @needs("gevent")
    def test_greenlets_whether_gevent_patches_before_or_after_the_tap_is_loaded(self) -> None:
        patch = "from gevent import monkey; monkey.patch_all()\n"
        script = """
import gevent
tap(client, 't')
gevent.joinall([gevent.spawn(call, 5) for _ in range(10)], raise_error=True)
started = time.monotonic()
time.sleep(2.5)  # an interval passes while the greenlets of the host go on
assert time.monotonic() - started < 5
gevent.joinall([gevent.spawn(call, 1) for _ in range(3)], raise_error=True)
import signal
assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set(), 'the host hears its signals'
"""
        expected = sorted(f"call_{number}" for number in range(1, 54))
        self.assertEqual(self.delivered(script, before=patch), expected)
        self.assertEqual(self.delivered(patch + script), expected)

    @needs("gevent")
    def test_greenlets_whose_first_delivery_is_at_the_end(self) -> None:
        patch = "from gevent import monkey; monkey.patch_all()\n"
        script = "import gevent; tap(client, 't'); gevent.spawn(call, 3).get()"
        expected = ["call_1", "call_2", "call_3"]
        self.assertEqual(self.delivered(script, before=patch), expected)
        self.assertEqual(self.delivered(patch + script), expected)

    @needs("trio")
    def test_a_trio_host_is_not_held_up(self) -> None:
        script = """
import trio
tap(client, 't')
late = []

async def watch():
    for _ in range(50):
        at = trio.current_time()
        await trio.sleep(0.01)
        late.append(trio.current_time() - at)

async def main():
    async with trio.open_nursery() as nursery:
        nursery.start_soon(watch)
        for _ in range(20):
            nursery.start_soon(one)

async def one():
    call(2)
    await trio.sleep(0)

trio.run(main)
assert len(late) == 50
"""
        self.assertEqual(self.delivered(script), sorted(f"call_{number}" for number in range(1, 41)))

    @needs("gunicorn")
    def test_gunicorn_workers_deliver_each_event_once_and_end_as_told(self) -> None:
        app = CLIENT + (
            "tap(client, 't')\n"
            "def app(environ, start_response):\n"
            "    numbered(int(environ['PATH_INFO'][1:]))\n"
            "    start_response('200 OK', [('content-length', '2')])\n"
            "    return [b'ok']\n"
        )
        kinds = [["--worker-class", "sync"], ["--worker-class", "gthread", "--threads", "4"]]
        kinds += [["--worker-class", "gevent"]] if importlib.util.find_spec("gevent") else []
        every = [(kind, preload) for kind in kinds for preload in ([], ["--preload"])]
        self.side_by_side(every, lambda kind, preload: self.served_by_gunicorn(app, [*kind, *preload]))

    def served_by_gunicorn(self, app: str, options: List[str]) -> None:
        with Ingestion() as endpoint, tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "hosted.py").write_text(app, encoding="utf-8")
            (Path(folder) / "gunicorn.conf.py").write_text(GUNICORN, encoding="utf-8")
            with socket.socket() as taken:
                taken.bind(("127.0.0.1", 0))
                taken.listen()
                # The server inherits the socket, because a port that was free a moment ago may now belong to another server.
                args = ["-m", "gunicorn", "--bind", f"fd://{taken.fileno()}", "--workers", "2", "--no-control-socket", *options, "hosted:app"]
                with Program(folder, args, (taken.fileno(),), SVC_TAP_KEY="k", SVC_TAP_ENDPOINT=endpoint.url) as server:
                    wait_until(lambda: server.output().count("Worker ready") == 2, "workers")
                    port = taken.getsockname()[1]
                    for number in range(1, 31):
                        urllib.request.urlopen(f"http://127.0.0.1:{port}/{number}", timeout=WITHIN_S).read()
                    self.assertEqual(server.end(), 0, server.output())
                    self.assertEqual(server.output().count("Worker ended"), 2, server.output())
                    self.assertNotRegex(server.output(), "was sent SIG|exited with code")
                    self.assertNotRegex(server.output() + endpoint.text(), "CANARY|metergate-tap:")
            self.assertEqual(sorted(endpoint.ids()), sorted(f"call_{number}" for number in range(1, 31)))

    @needs("celery")
    def test_celery_workers_deliver_each_event_once(self) -> None:
        tasks = CLIENT + """
from celery import Celery
folder = os.path.dirname(os.path.abspath(__file__))
app = Celery('hosted', broker='filesystem://', broker_transport_options={
    'data_folder_in': folder + '/queue', 'data_folder_out': folder + '/queue', 'control_folder': folder + '/control'})
tap(client, 't')

@app.task
def one(number):
    numbered(number)
"""
        pools = ["prefork", "threads", "solo", *(["gevent"] if importlib.util.find_spec("gevent") else [])]
        self.side_by_side([(pool,) for pool in pools], lambda pool: self.worked_by_celery(tasks, pool))

    def worked_by_celery(self, tasks: str, pool: str) -> None:
        with Ingestion() as endpoint, tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "queue").mkdir()
            (Path(folder) / "control").mkdir()
            (Path(folder) / "hosted.py").write_text(tasks, encoding="utf-8")
            env = {"SVC_TAP_KEY": "k", "SVC_TAP_ENDPOINT": endpoint.url}
            sent = "import hosted\nfor number in range(1, 21): hosted.one.delay(number)"
            with Program(folder, ["-c", sent], **env) as producer:
                self.assertEqual(producer.process.wait(WITHIN_S), 0, producer.output())
            args = ["-m", "celery", "-A", "hosted", "worker", "--pool", pool, "--concurrency", "2", "--loglevel", "INFO",
                    "--without-gossip", "--without-mingle", "--without-heartbeat"]  # fmt: skip
            with Program(folder, args, **env) as worker:
                wait_until(lambda: worker.output().count("succeeded in") == 20, "tasks")
                self.assertEqual(worker.end(), 0, worker.output())
                self.assertNotRegex(worker.output() + endpoint.text(), "CANARY|metergate-tap:")
            self.assertEqual(sorted(endpoint.ids()), sorted(f"call_{number}" for number in range(1, 21)))

    def side_by_side(self, every: Sequence[Tuple[Any, ...]], held: Callable[..., None]) -> None:
        """Runs the checks in parallel: their servers wait most of the time, above all when they end."""
        with ThreadPoolExecutor(len(every)) as threads:
            for given, one in [(given, threads.submit(held, *given)) for given in every]:
                with self.subTest(given):
                    one.result()


if __name__ == "__main__":
    unittest.main()
