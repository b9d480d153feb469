"""The state of the queue before a measurement: what waits in it, and what pins it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from peers.peer import Peer
from peers.tasks import producer_tasks
from peers.team import Team

# Two producers fill a backlog about as fast as two cores can.
PRELOAD_CLIENTS = 2


def preload(peer: Peer, options: argparse.Namespace) -> int:
    """Enqueues the backlog through the peer's own batch API; returns how many jobs it holds."""
    tasks = producer_tasks(peer, options.jobs, PRELOAD_CLIENTS, peer.best_batch, options.preload_seconds)
    with Team(tasks) as team:
        team.wait_ready()
        team.go()
        team.wait_done()
        team.stop()
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
        connection.execute("select 1")
        yield
