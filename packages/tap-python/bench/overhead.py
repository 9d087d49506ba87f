"""
What a wrapper adds to a call of the ``openai`` SDK, in processor time and memory: the bare client, this tap and, if installed, the wrappers of
langfuse and OpenLLMetry. Nothing waits for a network: the provider is a transport inside the process, and the wrappers send to a server in
this program, which accepts everything.

    pip install openai langfuse opentelemetry-instrumentation-openai opentelemetry-sdk opentelemetry-exporter-otlp-proto-http
    PYTHONPATH=src python bench/overhead.py

Each wrapper runs several times in turn, each time in a fresh process, and its lowest figure counts. It measures processor time, not elapsed
time, so that other programs on the machine matter little. It takes about half a minute on a quiet machine.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List, Optional

WRAPPERS = ("bare", "metergate", "langfuse", "openllmetry")
TURNS = 5
TURN_LIMIT_S = 300
"""One takes two seconds on a quiet machine."""
CALLS = 150
WARM_UP = 50
CHUNKS = 50
ASKED: Dict[str, Any] = {"model": "gpt-5.1", "messages": [{"role": "user", "content": "How long is the Rhine? " * 20}]}
USAGE = {"prompt_tokens": 120, "completion_tokens": 50, "total_tokens": 170}


def _chunk(choices: List[Any], usage: Any = None) -> bytes:
    chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-5.1", "choices": choices, "usage": usage}
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


WHOLE = json.dumps({
    "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-5.1", "usage": USAGE,
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "It is long. " * 20}}],
}).encode()  # fmt: skip
STREAMED = b"".join([
    *(_chunk([{"index": 0, "delta": {"content": "word "}, "finish_reason": None}]) for _ in range(CHUNKS)),
    _chunk([{"index": 0, "delta": {}, "finish_reason": "stop"}]), _chunk([], USAGE), b"data: [DONE]\n\n",
])  # fmt: skip


def wrapped(wrapper: str, sink: str) -> Callable[..., Any]:
    """Returns the function that makes a client observed by this wrapper."""
    import openai

    if wrapper == "metergate":
        from metergate_tap import tap

        return lambda **given: tap(openai.OpenAI(**given), "bench", key="svc_tap_bench", endpoint=f"{sink}/tap/v1/events")
    if wrapper == "langfuse":
        os.environ.update(LANGFUSE_HOST=sink, LANGFUSE_BASE_URL=sink, LANGFUSE_PUBLIC_KEY="pk-lf-bench", LANGFUSE_SECRET_KEY="sk-lf-bench")
        from langfuse.openai import OpenAI  # type: ignore[import-not-found,unused-ignore]

        return OpenAI  # type: ignore[no-any-return,unused-ignore]
    if wrapper == "openllmetry":
        from opentelemetry import trace  # type: ignore[import-not-found,unused-ignore]
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # type: ignore[import-not-found,unused-ignore]
        from opentelemetry.instrumentation.openai import OpenAIInstrumentor  # type: ignore[import-not-found,unused-ignore]
        from opentelemetry.sdk.trace import TracerProvider  # type: ignore[import-not-found,unused-ignore]
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # type: ignore[import-not-found,unused-ignore]

        provider = TracerProvider()
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=f"{sink}/v1/traces")))
        trace.set_tracer_provider(provider)
        OpenAIInstrumentor().instrument()
    return openai.OpenAI


def measure(wrapper: str, sink: str) -> Dict[str, float]:
    """Processor time of a call in microseconds, of the calling thread and of all threads, and memory in KiB."""
    import openai

    http: Any = sys.modules.get("httpx2") or sys.modules["httpx"]

    def answer(request: Any) -> Any:
        if json.loads(request.content).get("stream"):
            return http.Response(200, headers={"content-type": "text/event-stream"}, content=STREAMED)
        return http.Response(200, headers={"content-type": "application/json"}, content=WHOLE)

    make = wrapped(wrapper, sink)
    client = make(api_key="k", base_url="https://api.openai.com/v1", http_client=openai.DefaultHttpxClient(transport=http.MockTransport(answer)))

    def call() -> None:
        client.chat.completions.create(**ASKED)

    def stream() -> None:
        for _ in client.chat.completions.create(stream=True, stream_options={"include_usage": True}, **ASKED):
            pass

    figures: Dict[str, float] = {}
    for name, act in (("call", call), ("stream", stream)):
        for _ in range(WARM_UP):
            act()
        thread_s, process_s = time.thread_time(), time.process_time()
        for _ in range(CALLS):
            act()
        figures[name] = (time.thread_time() - thread_s) / CALLS * 1e6
        figures[f"{name}, all threads"] = (time.process_time() - process_s) / CALLS * 1e6
    gc.collect()
    figures["memory"] = resident_kib()
    return figures


def resident_kib() -> float:
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1024


class Sink(BaseHTTPRequestHandler):
    """Takes whatever is posted."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    do_GET = do_POST

    def log_message(self, *args: Any) -> None:
        pass


def one(wrapper: str, sink: str) -> Optional[Dict[str, float]]:
    """The figures of one process; None if the wrapper is not installed, or the machine is too busy for it."""
    try:
        done = subprocess.run([sys.executable, __file__, wrapper, sink], capture_output=True, text=True, timeout=TURN_LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        print(f"{wrapper}: a turn is left out (it did not end within {TURN_LIMIT_S} s)")
        return None
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        print(f"{wrapper}: left out ({(done.stderr.splitlines() or ['it ended without a word'])[-1][:120]})")
        return None
    figures: Dict[str, float] = json.loads(lines[-1])
    return figures


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Sink)
    server.daemon_threads = True
    server.handle_error = lambda *args: None  # type: ignore[assignment]  # a wrapper that ended in the middle of a post
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sink = f"http://127.0.0.1:{server.server_address[1]}"
    found: Dict[str, List[Dict[str, float]]] = {}
    for _ in range(TURNS):
        for wrapper in WRAPPERS:
            figures = one(wrapper, sink) if found.get(wrapper) != [] else None
            found.setdefault(wrapper, []).extend([figures] if figures else [])
    least = {wrapper: {name: min(each[name] for each in turns) for name in turns[0]} for wrapper, turns in found.items() if turns}
    bare = least["bare"]
    print(f"{'':12} {'call':>10} {'stream':>10} {'call, all threads':>18} {'stream, all threads':>20} {'memory':>10}")
    print(f"{'bare':12} {bare['call']:7.0f} us {bare['stream']:7.0f} us {bare['call, all threads']:15.0f} us "
          f"{bare['stream, all threads']:17.0f} us {bare['memory'] / 1024:6.1f} MiB")  # fmt: skip
    for wrapper, figures in least.items():
        if wrapper != "bare":
            added = {name: figures[name] - bare[name] for name in bare}
            print(f"{wrapper:12} {added['call']:+7.0f} us {added['stream']:+7.0f} us {added['call, all threads']:+15.0f} us "
                  f"{added['stream, all threads']:+17.0f} us {added['memory'] / 1024:+6.1f} MiB")  # fmt: skip


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(measure(sys.argv[1], sys.argv[2])), flush=True)
        os._exit(0)  # what the wrappers do when the process ends is not measured
    main()
