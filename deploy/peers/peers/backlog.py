"""The state of the queue before a measurement: what waits in it, and what pins it."""

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

# Two producers fill a backlog about as fast as two cores can.
PRELOAD_CLIENTS = 2


@dataclass(frozen=True)
class Backlog:
    """How many jobs wait, and the sum of their numbers, which the handlers must come to as well."""

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
        # Autovacuum would come round in a minute; a benchmark must not depend on when.
        connection.execute("vacuum (analyze)")
    print(f"{peer.name}: {backlog.jobs} jobs queued", file=sys.stderr)
    return backlog


@contextmanager
def pinned_snapshot(peer: Peer, wanted: bool) -> Iterator[None]:
    """Holds a snapshot open in the peer's database, so that nothing dead can be removed from it."""
    if not wanted:
        yield
        return
    with psycopg.connect(peer.database.dsn) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.execute("select 1")
        yield
