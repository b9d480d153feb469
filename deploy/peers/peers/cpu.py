"""CPU time from /proc: wall time alone is unreliable on a shared machine."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def _times(process: int) -> tuple[int, int, int] | None:
    """A process's parent, its own ticks, and those of its children that have exited."""
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The name, in parentheses, may contain spaces and parentheses.
    fields = text.rpartition(")")[2].split()
    parent, user, system, children_user, children_system = (
        int(fields[index]) for index in (1, 11, 12, 13, 14)
    )
    return parent, user + system, children_user + children_system


def server_seconds(postmaster: int | None) -> float | None:
    """CPU seconds of the postmaster and all processes it has started, including background processes."""
    if postmaster is None:
        return None
    while True:
        before = _postmaster_times(postmaster)
        children = [
            times for entry in os.listdir("/proc") if entry.isdigit() and (times := _times(int(entry)))
        ]
        ticks = sum(own + theirs for parent, own, theirs in children if parent == postmaster)
        # A child that ended meanwhile would be missed or counted twice, so the reading is repeated.
        if _postmaster_times(postmaster)[2] == before[2]:
            return (ticks + before[1] + before[2]) / TICKS


def _postmaster_times(postmaster: int) -> tuple[int, int, int]:
    times = _times(postmaster)
    if times is None:
        raise SystemExit(f"no process {postmaster}: --postmaster-pid is the first line of postmaster.pid")
    return times


def process_seconds(processes: Iterable[int]) -> float:
    """CPU seconds of these processes so far, without those of their children."""
    return sum(times[1] for process in processes if (times := _times(process))) / TICKS
