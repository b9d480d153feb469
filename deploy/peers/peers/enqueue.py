"""Enqueues per second: one job per transaction, or in batches of the peer's own API."""

from __future__ import annotations

import argparse
from typing import Any

from peers.peer import Peer
from peers.reading import Reading
from peers.tasks import producer_tasks
from peers.team import Team


def measure_enqueue(peer: Peer, options: argparse.Namespace) -> dict[str, Any]:
    """Measures the rate at which jobs are committed while no worker runs."""
    clients = options.clients or 1
    batch = (options.batch or peer.best_batch) if options.figure == "enqueue-batch" else None
    with Team(producer_tasks(peer, options.jobs, clients, batch, options.seconds)) as team:
        team.wait_ready()
        start = Reading.now(options, team.pids)
        team.go()
        team.wait_done()
        end = Reading.now(options, team.pids)
        team.stop()
        enqueued = sum(result["enqueued"] for result in team.results())
    return {
        "clients": clients,
        "batch_size": batch,
        "partial": enqueued < options.jobs,
        **start.until(end, enqueued),
    }
