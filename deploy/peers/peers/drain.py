"""Jobs finished a second out of a backlog, by worker processes that do nothing else."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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


def wait_finished(team: Team, calls: Callable[[], int], recorded: Callable[[], int], target: int, deadline: float) -> int:
    """Returns when `target` jobs are handled and recorded as done, or at the deadline, with their number."""
    while calls() < target and time.monotonic() < deadline:
        team.check()
        time.sleep(WATCH_SECONDS)
    while True:
        finished = recorded()
        if finished >= target or time.monotonic() >= deadline:
            return finished
        time.sleep(ASK_SECONDS)


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
                server_before, workers_before = server_seconds(options.postmaster_pid), process_seconds(team.pids)
                started = time.monotonic()
                team.go()
                finished = wait_finished(team, lambda: board.calls, recorded, target, started + options.seconds)
                seconds = time.monotonic() - started
                server_after, workers_after = server_seconds(options.postmaster_pid), process_seconds(team.pids)
                team.stop()
                team.results()
            calls, total = board.calls, board.total
    return {
        "workers": workers,
        "backlog": backlog,
        "limit": options.limit,
        "pinned": options.pinned,
        "jobs": finished,
        "partial": finished < target or backlog < options.jobs,
        "seconds": seconds,
        "jobs_per_second": finished / seconds,
        "server_cpu_us_per_job": per_job(server_before, server_after, finished),
        "worker_cpu_us_per_job": per_job(workers_before, workers_after, finished),
        "handler_calls": calls,
        "payloads_match": payloads_match(backlog, finished, calls, total),
    }


def payloads_match(backlog: int, finished: int, calls: int, total: int) -> bool | None:
    """Whether every job was handled once with its own payload; unknown unless the backlog was drained."""
    if finished < backlog:
        # Workers ran on while the count was read, so only the order of magnitude can be checked.
        return False if calls < finished else None
    return calls == backlog and total == backlog * (backlog + 1) // 2
