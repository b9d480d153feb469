"""Jobs finished a second out of a backlog, by worker processes that do nothing else."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

from peers.backlog import Backlog, pinned_snapshot, preload
from peers.peer import Peer
from peers.reading import Reading
from peers.scoreboard import Scoreboard, scoreboard
from peers.tasks import worker_tasks
from peers.team import Team

# Watching shared memory is free; asking the server is not, so it is asked only near the end.
WATCH_SECONDS = 0.002
ASK_SECONDS = 0.01


def measure_drain(peer: Peer, workers: int, options: argparse.Namespace) -> dict[str, Any]:
    """Clocks run from the start signal until the queue has recorded the last job wanted as done."""
    with pinned_snapshot(peer, options.pinned):
        backlog = preload(peer, options)
        target = min(options.limit or backlog.jobs, backlog.jobs)
        with scoreboard(workers) as board, peer.database.connect() as connection:

            def recorded() -> int:
                return connection.execute(peer.finished_query()).fetchone()[0]

            with Team(worker_tasks(peer, workers, board)) as team:
                team.wait_ready()
                start = Reading.now(options, team.pids)
                team.go()
                first_call = wait_first_call(team, board, start.moment + options.seconds)
                finished, end = wait_finished(team, board, recorded, target, start, options)
                team.stop()
                team.results()
            calls, total = board.calls, board.total
    return {
        "workers": workers,
        "backlog": backlog.jobs,
        "limit": options.limit,
        "pinned": options.pinned,
        "partial": finished < target or backlog.jobs < options.jobs,
        **start.until(end, finished),
        "seconds_to_first_call": first_call - start.moment,
        "handler_calls": calls,
        "payloads_match": payloads_match(backlog, finished, calls, total),
    }


def wait_first_call(team: Team, board: Scoreboard, deadline: float) -> float:
    """The moment of the first handler call: before it the workers only got going."""
    while not board.calls and time.monotonic() < deadline:
        team.check()
        time.sleep(WATCH_SECONDS)
    return time.monotonic()


def wait_finished(
    team: Team,
    board: Scoreboard,
    recorded: Callable[[], int],
    target: int,
    start: Reading,
    options: argparse.Namespace,
) -> tuple[int, Reading]:
    """How many jobs are recorded as done, and when: as soon as it is `target`, or the time is over."""
    deadline = start.moment + options.seconds
    while board.calls < target and time.monotonic() < deadline:
        team.check()
        time.sleep(WATCH_SECONDS)
    while True:
        # A count tells of the moment at which it was asked for, however long it took.
        reading = Reading.now(options, team.pids)
        finished = recorded()
        if finished >= target or time.monotonic() >= deadline:
            return finished, reading
        time.sleep(max(ASK_SECONDS, time.monotonic() - reading.moment))


def payloads_match(backlog: Backlog, finished: int, calls: int, total: int) -> bool | None:
    """Whether every job was handled once with its own payload; unknown unless the backlog was drained."""
    if finished < backlog.jobs:
        # Workers ran on while the count was read: only too few calls can be told.
        return False if calls < finished else None
    return calls == backlog.jobs and total == backlog.total
