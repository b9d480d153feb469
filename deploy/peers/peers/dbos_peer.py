"""dbos: durable workflows; a job is a workflow of one function on a queue."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import sqlalchemy
from dbos import DBOS, DBOSClient, DBOSConfig, EnqueueOptions

from peers.peer import Handler, Peer, Producer, Signals

APPLICATION = "bench"
QUEUE = "bench"
VERSION = "1"
WORKER_CONCURRENCY = 100
POOL = 20
# Each poll runs several queries: a short interval for single jobs, a long one for full batches.
PICKUP_POLLING_SECONDS = 0.01
DRAIN_POLLING_SECONDS = 0.1


class DBOSPeer(Peer):
    """A queue that polls for jobs and runs each claimed job on a thread."""

    name = "dbos"
    distribution = "dbos"
    # Without a batch API, the jobs of a batch share a transaction of the caller.
    best_batch = 500

    @classmethod
    def companies_unsupported(cls) -> str | None:
        # A queue partition with one running job at a time, which it claims in one statement.
        return None

    def install(self) -> None:
        DBOS.migrate(self._url)
        client = DBOSClient(system_database_url=self._url, application_name=APPLICATION)
        # Registered before any worker starts: a running worker checks for new queues only once a second.
        client.register_queue(
            QUEUE,
            worker_concurrency=WORKER_CONCURRENCY,
            partition_concurrency=1 if self.companies > 1 else None,
            polling_interval_sec=self._polling_seconds,
        )
        client.destroy()

    @asynccontextmanager
    async def producer(self) -> AsyncIterator[Producer]:
        client = DBOSClient(
            system_database_url=self._url, system_database_pool_size=1, application_name=APPLICATION
        )
        engine = sqlalchemy.create_engine(self._url, pool_size=1)
        try:
            yield _Producer(client, engine, self.companies)
        finally:
            client.destroy()
            engine.dispose()

    async def work(self, handler: Handler, signals: Signals) -> None:
        config: DBOSConfig = {
            "name": APPLICATION,
            "system_database_url": self._url,
            "sys_db_pool_size": POOL,
            "application_version": VERSION,
            "log_level": "WARNING",
        }
        DBOS(config=config)

        @DBOS.workflow(name="count")
        def count(n: int) -> None:
            handler(n)

        # The launch connects and starts to poll at once, so the clock must be running.
        await signals.ready()
        await asyncio.to_thread(DBOS.launch)
        await signals.stopped()

    def finished_query(self) -> str:
        return "select count(*) from dbos.workflow_status where status = 'SUCCESS'"

    def settings(self) -> dict[str, Any]:
        return {
            "worker_concurrency": WORKER_CONCURRENCY,
            "pool": POOL,
            "partition_concurrency": 1 if self.companies > 1 else None,
            "wake_up": f"polling every {self._polling_seconds} s",
            "batch_api": "none: many enqueues in one transaction",
        }

    @property
    def _polling_seconds(self) -> float:
        return PICKUP_POLLING_SECONDS if self.figure == "pickup" else DRAIN_POLLING_SECONDS

    @property
    def _url(self) -> str:
        return self.database.url.replace("postgresql://", "postgresql+psycopg://")


class _Producer:
    """The client, for programs that only enqueue."""

    def __init__(self, client: DBOSClient, engine: sqlalchemy.Engine, companies: int) -> None:
        self._client = client
        self._engine = engine
        self._companies = companies

    async def enqueue(self, number: int) -> None:
        self._client.enqueue(self._options(number), number)

    async def enqueue_batch(self, numbers: Sequence[int]) -> None:
        with self._engine.begin() as connection:
            for number in numbers:
                self._client.enqueue_in_transaction(connection, self._options(number), number)

    def _options(self, number: int) -> EnqueueOptions:
        options: EnqueueOptions = {"workflow_name": "count", "queue_name": QUEUE, "app_version": VERSION}
        if self._companies > 1:
            options["queue_partition_key"] = str(number % self._companies)
        return options
