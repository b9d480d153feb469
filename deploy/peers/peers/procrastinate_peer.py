"""procrastinate: one job per claim, with concurrency inside each worker process."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import psycopg
from procrastinate import App, PsycopgConnector, SyncPsycopgConnector

from peers.peer import Handler, Peer, Producer, Signals, run_until_stopped

QUEUE = "bench"
CONCURRENCY = 20
POOL = 8


class ProcrastinatePeer(Peer):
    """A queue whose worker claims one job at a time; only parallel jobs hide the round trips."""

    name = "procrastinate"
    distribution = "procrastinate"
    best_batch = 1000

    def install(self) -> None:
        app = App(connector=SyncPsycopgConnector(conninfo=self.database.dsn))
        with app.open():
            app.schema_manager.apply_schema()

    @asynccontextmanager
    async def producer(self) -> AsyncIterator[Producer]:
        connector = SyncPsycopgConnector(
            conninfo=self.database.dsn, min_size=1, max_size=1, kwargs={"autocommit": True}
        )
        app = App(connector=connector)
        with app.open():
            yield _Producer(app)

    async def work(self, handler: Handler, signals: Signals) -> None:
        # Otherwise it formats log lines for each job, which nobody reads.
        logging.getLogger("procrastinate").setLevel(logging.WARNING)
        connector = PsycopgConnector(
            conninfo=self.database.dsn, min_size=POOL, max_size=POOL, configure=_autocommit
        )
        app = App(connector=connector)

        @app.task(name="count", queue=QUEUE)
        async def count(n: int) -> None:
            handler(n)

        async with app.open_async():
            await signals.ready()
            worker = asyncio.ensure_future(
                app.run_worker_async(
                    queues=[QUEUE],
                    concurrency=CONCURRENCY,
                    delete_jobs="never",
                    install_signal_handlers=False,
                    shutdown_graceful_timeout=2,
                )
            )
            await run_until_stopped(worker, signals, worker.cancel)

    def finished_query(self) -> str:
        return "select count(*) from procrastinate_jobs where status = 'succeeded'"

    def settings(self) -> dict[str, Any]:
        return {
            "concurrency": CONCURRENCY,
            "pool": POOL,
            "claim_batch": 1,
            "finished_jobs": "kept",
            "driver": "psycopg, autocommit",
            "wake_up": "LISTEN",
        }


async def _autocommit(connection: psycopg.AsyncConnection) -> None:
    """Saves two round trips per statement; each of its operations is a single statement."""
    await connection.set_autocommit(True)


class _Producer:
    """The synchronous API, which is faster than the asynchronous one on a single connection."""

    def __init__(self, app: App) -> None:
        self._deferrer = app.configure_task("count", queue=QUEUE)

    async def enqueue(self, number: int) -> None:
        self._deferrer.defer(n=number)

    async def enqueue_batch(self, numbers: Sequence[int]) -> None:
        self._deferrer.batch_defer(*({"n": number} for number in numbers))
