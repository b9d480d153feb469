#!/usr/bin/env python3
"""Measures one figure of one peer on the PostgreSQL given; prints one JSON object per result.

    run.py pgqueuer drain --dsn "host=/run/postgresql dbname=postgres user=postgres" --jobs 20000
"""

from __future__ import annotations

import argparse
import os
import signal
from collections.abc import Iterator
from typing import Any

from peers.database import Database, server_settings, temporary_database
from peers.drain import measure_drain
from peers.enqueue import measure_enqueue
from peers.peer import Peer
from peers.pickup import measure_pickup
from peers.registry import CLASSES, peer_class
from peers.results import emit

FIGURES = ("enqueue-single", "enqueue-batch", "drain", "pickup")
# What a measurement may take beyond its own time: starting processes, and vacuuming a deep backlog.
OVERHEAD_SECONDS = 120


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", choices=sorted(CLASSES))
    parser.add_argument("figure", choices=FIGURES)
    parser.add_argument("--dsn", required=True, help="libpq connection string; its role must be able to create databases")
    parser.add_argument("--jobs", type=int, default=10_000, help="jobs to enqueue, or the backlog to drain")
    parser.add_argument("--limit", type=int, help="drain: stop the clock after so many jobs of the backlog")
    parser.add_argument("--workers", default="1,2", help="drain: numbers of worker processes, one result each")
    parser.add_argument("--clients", type=int, default=1, help="enqueue: processes, each with one connection")
    parser.add_argument("--batch", type=int, help="enqueue-batch: jobs a call, instead of the peer's best")
    parser.add_argument("--samples", type=int, default=200, help="pickup: jobs measured")
    parser.add_argument("--interval-ms", type=float, default=50, help="pickup: mean time between two jobs")
    parser.add_argument("--companies", type=int, default=1, help="spread the jobs over so many companies")
    parser.add_argument("--pinned", action="store_true", help="drain: hold a snapshot open from before the preload")
    parser.add_argument("--seconds", type=float, default=60, help="cap of the measured time; what is reached is reported")
    parser.add_argument("--preload-seconds", type=float, default=300, help="cap of the time to enqueue the backlog")
    parser.add_argument("--postmaster-pid", type=int, help="to report the server's CPU time per job")
    parser.add_argument("--keep", action="store_true", help="leave the peer's database there, to look into")
    return parser.parse_args()


def results(peer: type[Peer], server: Database, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """The results of the figure; every one is measured in a database of its own."""
    workers = [int(count) for count in options.workers.split(",")] if options.figure == "drain" else [1]
    for count in workers:
        # A watchdog for a peer that hangs: its processes end with the exception.
        signal.alarm(int(options.seconds + options.preload_seconds + OVERHEAD_SECONDS))
        with temporary_database(server, f"fettle_peer_{peer.name}_{os.getpid()}", options.keep) as database:
            subject = peer(database, options.companies)
            subject.install()
            if options.figure == "drain":
                yield measure_drain(subject, count, options) | {"settings": subject.settings("drain")}
            elif options.figure == "pickup":
                yield measure_pickup(subject, options) | {"settings": subject.settings("pickup")}
            else:
                yield measure_enqueue(subject, options)


def main() -> None:
    options = parse()
    server = Database(options.dsn)
    peer = peer_class(options.peer)
    heading = {"peer": peer.name, "version": peer.version(), "figure": options.figure}
    unsupported = peer.companies_unsupported() if options.companies > 1 else None
    if unsupported:
        emit(heading | {"companies": options.companies, "supported": False, "reason": unsupported})
        return
    heading |= {"companies": options.companies, "supported": True, "server": server_settings(server)}
    for result in results(peer, server, options):
        emit(heading | result)


if __name__ == "__main__":
    main()
