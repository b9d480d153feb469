"""Wall clock and CPU clocks, read together, so that rates and CPU times cover the same period."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from peers.cpu import process_seconds, server_seconds


@dataclass(frozen=True)
class Reading:
    """The clocks at one time of a measurement."""

    moment: float
    server_cpu: float | None
    worker_cpu: float

    @classmethod
    def now(cls, options: argparse.Namespace, workers: Sequence[int] = ()) -> Reading:
        """Reads the CPU time of the server and of these processes."""
        return cls(time.monotonic(), server_seconds(options.postmaster_pid), process_seconds(workers))

    def until(self, end: Reading, jobs: int) -> dict[str, Any]:
        """Returns the figures of `jobs` that were done between this reading and `end`."""
        seconds = end.moment - self.moment
        return {
            "jobs": jobs,
            "seconds": seconds,
            "jobs_per_second": jobs / seconds,
            "server_cpu_us_per_job": per_job(self.server_cpu, end.server_cpu, jobs),
            "worker_cpu_us_per_job": per_job(self.worker_cpu, end.worker_cpu, jobs),
        }


def per_job(before: float | None, after: float | None, jobs: int) -> float | None:
    """Returns the CPU time per job in microseconds; None without both readings."""
    if before is None or after is None or jobs == 0:
        return None
    return (after - before) * 1e6 / jobs
