#!/usr/bin/env python3
"""Measures one figure of one peer on the given PostgreSQL; prints one JSON object per result.

run.py pgqueuer drain --dsn "host=/run/postgresql dbname=postgres user=postgres" --jobs 20000
run.py pgbench claim-100 --dsn "host=/run/postgresql dbname=postgres user=postgres" --jobs 100000
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from peers import kinto, limits
from peers.churn import measure_churn
from peers.database import Database, server_settings, temporary_database
from peers.drain import measure_drain
from peers.enqueue import measure_enqueue
from peers.peer import Peer
from peers.pickup import measure_pickup
from peers.registry import CLASSES, peer_class
from peers.results import emit

FIGURES = ("enqueue-single", "enqueue-batch", "drain", "churn", "pickup")
# Time beyond the measurement itself: starting processes, and vacuuming a large backlog.
OVERHEAD_SECONDS = 120


def parse() -> argparse.Namespace:
    """Returns the options; peers and pgbench have different figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    option = parser.add_argument
    option("peer", choices=[*CLASSES, "kinto", "pgbench"])
    option(
        "figure",
        choices=[*FIGURES, *kinto.FIGURES, *limits.FIGURES],
        metavar="figure",
        help=f"{', '.join(FIGURES)}; of kinto: {', '.join(kinto.FIGURES)}; of pgbench: {', '.join(limits.FIGURES)}",
    )
    option("--dsn", required=True, help="libpq connection string of a role that may create databases")
    option("--jobs", type=int, default=10_000, help="jobs to enqueue, backlog to drain, records to pull (10000)")
    option("--limit", type=int, help="drain: stop the clock after this number of jobs (all)")
    option("--workers", default="1,2", help="drain, churn: worker processes, one result per number (1,2)")
    option("--clients", type=int, help="enqueue, pgbench: connections, one process each (1; pgbench: fastest)")
    option("--batch", type=int, help="enqueue-batch, push: jobs or records per call (the fastest of the peer)")
    option("--samples", type=int, default=200, help="pickup: number of measured jobs (200)")
    option("--interval-ms", type=float, default=50, help="pickup: mean time between two jobs in ms (50)")
    option("--companies", type=int, default=1, help="number of companies that share the jobs (1)")
    option(
        "--pinned",
        action="store_true",
        help="drain, churn: hold a snapshot open from before the first job",
    )
    option(
        "--seconds",
        type=float,
        default=60,
        help="maximum measured seconds; a partial result is reported (60)",
    )
    option("--preload-seconds", type=float, default=300, help="maximum seconds to enqueue the backlog (300)")
    option("--postmaster-pid", type=int, help="process id of the server, to report its CPU time per job")
    option("--pgbench", default=shutil.which("pgbench"), help="path of pgbench (found in PATH)")
    option("--keep", action="store_true", help="keep the database for inspection")
    options = parser.parse_args()
    figures = {"kinto": kinto.FIGURES, "pgbench": limits.FIGURES}.get(options.peer, FIGURES)
    if options.figure not in figures:
        parser.error(f"{options.peer} has no figure {options.figure}")
    if options.peer == "pgbench" and not options.pgbench:
        parser.error("pgbench is not in PATH; add --pgbench PATH")
    return options


def measurements(peer: type[Peer], options: argparse.Namespace, server: Database) -> Iterator[dict[str, Any]]:
    """Yields the results of the figure, each from a new database."""
    workers = (
        [int(count) for count in options.workers.split(",")] if options.figure in ("drain", "churn") else [1]
    )
    for count in workers:
        with fresh_database(peer.name, options, server) as database:
            subject = peer(database, options.figure, options.companies)
            subject.install()
            if options.figure == "drain":
                result = measure_drain(subject, count, options)
            elif options.figure == "churn":
                result = measure_churn(subject, count, options)
            elif options.figure == "pickup":
                result = measure_pickup(subject, options)
            else:
                result = measure_enqueue(subject, options)
            yield result | {"settings": subject.settings()}


def fresh_database(name: str, options: argparse.Namespace, server: Database) -> Any:
    """Creates an empty database, and sets an alarm that ends a hanging run."""
    signal.alarm(int(options.seconds + options.preload_seconds + OVERHEAD_SECONDS))
    return temporary_database(server, f"fettle_peer_{name}_{os.getpid()}", options.keep)


def timed_out(*_: object) -> None:
    """Raises an exception at the alarm, so that child processes and the database are removed."""
    raise TimeoutError("the measurement exceeded --seconds and --preload-seconds")


def main() -> None:
    """Prints the requested results."""
    options = parse()
    signal.signal(signal.SIGALRM, timed_out)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    server = Database(options.dsn)
    heading = {
        "peer": options.peer,
        "version": None,
        "figure": options.figure,
        "companies": options.companies,
    }
    if options.peer == "pgbench":
        heading["version"] = subprocess.run(
            [options.pgbench, "--version"], capture_output=True, text=True
        ).stdout.split()[2]
        with fresh_database("pgbench", options, server) as database:
            emit(
                heading
                | {"supported": True}
                | limits.measure_limit(database, options)
                | {"server": server_settings(server)}
            )
        return
    if options.peer == "kinto":
        with fresh_database("kinto", options, server) as database:
            result = kinto.measure_kinto(database, options)
        emit(heading | {"version": kinto.kinto_version()} | result | {"server": server_settings(server)})
        return
    peer = peer_class(options.peer)
    heading["version"] = peer.version()
    unsupported = peer.companies_unsupported() if options.companies > 1 else None
    if unsupported:
        emit(heading | {"supported": False, "reason": unsupported})
        return
    for result in measurements(peer, options, server):
        emit(heading | {"supported": True} | result | {"server": server_settings(server)})


if __name__ == "__main__":
    main()
