"""dbos: durable workflows; a job is a workflow of one function on a queue."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import sqlalchemy
from dbos import DBOS, DBOSClient, DBOSConfig

from peers.peer import Handler, Peer, Producer, Signals

APPLICATION = "bench"
QUEUE = "bench"
VERSION = "1"
WORKER_CONCURRENCY = 100
POOL = 20
POLLING_SECONDS = 0.1


class DBOSPeer(Peer):
    """It finds jobs by polling, and starts each claimed one on a thread."""

    name = "dbos"
    distribution = "dbos"
    # There is no batch API; jobs may share a transaction of the caller's, which is used instead.
    best_batch = 500

    def install(self) -> None:
        DBOS.migrate(self._url)
        client = DBOSClient(system_database_url=self._url, application_name=APPLICATION)
        # Registered before any worker starts: a running one looks for new queues once a second only.
        client.register_queue(QUEUE, worker_concurrency=WORKER_CONCURRENCY, polling_interval_sec=POLLING_SECONDS)
        client.destroy()

    @asynccontextmanager
    async def producer(self) -> AsyncIterator[Producer]:
        client = DBOSClient(system_database_url=self._url, system_database_pool_size=1, application_name=APPLICATION)
        engine = sqlalchemy.create_engine(self._url, pool_size=1)
        try:
            yield _Producer(client, engine)
        finally:
            client.destroy()
            engine.dispose()

    async def work(self, handler: Handler, signals: Signals, figure: str) -> None:
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

        # Launching connects and starts to poll, which cannot be told apart: the clock has to run.
        await signals.ready()
        await asyncio.to_thread(DBOS.launch)
        await signals.stopped()

    def finished_query(self) -> str:
        return "select count(*) from dbos.workflow_status where status = 'SUCCESS'"

    def settings(self, figure: str) -> dict[str, Any]:
        return {
            "worker_concurrency": WORKER_CONCURRENCY,
            "pool": POOL,
            "wake_up": f"polling every {POLLING_SECONDS} s",
            "batch_api": "none: many enqueues in one transaction",
        }

    @property
    def _url(self) -> str:
        return self.database.url.replace("postgresql://", "postgresql+psycopg://")


class _Producer:
    """The client for programs that only enqueue."""

    def __init__(self, client: DBOSClient, engine: sqlalchemy.Engine) -> None:
        self._client = client
        self._engine = engine
        self._options = {"workflow_name": "count", "queue_name": QUEUE, "app_version": VERSION}

    async def enqueue(self, number: int) -> None:
        self._client.enqueue(self._options, number)

    async def enqueue_batch(self, numbers: Sequence[int]) -> None:
        with self._engine.begin() as connection:
            for number in numbers:
                self._client.enqueue_in_transaction(connection, self._options, number)
