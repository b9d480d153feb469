"""CPU time from /proc: wall time alone is unreliable on a shared machine."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def _times(process: int) -> tuple[int, int, int] | None:
    """Returns the parent of a process, its CPU ticks, and the ticks of its exited children."""
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
    """Returns the CPU seconds of the postmaster and all processes that it has started."""
    if postmaster is None:
        return None
    while True:
        before = _postmaster_times(postmaster)
        children = [
            times for entry in os.listdir("/proc") if entry.isdigit() and (times := _times(int(entry)))
        ]
        ticks = sum(own + theirs for parent, own, theirs in children if parent == postmaster)
        # If a child has ended meanwhile, it would be missed or counted twice: read again.
        if _postmaster_times(postmaster)[2] == before[2]:
            return (ticks + before[1] + before[2]) / TICKS


def _postmaster_times(postmaster: int) -> tuple[int, int, int]:
    times = _times(postmaster)
    if times is None:
        raise SystemExit(f"no process {postmaster}: --postmaster-pid is the first line of postmaster.pid")
    return times


def process_seconds(processes: Iterable[int]) -> float:
    """Returns the CPU seconds of these processes so far, without their children."""
    return sum(times[1] for process in processes if (times := _times(process))) / TICKS
