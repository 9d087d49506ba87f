"""
A host: a separate process with a provider client, the tap and a script; and how it ended. And an ingestion endpoint on a real socket that
answers by script and keeps what it received.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple, Optional

SOURCE = Path(__file__).resolve().parents[1] / "src"

CLIENT = """
import os, sys, time
from metergate_tap import tap

class Completions:
    def __init__(self): self.made = 0
    def create(self, number=None, **request):
        if number is None:
            self.made += 1
            number = self.made
        return {
            "id": f"call_{number}", "object": "chat.completion", "model": "model-1",
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "CANARY-answer",
                "tool_calls": [{"id": "t", "type": "function", "function": {"name": "f", "arguments": "CANARY-arguments"}}]}}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 1}},
        }

class Chat:
    def __init__(self): self.completions = Completions()

class Client:
    def __init__(self): self.chat = Chat()

client = Client()

def call(count=1, client=client):
    for _ in range(count): numbered(None, client)

def numbered(number, client=client):
    client.chat.completions.create(number=number, model="asked", messages=[{"role": "user", "content": "CANARY-prompt"}])
"""
"""
The client of every script: `call(n)` makes n calls one after another, ids `call_1`, `call_2`, …; `numbered(n)` makes the call `call_n`, from
any thread.
"""


class Ended(NamedTuple):
    code: int
    """As Python reports it: minus the number of the signal it died of."""
    stdout: str
    stderr: str


def run_host(script: str, before: str = "", args: Optional[List[str]] = None, timeout_s: float = 60, **env: str) -> Ended:
    """Runs a script that has `tap`, `client` and `call`. Keys and endpoint of this process's environment do not reach it."""
    given = {name: value for name, value in os.environ.items() if not name.startswith("SVC_TAP")}
    done = subprocess.run(
        [sys.executable, *(args or []), "-c", before + CLIENT + script],
        env={**given, "PYTHONPATH": str(SOURCE), **env},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout_s, check=False,
    )  # fmt: skip
    return Ended(done.returncode, done.stdout, done.stderr)


Answering = Callable[[int], Any]
"""The number of the post, from 0 → status, or (status, headers, body), or None: the connection is held without an answer."""


class Ingestion:
    """The running endpoint."""

    def __init__(self, answering: Answering = lambda index: 202) -> None:
        self.posts: List[Dict[str, Any]] = []
        self.held = threading.Event()
        self._arrived = threading.Condition()
        ingestion = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                with ingestion._arrived:
                    index = len(ingestion.posts)
                    ingestion.posts.append({"path": self.path, "headers": dict(self.headers), "body": body.decode()})
                    ingestion._arrived.notify_all()
                answer = answering(index)
                if answer is None:
                    ingestion.held.wait(30)
                    return
                status, headers, text = answer if isinstance(answer, tuple) else (answer, {}, b"{}")
                self.send_response(status)
                for name, value in {"content-length": str(len(text)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                try:
                    self.wfile.write(text)
                except OSError:
                    pass

            def log_message(self, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *args: None  # type: ignore[assignment]
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/tap/v1/events"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def events(self) -> List[Dict[str, Any]]:
        return [event for post in self.posts for event in json.loads(post["body"])["events"]]

    def text(self) -> str:
        """All that was posted, except keys: it must not contain any text of a call."""
        kept = [{**post, "headers": {n: v for n, v in post["headers"].items() if n.lower() != "authorization"}} for post in self.posts]
        return json.dumps(kept)

    def ids(self) -> List[str]:
        return [event["request_id"] for event in self.events()]

    def wait_for(self, posts: int, timeout_s: float = 10) -> bool:
        with self._arrived:
            return self._arrived.wait_for(lambda: len(self.posts) >= posts, timeout_s)

    def __enter__(self) -> "Ingestion":
        return self

    def __exit__(self, *args: Any) -> None:
        self.held.set()
        self._server.shutdown()
        self._server.server_close()
