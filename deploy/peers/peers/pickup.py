"""The time from an enqueue to the handler of an idle worker."""

from __future__ import annotations

import argparse
import asyncio
import math
import random
import time
from typing import Any

import uvloop

from peers.peer import Peer
from peers.scoreboard import Scoreboard, scoreboard
from peers.tasks import worker_tasks
from peers.team import Team

# The first jobs only warm up connections and plans; they are not measured.
WARM_UP = 10
SETTLE_SECONDS = 1.5
PATIENCE_SECONDS = 5.0


async def enqueue_slowly(
    peer: Peer, options: argparse.Namespace, board: Scoreboard
) -> dict[int, tuple[int, int]]:
    """Enqueues one job at a time; returns the times just before and after each call, by payload."""
    moments: dict[int, tuple[int, int]] = {}
    deadline = time.monotonic() + options.seconds
    # Irregular intervals with a fixed seed: regular intervals could coincide with the polls of a peer.
    pace = random.Random(4)
    async with peer.producer() as producer:
        await asyncio.sleep(SETTLE_SECONDS)
        for number in range(1, WARM_UP + options.samples + 1):
            if time.monotonic() > deadline:
                break
            before = time.monotonic_ns()
            await producer.enqueue(number)
            moments[number] = (before, time.monotonic_ns())
            await asyncio.sleep(options.interval_ms / 1000 * pace.uniform(0.8, 1.2))
        patience = time.monotonic() + PATIENCE_SECONDS
        while board.calls < len(moments) and time.monotonic() < patience:
            await asyncio.sleep(0.01)
    return moments


def percentile(ordered: list[float], share: float) -> float | None:
    """Returns the nearest-rank percentile of sorted values."""
    if not ordered:
        return None
    return ordered[max(0, math.ceil(len(ordered) * share / 100) - 1)]


def spread(values: list[float], prefix: str = "") -> dict[str, float | None]:
    """Returns the reported percentiles, in the unit of the values."""
    ordered = sorted(values)
    return {f"{prefix}p{share}_ms": percentile(ordered, share) for share in (50, 95, 99)}


def measure_pickup(peer: Peer, options: argparse.Namespace) -> dict[str, Any]:
    """From the return of the enqueue call, when the commit is known, to the handler's first line.

    A worker can be faster than the response to the producer: such samples count as zero. The time
    from the start of the call, including the enqueue itself, is reported too.
    """
    with scoreboard(1) as board, Team(worker_tasks(peer, 1, board)) as team:
        team.wait_ready()
        team.go()
        enqueued = uvloop.run(enqueue_slowly(peer, options, board))
        team.stop()
        (result,) = team.results()
    handled: dict[int, int] = {}
    for number, moment in result["moments"]:
        handled.setdefault(number, moment)
    counted = [number for number in enqueued if number > WARM_UP and number in handled]
    after_commit = [max(0, handled[number] - enqueued[number][1]) / 1e6 for number in counted]
    after_call = [(handled[number] - enqueued[number][0]) / 1e6 for number in counted]
    return {
        "samples": len(counted),
        "partial": len(counted) < options.samples,
        "lost": len(enqueued) - len(handled),
        **spread(after_commit),
        **spread(after_call, "from_call_"),
    }
