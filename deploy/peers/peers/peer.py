"""The interface of a measured job queue: one small subclass per peer."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from importlib.metadata import version
from typing import Any, ClassVar, Protocol

from peers.database import Database

# Called once per job with the number of its payload; the job must do nothing else.
Handler = Callable[[int], None]


# Time for a worker to finish its claimed jobs.
STOP_SECONDS = 5


class Producer(Protocol):
    """Enqueues jobs; each call commits one transaction."""

    async def enqueue(self, number: int) -> None: ...

    async def enqueue_batch(self, numbers: Sequence[int]) -> None: ...


class Signals(Protocol):
    """The synchronization of a child process with the measuring process."""

    async def ready(self) -> None:
        """Reports that the process is ready, and returns when the clock has started."""

    async def stopped(self) -> None:
        """Returns when the measurement is over."""


async def run_until_stopped(worker: Awaitable[None], signals: Signals, stop: Callable[[], object]) -> None:
    """Runs a peer's worker until the measurement is over; fails if the worker ends earlier."""
    running = asyncio.ensure_future(worker)
    stopped = asyncio.ensure_future(signals.stopped())
    await asyncio.wait([running, stopped], return_when=asyncio.FIRST_COMPLETED)
    if not stopped.done():
        running.result()
        raise RuntimeError("the worker ended before it was told to")
    stop()
    await asyncio.wait([running], timeout=STOP_SECONDS)


class Peer(ABC):
    """A queue under test, with the fastest settings that lose no job; `settings` returns them."""

    name: ClassVar[str]
    distribution: ClassVar[str]
    # Jobs per call of the batch API: the fastest of several sizes; `--batch` overrides it.
    best_batch: ClassVar[int]

    def __init__(self, database: Database, figure: str, companies: int) -> None:
        self.database = database
        self.figure = figure
        self.companies = companies

    @classmethod
    def version(cls) -> str:
        """Returns the installed version of the queue."""
        return version(cls.distribution)

    @classmethod
    def companies_unsupported(cls) -> str | None:
        """Returns the reason why the queue cannot separate companies; None if it can."""
        return "it has no notion of a company whose jobs take turns with others'"

    @abstractmethod
    def install(self) -> None:
        """Creates the queue's own tables in the empty database."""

    @abstractmethod
    def producer(self) -> AbstractAsyncContextManager[Producer]:
        """Returns a producer on one connection."""

    @abstractmethod
    async def work(self, handler: Handler, signals: Signals) -> None:
        """Connects, waits for the start, and runs the queue's own worker until the measurement is over."""

    @abstractmethod
    def finished_query(self) -> str:
        """Returns SQL that counts the jobs that the queue has recorded as done."""

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """Returns the settings of this figure, for the results."""
