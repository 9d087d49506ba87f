"""The scripted provider of the JavaScript suite, as a separate process; it needs the workspace's Node."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Any, Callable, Optional

ROOT = Path(__file__).resolve().parents[4]
_SERVER = ROOT / "packages/tap/test/sdk/serve-provider.ts"


def node() -> Optional[str]:
    """The workspace's Node, which runs TypeScript; None if it is not installed."""
    given = os.environ.get("METERGATE_NODE")
    brought = next(iter(sorted((ROOT / "node_modules").glob("node-*/bin/node"))), None)
    return given or (str(brought) if brought else None) or shutil.which("node")


class Provider:
    """The running provider."""

    def __init__(self) -> None:
        program = node()
        assert program is not None, "Node is needed: run npm ci"
        self._process = subprocess.Popen([program, str(_SERVER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        assert self.url.startswith("http"), "the scripted provider did not start"

    def calls(self) -> int:
        """How many calls that can carry usage it has received so far."""
        with urllib.request.urlopen(f"{self.url}/asked") as answer:
            return int(answer.read())

    def once_asked(self, before: int, act: Callable[[], Any]) -> None:
        """Acts when it has received more calls than before; gives up after ten seconds."""
        until = time.monotonic() + 10
        while self.calls() <= before and time.monotonic() < until:
            time.sleep(0.005)
        act()

    def close(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
