"""The state of the queue before a measurement: its backlog, and a held snapshot."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg

from peers.peer import Peer
from peers.tasks import producer_tasks
from peers.team import Team

# Two producers are sufficient to use two cores while filling a backlog.
PRELOAD_CLIENTS = 2


@dataclass(frozen=True)
class Backlog:
    """The number of waiting jobs, and the sum of their payloads, which the handlers must reach."""

    jobs: int
    total: int


def preload(peer: Peer, options: argparse.Namespace) -> Backlog:
    """Enqueues jobs through the peer's own batch API."""
    tasks = producer_tasks(peer, options.jobs, PRELOAD_CLIENTS, peer.best_batch, options.preload_seconds)
    with Team(tasks) as team:
        team.wait_ready()
        team.go()
        team.wait_done()
        team.stop()
        results = team.results()
    backlog = Backlog(sum(each["enqueued"] for each in results), sum(each["total"] for each in results))
    with peer.database.connect() as connection:
        # Autovacuum would run within a minute; a benchmark must not depend on its timing.
        connection.execute("vacuum (analyze)")
    print(f"{peer.name}: {backlog.jobs} jobs queued", file=sys.stderr)
    return backlog


@contextmanager
def pinned_snapshot(peer: Peer, wanted: bool) -> Iterator[None]:
    """Holds a snapshot open in the peer's database, so that no dead row can be removed."""
    if not wanted:
        yield
        return
    with psycopg.connect(peer.database.dsn) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.execute("select 1")
        yield
