"""Enqueues a second: one job a transaction, or in the batches of the peer's own API."""

from __future__ import annotations

import argparse
from typing import Any

from peers.cpu import server_seconds
from peers.peer import Peer
from peers.team import Team


def producer_tasks(peer: Peer, jobs: int, clients: int, batch: int | None, seconds: float) -> list[dict[str, Any]]:
    """One process a client, each with its own connection and range of numbers from 1 to `jobs`."""
    edges = [jobs * index // clients for index in range(clients + 1)]
    return [
        {
            "role": "producer",
            "peer": peer.name,
            "dsn": peer.database.dsn,
            "companies": peer.companies,
            "first": first + 1,
            "last": last,
            "batch": batch,
            "seconds": seconds,
        }
        for first, last in zip(edges, edges[1:])
    ]


def measure_enqueue(peer: Peer, options: argparse.Namespace) -> dict[str, Any]:
    """The rate at which jobs are accepted and committed; nothing works on them meanwhile."""
    batch = (options.batch or peer.best_batch) if options.figure == "enqueue-batch" else None
    with Team(producer_tasks(peer, options.jobs, options.clients, batch, options.seconds)) as team:
        team.wait_ready()
        cpu_before = server_seconds(options.postmaster_pid)
        team.go()
        results = team.results()
        cpu_after = server_seconds(options.postmaster_pid)
    enqueued = sum(result["enqueued"] for result in results)
    seconds = max(result["seconds"] for result in results)
    return {
        "clients": options.clients,
        "batch_size": batch,
        "jobs": enqueued,
        "partial": enqueued < options.jobs,
        "seconds": seconds,
        "jobs_per_second": enqueued / seconds,
        "server_cpu_us_per_job": per_job(cpu_before, cpu_after, enqueued),
    }


def per_job(before: float | None, after: float | None, jobs: int) -> float | None:
    """Microseconds of CPU for each job, where both readings are there."""
    if before is None or after is None or jobs == 0:
        return None
    return (after - before) * 1e6 / jobs
