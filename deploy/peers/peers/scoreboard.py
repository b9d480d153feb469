"""Counts of handler calls in shared memory, so that monitoring costs the server nothing."""

from __future__ import annotations

import mmap
import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager

# Each process has a slot with two numbers: the number of calls, and the sum of the payloads.
SLOT_BYTES = 16


class Scoreboard:
    """A small file that several processes map into memory; each process writes only its own slot."""

    def __init__(self, path: str) -> None:
        self.path = path
        with open(path, "r+b") as file:
            self._map = mmap.mmap(file.fileno(), 0)
        self._cells = memoryview(self._map).cast("Q")
        self._lock = threading.Lock()

    def add(self, slot: int, number: int) -> None:
        """Counts one call; locked, because some peers run handlers on several threads."""
        with self._lock:
            self._cells[2 * slot] += 1
            self._cells[2 * slot + 1] += number

    @property
    def calls(self) -> int:
        """Returns the number of handler calls of all processes."""
        return sum(self._cells[0::2])

    @property
    def total(self) -> int:
        """Returns the sum of all handled payloads."""
        return sum(self._cells[1::2])


@contextmanager
def scoreboard(slots: int) -> Iterator[Scoreboard]:
    """Creates a scoreboard, which is removed at the end."""
    handle, path = tempfile.mkstemp(prefix="fettle-peers-")
    try:
        os.write(handle, bytes(SLOT_BYTES * slots))
        os.close(handle)
        yield Scoreboard(path)
    finally:
        os.unlink(path)
