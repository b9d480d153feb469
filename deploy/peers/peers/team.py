"""The processes of one measurement: started together, ready together, stopped together."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


class Team:
    """Child processes with a pipe in each direction; all have ended when the `with` block ends."""

    def __init__(self, tasks: Sequence[dict[str, Any]]) -> None:
        self._children = [
            subprocess.Popen(
                [sys.executable, "-m", "peers.child", json.dumps(task)],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=sys.stderr,
                text=True,
            )
            for task in tasks
        ]

    @property
    def pids(self) -> list[int]:
        """Returns the process ids of the children."""
        return [child.pid for child in self._children]

    def check(self) -> None:
        """Fails if a child has already ended, so that nobody waits for it."""
        if any(child.poll() is not None for child in self._children):
            raise RuntimeError("a child process ended too early; its error is above")

    def wait_ready(self) -> None:
        """Returns when every child has imported, connected and prepared."""
        for child in self._children:
            self._message(child, "ready")

    def go(self) -> None:
        """Sends the start signal to every child."""
        self._tell("go")

    def stop(self) -> None:
        """Asks every child to finish its current jobs."""
        self._tell("stop")

    def wait_done(self) -> None:
        """Returns when each child has finished its task; their CPU times can still be read."""
        for child in self._children:
            self._message(child, "done")

    def results(self) -> list[dict[str, Any]]:
        """Waits for the final message of each child and returns them."""
        return [self._message(child, "result") for child in self._children]

    def _tell(self, word: str) -> None:
        for child in self._children:
            try:
                child.stdin.write(word + "\n")
                child.stdin.flush()
            except BrokenPipeError:
                # The child has ended; its final message, or the lack of a message, shows how.
                pass

    def _message(self, child: subprocess.Popen[str], event: str) -> dict[str, Any]:
        for line in child.stdout:
            message = json.loads(line)
            if message["event"] == event:
                return message
        raise RuntimeError(f"a child process ended before it said {event!r}; its error is above")

    def __enter__(self) -> Team:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for child in self._children:
            child.stdin.close()
            try:
                child.wait(timeout=0 if kind else 10)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
