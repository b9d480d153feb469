"""awa: a Rust core on insert-only tables in a ring, with Python handlers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import awa

from peers.peer import Handler, Peer, Producer, Signals

QUEUE = "bench"
MAX_WORKERS = 1024
CLAIM_BATCH = 1024
POOL = 20


@dataclass
class Count:
    """A job; awa derives its kind from the name of the class."""

    n: int


class AwaPeer(Peer):
    """The peer with the storage most similar to Fettle's."""

    name = "awa"
    distribution = "awa-pg"
    best_batch = 5000

    def install(self) -> None:
        client = awa.Client(self._url)
        client.migrate()
        # Chosen now: otherwise the first worker would switch to this storage after the jobs were enqueued.
        client.install_queue_storage()
        client.close()

    @asynccontextmanager
    async def producer(self) -> AsyncIterator[Producer]:
        client = awa.Client(self._url, max_connections=1)
        try:
            yield _Producer(client)
        finally:
            client.close()

    async def work(self, handler: Handler, signals: Signals) -> None:
        client = awa.AsyncClient(self._url, max_connections=POOL)

        @client.task(Count, queue=QUEUE)
        async def count(job: awa.Job) -> None:
            handler(job.args.n)

        await signals.ready()
        await client.start(
            [{"name": QUEUE, "max_workers": MAX_WORKERS, "claim_batch_size": CLAIM_BATCH}],
            poll_interval_ms=50,
        )
        await signals.stopped()
        await client.shutdown(timeout_ms=3000)
        await client.close()

    @property
    def _url(self) -> str:
        # sqlx requires a host even if a socket folder follows.
        return self.database.url.replace("@/", "@localhost/")

    def finished_query(self) -> str:
        # The view awa.jobs is not used: it takes seconds for a few thousand jobs.
        return """
            select (select coalesce(sum(completed_count), 0) from awa.receipt_completion_batches)::bigint
                 + (select count(*) from awa.done_entries where state = 'completed')
            """

    def settings(self) -> dict[str, Any]:
        return {
            "max_workers": MAX_WORKERS,
            "claim_batch": CLAIM_BATCH,
            "pool": POOL,
            "wake_up": "LISTEN, polling 50 ms",
        }


class _Producer:
    """The synchronous client: each call is one transaction."""

    def __init__(self, client: awa.Client) -> None:
        self._client = client

    async def enqueue(self, number: int) -> None:
        self._client.insert(Count(number), queue=QUEUE)

    async def enqueue_batch(self, numbers: Sequence[int]) -> None:
        self._client.enqueue_many_copy([Count(number) for number in numbers], queue=QUEUE)
