"""pgqueuer: claims and completions in batches, over asyncpg."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import asyncpg
from pgqueuer import PgQueuer, Queries
from pgqueuer.db import AsyncpgDriver
from pgqueuer.models import Job

from peers.peer import Handler, Peer, Producer, Signals, run_until_stopped

ENTRYPOINT = "count"
DRAIN_BATCH = 1000
# An incomplete batch is recorded after 0.1 s; a small batch is complete sooner.
PICKUP_BATCH = 10


class PgQueuerPeer(Peer):
    """The fastest Python queue for draining a backlog, because it works in batches."""

    name = "pgqueuer"
    distribution = "pgqueuer"
    best_batch = 1000

    def install(self) -> None:
        async def create() -> None:
            connection = await self._connect()
            await Queries(AsyncpgDriver(connection)).install()
            await connection.close()

        asyncio.run(create())

    @asynccontextmanager
    async def producer(self) -> AsyncIterator[Producer]:
        connection = await self._connect()
        try:
            yield _Producer(Queries(AsyncpgDriver(connection)))
        finally:
            await connection.close()

    async def work(self, handler: Handler, signals: Signals) -> None:
        connection = await self._connect()
        queue = PgQueuer.from_asyncpg_connection(connection)

        @queue.entrypoint(ENTRYPOINT)
        async def count(job: Job) -> None:
            handler(int(job.payload))

        await signals.ready()
        worker = queue.run(batch_size=self._batch, dequeue_timeout=timedelta(seconds=5))
        await run_until_stopped(worker, signals, queue.shutdown.set)

    def finished_query(self) -> str:
        return "select count(*) from pgqueuer_log where status = 'successful'"

    def settings(self) -> dict[str, Any]:
        return {
            "claim_batch": self._batch,
            "concurrency": "unlimited",
            "durability": "durable (all tables logged)",
            "driver": "asyncpg, uvloop",
            "wake_up": "LISTEN",
        }

    @property
    def _batch(self) -> int:
        return PICKUP_BATCH if self.figure == "pickup" else DRAIN_BATCH

    async def _connect(self) -> asyncpg.Connection:
        parts = self.database.parameters
        return await asyncpg.connect(
            host=parts.get("host"),
            port=int(parts["port"]) if "port" in parts else None,
            user=parts.get("user"),
            password=parts.get("password"),
            database=parts["dbname"],
        )


class _Producer:
    """A producer whose calls are single statements, each committed separately."""

    def __init__(self, queries: Queries) -> None:
        self._queries = queries

    async def enqueue(self, number: int) -> None:
        await self._queries.enqueue(ENTRYPOINT, b"%d" % number)

    async def enqueue_batch(self, numbers: Sequence[int]) -> None:
        payloads: list[bytes | None] = [b"%d" % number for number in numbers]
        count = len(payloads)
        await self._queries.enqueue([ENTRYPOINT] * count, payloads, [0] * count)
