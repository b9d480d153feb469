"""The limits of PostgreSQL itself: the SQL statements of a queue, run by pgbench, and COPY."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

from peers.database import Database
from peers.reading import Reading

FOLDER = Path(__file__).resolve().parent.parent / "limits"
# Jobs per transaction, and the number of clients that is fastest on two cores.
SCRIPTS: dict[str, tuple[int, int]] = {
    "claim-1": (1, 8),
    "claim-100": (100, 2),
    "claim-1000": (1000, 2),
    "insert-1": (1, 1),
    "insert-1000": (1000, 1),
}
PIPES = {"stdout": subprocess.PIPE, "text": True}
FIGURES = (*SCRIPTS, "copy")


def measure_limit(database: Database, options: argparse.Namespace) -> dict[str, Any]:
    """Measures the rate of one script on a new table."""
    with database.connect() as connection:
        connection.execute((FOLDER / "table.sql").read_text())
    return measure_copy(database, options) if options.figure == "copy" else measure_script(database, options)


def measure_script(database: Database, options: argparse.Namespace) -> dict[str, Any]:
    """Runs pgbench until the jobs are done, and counts the jobs in the table, not in the output."""
    batch, clients = SCRIPTS[options.figure]
    clients = options.clients or clients
    transactions = max(1, options.jobs // (batch * clients))
    if options.figure.startswith("claim"):
        # One more batch for each client, so that no client runs out of jobs at the end.
        preload(database, (transactions + 1) * batch * clients)
    before = count_jobs(database)
    command = [options.pgbench, "--no-vacuum", "--protocol=prepared", f"--file={FOLDER / options.figure}.sql"]
    command += [
        f"--client={clients}",
        f"--jobs={min(clients, 2)}",
        f"--transactions={transactions}",
        database.dsn,
    ]
    start = reading(options)
    try:
        seconds = seconds_told(subprocess.run(command, **PIPES, check=True, timeout=options.seconds).stdout)
    except subprocess.TimeoutExpired:
        seconds = None
    end = reading(options)
    # The start and connection time of pgbench is not counted.
    end = replace(end, moment=start.moment + seconds) if seconds else end
    return {
        "clients": clients,
        "batch_size": batch,
        "partial": seconds is None,
        **start.until(end, abs(count_jobs(database) - before)),
        "settings": {"protocol": "prepared", "script": f"limits/{options.figure}.sql"},
    }


def measure_copy(database: Database, options: argparse.Namespace) -> dict[str, Any]:
    """Measures one COPY of all jobs, from text that is generated before the clock starts."""
    rows = b"".join(b'{"n": %d}\n' % number for number in range(1, options.jobs + 1))
    with database.connect() as connection, connection.cursor() as cursor:
        start = reading(options)
        with cursor.copy((FOLDER / "copy.sql").read_text()) as copy:
            copy.write(rows)
        end = reading(options)
    return {
        "clients": 1,
        "batch_size": options.jobs,
        "partial": False,
        **start.until(end, options.jobs),
        "settings": {"script": "limits/copy.sql"},
    }


def reading(options: argparse.Namespace) -> Reading:
    """Reads the clocks, with the client's CPU time from this process and its ended children."""
    return replace(Reading.now(options), worker_cpu=sum(os.times()[:4]))


def preload(database: Database, jobs: int) -> None:
    """Fills and analyzes the table."""
    with database.connect() as connection:
        connection.execute((FOLDER / "preload.sql").read_text(), {"jobs": jobs})
        connection.execute("vacuum (analyze) job")


def count_jobs(database: Database) -> int:
    """Returns the number of jobs in the table."""
    with database.connect() as connection:
        return connection.execute("select count(*) from job").fetchone()[0]


def seconds_told(output: str) -> float:
    """Returns the time of pgbench without connecting, computed from two numbers in its output."""
    transactions = re.search(r"transactions actually processed: (\d+)", output)
    rate = re.search(r"tps = ([0-9.]+)", output)
    if transactions is None or rate is None:
        raise RuntimeError(f"pgbench printed something else:\n{output}")
    return int(transactions[1]) / float(rate[1])
