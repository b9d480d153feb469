"""Jobs per second under continuous enqueues, in which dead rows accumulate."""

from __future__ import annotations

import argparse
import time
from typing import Any

from peers.backlog import pinned_snapshot
from peers.peer import Peer
from peers.reading import Reading
from peers.scoreboard import scoreboard
from peers.tasks import feeder_task, worker_tasks
from peers.team import Team

WINDOWS = 10


def measure_churn(peer: Peer, workers: int, options: argparse.Namespace) -> dict[str, Any]:
    """A feeder keeps `jobs` waiting, in batches; handler calls are counted in ten time windows.

    The feeder uses a part of the machine, and the cost per job includes the server's work for it.
    """
    windows: list[dict[str, Any]] = []
    with pinned_snapshot(peer, options.pinned), scoreboard(workers) as board:
        batch = min(peer.best_batch, options.jobs)
        feeder = feeder_task(peer, options.jobs, batch, options.seconds, board)
        with Team([*worker_tasks(peer, workers, board), feeder]) as team:
            team.wait_ready()
            start = before = Reading.now(options, team.pids[:workers])
            done = 0
            team.go()
            for index in range(1, WINDOWS + 1):
                wait_until(start.moment + options.seconds * index / WINDOWS, team)
                now, calls = Reading.now(options, team.pids[:workers]), board.calls
                windows.append(before.until(now, calls - done))
                before, done = now, calls
            team.stop()
            team.results()
    return {
        "workers": workers,
        "backlog": options.jobs,
        "pinned": options.pinned,
        "partial": False,
        **start.until(before, done),
        # The first window includes the start of the workers.
        "last_to_second_window": windows[-1]["jobs"] / windows[1]["jobs"] if windows[1]["jobs"] else None,
        "windows": windows,
    }


def wait_until(moment: float, team: Team) -> None:
    """Sleeps; fails at once if a process ends."""
    while (left := moment - time.monotonic()) > 0:
        team.check()
        time.sleep(min(left, 0.5))
