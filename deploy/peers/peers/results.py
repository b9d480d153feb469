"""One JSON object a line on stdout; everything else goes to stderr."""

from __future__ import annotations

import json
from typing import Any


def rounded(value: Any) -> Any:
    """Numbers with no more digits than the measurement has."""
    if isinstance(value, float):
        return round(value, 3)
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return value


def emit(result: dict[str, Any]) -> None:
    """Prints a result at once, so that a reader sees it when it is there."""
    print(json.dumps(rounded(result)), flush=True)
