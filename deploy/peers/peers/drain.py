"""Jobs finished a second out of a backlog, by worker processes that do nothing else."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg

from peers.cpu import process_seconds, server_seconds
from peers.enqueue import per_job, producer_tasks
from peers.peer import Peer
from peers.scoreboard import Scoreboard, scoreboard
from peers.team import Team

# Watching shared memory is free; asking the server is not, so it is asked only near the end.
WATCH_SECONDS = 0.002
ASK_SECONDS = 0.01
# Two producers fill a backlog about as fast as two cores can.
PRELOAD_CLIENTS = 2


def preload(peer: Peer, options: argparse.Namespace) -> int:
    """Enqueues the backlog through the peer's own batch API; returns how many jobs it holds."""
    tasks = producer_tasks(peer, options.jobs, PRELOAD_CLIENTS, peer.best_batch, options.preload_seconds)
    with Team(tasks) as team:
        team.wait_ready()
        team.go()
        enqueued = sum(result["enqueued"] for result in team.results())
    with peer.database.connect() as connection:
        # Autovacuum would come round in a minute; a benchmark must not depend on when.
        connection.execute("vacuum (analyze)")
    print(f"{peer.name}: {enqueued} jobs queued", file=sys.stderr)
    return enqueued


@contextmanager
def pinned_snapshot(peer: Peer, wanted: bool) -> Iterator[None]:
    """Holds a snapshot open in the peer's database, so that nothing dead can be removed from it."""
    if not wanted:
        yield
        return
    with psycopg.connect(peer.database.dsn) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.execute("select txid_current_snapshot()")
        yield


def worker_tasks(peer: Peer, count: int, figure: str, board: Scoreboard) -> list[dict[str, Any]]:
    """The worker processes, each with its slot on the scoreboard."""
    return [
        {
            "role": "worker",
            "peer": peer.name,
            "dsn": peer.database.dsn,
            "companies": peer.companies,
            "figure": figure,
            "scoreboard": board.path,
            "slot": slot,
        }
        for slot in range(count)
    ]


@dataclass(frozen=True)
class Reading:
    """The clocks at one moment of a drain, read together."""

    moment: float
    server_cpu: float | None
    worker_cpu: float

    @classmethod
    def now(cls, team: Team, options: argparse.Namespace) -> Reading:
        return cls(time.monotonic(), server_seconds(options.postmaster_pid), process_seconds(team.pids))


def wait_finished(
    team: Team, board: Scoreboard, recorded: Callable[[], int], target: int, options: argparse.Namespace
) -> tuple[int, Reading, Reading | None]:
    """How many jobs are recorded as done, and when: as soon as it is `target`, or the time is over.

    The second reading is that of the first handler call: before it the workers only got going.
    """
    deadline = time.monotonic() + options.seconds
    first: Reading | None = None
    while board.calls < target and time.monotonic() < deadline:
        team.check()
        if first is None and board.calls:
            first = Reading.now(team, options)
        time.sleep(WATCH_SECONDS)
    while True:
        # A count tells of the moment at which it was asked for, however long it took.
        reading = Reading.now(team, options)
        finished = recorded()
        if finished >= target or time.monotonic() >= deadline:
            return finished, reading, first
        time.sleep(max(ASK_SECONDS, time.monotonic() - reading.moment))


def measure_drain(peer: Peer, workers: int, options: argparse.Namespace) -> dict[str, Any]:
    """Clock and CPU run from the start signal until the queue has recorded the last job wanted as done."""
    with pinned_snapshot(peer, options.pinned):
        backlog = preload(peer, options)
        target = min(options.limit or backlog, backlog)
        with scoreboard(workers) as board, peer.database.connect() as connection:

            def recorded() -> int:
                return connection.execute(peer.finished_query()).fetchone()[0]

            with Team(worker_tasks(peer, workers, "drain", board)) as team:
                team.wait_ready()
                start = Reading.now(team, options)
                team.go()
                finished, end, first = wait_finished(team, board, recorded, target, options)
                team.stop()
                team.results()
            calls, total = board.calls, board.total
    seconds = end.moment - start.moment
    return {
        "workers": workers,
        "backlog": backlog,
        "limit": options.limit,
        "pinned": options.pinned,
        "jobs": finished,
        "partial": finished < target or backlog < options.jobs,
        "seconds": seconds,
        "seconds_to_first_call": first.moment - start.moment if first else None,
        "jobs_per_second": finished / seconds,
        "server_cpu_us_per_job": per_job(start.server_cpu, end.server_cpu, finished),
        "worker_cpu_us_per_job": per_job(start.worker_cpu, end.worker_cpu, finished),
        "handler_calls": calls,
        "payloads_match": payloads_match(backlog, finished, calls, total),
    }


def payloads_match(backlog: int, finished: int, calls: int, total: int) -> bool | None:
    """Whether every job was handled once with its own payload; unknown unless the backlog was drained."""
    if finished < backlog:
        # Workers ran on while the count was read, so only the order of magnitude can be checked.
        return False if calls < finished else None
    return calls == backlog and total == backlog * (backlog + 1) // 2
