"""Figures of Kinto, Mozilla's server of synchronisation, in the requests that `fettle-bench sync` sends to Fettle."""

from __future__ import annotations

import argparse
import http.client
import json
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from peers.cpu import server_seconds
from peers.database import Database
from peers.pickup import percentile
from peers.reading import Reading

SERVER = Path(__file__).resolve().parent.parent / "kinto.py"
PUSHED, PULLED = "/v1/buckets/bench/collections/pushed", "/v1/buckets/bench/collections/pulled"
FIGURES = ("push", "single", "first", "changed", "unchanged", "missed")
CHANGES = 100
DOCUMENT = {
    "machine_id": "01890000-0000-7000-8000-000000000001",
    "category_id": "01890000-0000-7000-8000-000000000002",
    "estimated_hours": 1.5,
    "priority": 2,
    "reported_on": "2026-01-05",
    "description": "Hydraulic hose leaks at the boom cylinder, replace and test",
}
# The rest of a pulled entry.
STORED = {
    "number": "WO-1001",
    "created_by": "01890000-0000-7000-8000-000000000003",
    "created_by_name": "Bench",
    "status": "pending",
    "status_category": "open",
    "version": 1,
    "created_at": "2025-01-05T08:00:00Z",
}
BODY = json.dumps({"data": DOCUMENT})


class Client:
    """A connection that is kept, for one thread."""

    def __init__(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
        self.connection.connect()
        self.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, method: str, path: str, body: str | None = None) -> tuple[int, http.client.HTTPMessage, bytes]:
        """Sends a request as `bench`, without a password."""
        headers = {"Authorization": "Basic YmVuY2g6YmVuY2g=", "Content-Type": "application/json"}
        self.connection.request(method, path, body, headers)
        answer = self.connection.getresponse()
        return answer.status, answer.headers, answer.read()

    def create(self, record: str) -> None:
        """Stores a record, and repeats the request if Kinto refuses it because of concurrent writers."""
        while (status := self.send("PUT", f"{PUSHED}/records/{record}", BODY)[0]) in (409, 503):
            pass
        assert status < 300, f"Kinto answered with {status}"

    def push(self, size: int) -> int:
        """Sends a batch of new records, and again those that Kinto refuses."""
        left = [str(uuid.uuid4()) for _ in range(size)]
        while left:
            requests = [{"method": "PUT", "path": f"{PUSHED}/records/{id}", "body": {"data": DOCUMENT}} for id in left]
            status, _, body = self.send("POST", "/v1/batch", json.dumps({"requests": requests}))
            if status in (409, 503):
                continue
            answers = json.loads(body)["responses"]
            left = [id for id, answer in zip(left, answers, strict=True) if answer["status"] >= 300]
        return size

    def pull(self, collection: str, since: str | None = None) -> tuple[str, list[bytes]]:
        """Gets the records since a time stamp, following pages; returns the next time stamp and the pages."""
        path = f"{collection}/records?" + (f"_since=%22{since}%22" if since else "_limit=10000")
        stamp, pages = None, []
        while True:
            status, headers, body = self.send("GET", path)
            assert status < 300, f"Kinto answered with {status}"
            pages.append(body)
            # Records that change while pages are read are part of the next pull.
            stamp = stamp or headers["ETag"].strip('"')
            if "Next-Page" not in headers:
                return stamp, pages
            path = headers["Next-Page"][headers["Next-Page"].index("/v1/") :]


