"""Jobs per second that worker processes finish from a backlog."""

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

# Reading shared memory costs the server nothing; the server is queried only near the end.
WATCH_SECONDS = 0.002
ASK_SECONDS = 0.01


def measure_drain(peer: Peer, workers: int, options: argparse.Namespace) -> dict[str, Any]:
    """Measures from the start signal until the queue has recorded the last required job as done."""
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
    """Returns the time of the first handler call after the start of the workers."""
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
    """Returns the number of jobs recorded as done, and when: once `target` is reached or the time is over."""
    deadline = start.moment + options.seconds
    while board.calls < target and time.monotonic() < deadline:
        team.check()
        time.sleep(WATCH_SECONDS)
    while True:
        # A count is valid for the time of its query, however long that took.
        reading = Reading.now(options, team.pids)
        finished = recorded()
        if finished >= target or time.monotonic() >= deadline:
            return finished, reading
        time.sleep(max(ASK_SECONDS, time.monotonic() - reading.moment))


def payloads_match(backlog: Backlog, finished: int, calls: int, total: int) -> bool | None:
    """Returns true if each job was handled once with its own payload; None unless the backlog was drained."""
    if finished < backlog.jobs:
        # Workers continue during the count, so only missing calls can be detected.
        return False if calls < finished else None
    return calls == backlog.jobs and total == backlog.total
