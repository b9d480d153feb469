"""The tasks of the child processes of a measurement, read by `child.py`."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from peers.peer import Peer
from peers.scoreboard import Scoreboard


def _task(peer: Peer, role: str) -> dict[str, Any]:
    return {
        "role": role,
        "peer": peer.name,
        "dsn": peer.database.dsn,
        "figure": peer.figure,
        "companies": peer.companies,
    }


def producer_tasks(
    peer: Peer, jobs: int, clients: int, batch: int | None, seconds: float
) -> list[dict[str, Any]]:
    """Returns a task per client, each with its own connection and range of the numbers 1 to `jobs`."""
    edges = [jobs * index // clients for index in range(clients + 1)]
    return [
        _task(peer, "producer") | {"first": first + 1, "last": last, "batch": batch, "seconds": seconds}
        for first, last in pairwise(edges)
    ]


def feeder_task(peer: Peer, backlog: int, batch: int, seconds: float, board: Scoreboard) -> dict[str, Any]:
    """Returns the task of an endless producer, which waits while too many jobs are unhandled."""
    (task,) = producer_tasks(peer, 1 << 62, 1, batch, seconds)
    return task | {"backlog": backlog, "scoreboard": board.path}


def worker_tasks(peer: Peer, count: int, board: Scoreboard) -> list[dict[str, Any]]:
    """Returns the tasks of the workers, each with its slot on the scoreboard."""
    return [_task(peer, "worker") | {"scoreboard": board.path, "slot": slot} for slot in range(count)]
