"""One process of a measurement, started by `Team`: a producer or a worker of one peer."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
import time
from typing import Any

import uvloop

from peers.database import Database
from peers.peer import Peer
from peers.registry import peer_class
from peers.scoreboard import Scoreboard

FEED_SECONDS = 0.002


class PipeSignals:
    """Sends `ready` to the parent, and receives `go` and `stop`."""

    def __init__(self, output: Any) -> None:
        self._output = output
        self._loop = asyncio.get_running_loop()
        self._go = asyncio.Event()
        self._stop = asyncio.Event()
        # For loops that never yield to the event loop.
        self.is_stopped = False
        # In a thread, because a closed pipe (the parent died) must also stop the process.
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in sys.stdin:
            if line.strip() == "go":
                self._loop.call_soon_threadsafe(self._go.set)
            else:
                break
        self.is_stopped = True
        self._loop.call_soon_threadsafe(self._go.set)
        self._loop.call_soon_threadsafe(self._stop.set)

    async def ready(self) -> None:
        self.send({"event": "ready"})
        await self._go.wait()

    async def stopped(self) -> None:
        await self._stop.wait()

    def send(self, message: dict[str, Any]) -> None:
        """Sends one line to the parent."""
        self._output.write(json.dumps(message) + "\n")
        self._output.flush()


async def produce(peer: Peer, task: dict[str, Any], signals: PipeSignals) -> dict[str, Any]:
    """Enqueues the numbers of a range until all are enqueued, the time is over, or the parent stops it."""
    first, last, batch = task["first"], task["last"], task["batch"]
    # A feeder waits while this many of its jobs are unhandled; other producers do not wait.
    board = Scoreboard(task["scoreboard"]) if "backlog" in task else None
    async with peer.producer() as producer:
        await signals.ready()
        deadline = time.monotonic() + task["seconds"]
        number = first
        while number <= last and time.monotonic() < deadline and not signals.is_stopped:
            if board and number - first - board.calls >= task["backlog"]:
                await asyncio.sleep(FEED_SECONDS)
            elif batch is None:
                await producer.enqueue(number)
                number += 1
            else:
                until = min(number + batch, last + 1)
                await producer.enqueue_batch(range(number, until))
                number = until
        signals.send({"event": "done"})
        # The clocks are read before the teardown.
        await signals.stopped()
    return {"enqueued": number - first, "total": sum(range(first, number))}


async def work(peer: Peer, task: dict[str, Any], signals: PipeSignals) -> dict[str, Any]:
    """Runs the peer's worker; for pickup, also records the time of each call."""
    moments: list[tuple[int, int]] = []
    board, slot = Scoreboard(task["scoreboard"]), task["slot"]

    def count(number: int) -> None:
        board.add(slot, number)

    def note(number: int) -> None:
        moments.append((number, time.monotonic_ns()))
        board.add(slot, number)

    await peer.work(note if peer.figure == "pickup" else count, signals)
    return {"moments": moments}


async def main(task: dict[str, Any], output: Any) -> None:
    """Runs the task and sends its result to the parent as the last line."""
    signals = PipeSignals(output)
    peer = peer_class(task["peer"])(Database(task["dsn"]), task["figure"], task["companies"])
    result = await (produce if task["role"] == "producer" else work)(peer, task, signals)
    signals.send({"event": "result", **result})


if __name__ == "__main__":
    # Output of the peers goes to stderr; the pipe to the parent carries messages only.
    pipe = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    uvloop.run(main(json.loads(sys.argv[1]), pipe))
    pipe.close()
    # Threads and loops of the peers would delay the exit after the last message.
    os._exit(0)