@contextmanager
def serving(database: Database) -> Iterator[tuple[int, int]]:
    """Starts Kinto on an empty database; yields its port and its process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    parts = database.parameters
    command = [sys.executable, str(SERVER), "--port", str(port), "--host", parts["host"], "--database", parts["dbname"]]
    command += ["--postgres-port", parts.get("port", "5432"), "--user", parts["user"]]
    process = subprocess.Popen(command, stdout=sys.stderr)
    try:
        for _ in range(600):
            try:
                client = Client(port)
                break
            except OSError:
                assert process.poll() is None, "Kinto has ended"
                time.sleep(0.1)
        for path in ("/v1/buckets/bench", PUSHED, PULLED):
            assert client.send("PUT", path, "{}")[0] < 300, "Kinto refuses its collections"
        yield port, process.pid
    finally:
        process.terminate()
        process.wait()


def fill(database: Database, count: int) -> None:
    """Stores records to pull by SQL: over HTTP it takes half an hour."""
    with database.connect() as connection:
        connection.execute(
            """
            insert into objects (id, parent_id, resource_name, last_modified, data, deleted)
            select x.id, %s, 'record', from_epoch(1700000000000 + i), %s::jsonb || jsonb_build_object('id', x.id, 'n', i), false
            from generate_series(1, %s) i
            cross join lateral (select gen_random_uuid()::text as id where i > 0) x
            """,
            [PULLED.removeprefix("/v1"), json.dumps(DOCUMENT | STORED), count],
        )
        connection.execute("analyze")


def change(database: Database) -> None:
    """Changes random records to pull, by SQL."""
    with database.connect() as connection:
        connection.execute(
            """
            update objects o set data = o.data || jsonb_build_object('n', random()), last_modified = null
            where o.parent_id = %s and o.id in (
              select r.id from objects r
              where r.parent_id = %s and r.resource_name = 'record' and not r.deleted order by random() limit %s
            )
            """,
            [PULLED.removeprefix("/v1"), PULLED.removeprefix("/v1"), CHANGES],
        )


def at_once(bodies: list[Callable[[], Any]]) -> list[Any]:
    """Runs each body in a thread, and returns their values."""
    values: list[Any] = [None] * len(bodies)

    def run(number: int) -> None:
        values[number] = bodies[number]()

    threads = [threading.Thread(target=run, args=[number]) for number in range(len(bodies))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return values


def median(body: Callable[[], Any], samples: int, before: Callable[[], Any] = lambda: None) -> dict[str, Any]:
    """Measures a body many times, after one time that is not measured."""
    times = []
    for _ in range(samples + 1):
        before()
        start = time.monotonic()
        body()
        times.append((time.monotonic() - start) * 1000)
    return {"samples": samples, "p50_ms": percentile(sorted(times[1:]), 50)}


def measure_push(port: int, kinto: int, options: argparse.Namespace) -> dict[str, Any]:
    """Measures batches of some clients for `--seconds`; CPU of the worker is that of Kinto."""
    end = time.monotonic() + options.seconds
    batch = options.batch or CHANGES

    def device() -> int:
        client, count = Client(port), 0
        while time.monotonic() < end:
            count += client.push(batch)
        return count

    def clocks() -> Reading:
        return Reading(time.monotonic(), server_seconds(options.postmaster_pid), server_seconds(kinto) or 0)

    start = clocks()
    count = sum(at_once([device] * (options.clients or 1)))
    return {"batch_size": batch, "clients": options.clients or 1, **start.until(clocks(), count)}


def measure_missed(port: int, options: argparse.Namespace) -> dict[str, Any]:
    """Counts the records of some writers that a client that polls all the time never gets."""
    writers = options.clients or 8
    over = threading.Event()
    since, _ = Client(port).pull(PUSHED)

    def write() -> set[str]:
        client, ids = Client(port), [str(uuid.uuid4()) for _ in range(options.jobs // writers)]
        for record in ids:
            client.create(record)
        return set(ids)

    def poll() -> set[str]:
        client, stamp, found, is_last = Client(port), since, set(), False
        while not is_last:
            is_last = over.is_set()
            stamp, pages = client.pull(PUSHED, stamp)
            found |= {record["id"] for page in pages for record in json.loads(page)["data"]}
        return found

    def write_all() -> set[str]:
        written = set().union(*at_once([write] * writers))
        over.set()
        return written

    written, found = at_once([write_all, poll])
    return {"written": len(written), "value": len(written - found)}


def measure_kinto(database: Database, options: argparse.Namespace) -> dict[str, Any]:
    """Measures one figure on a new Kinto."""
    with serving(database) as (port, process):
        client = Client(port)
        if options.figure == "push":
            return measure_push(port, process, options)
        if options.figure == "single":
            return median(lambda: client.create(str(uuid.uuid4())), options.samples)
        if options.figure == "missed":
            return measure_missed(port, options)
        fill(database, options.jobs)
        if options.figure == "first":
            start = time.monotonic()
            count = sum(page.count(b'"last_modified"') for page in client.pull(PULLED)[1])
            assert count >= options.jobs, f"only {count} records were got"
            return {"jobs": count, "value": time.monotonic() - start}
        stamp, _ = client.pull(PULLED)
        if options.figure == "unchanged":
            return median(lambda: client.pull(PULLED, stamp), options.samples)
        stamps = [stamp]

        def pull() -> None:
            stamp, pages = client.pull(PULLED, stamps[-1])
            assert sum(page.count(b'"last_modified"') for page in pages) == CHANGES, "Kinto told other changes"
            stamps.append(stamp)

        return median(pull, max(10, options.samples // 4), lambda: change(database))


def kinto_version() -> str:
    """Returns the version of the installed package."""
    return version("kinto")
