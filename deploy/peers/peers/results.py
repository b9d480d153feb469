"""One JSON object per line on stdout; all other output goes to stderr."""

from __future__ import annotations

import json
from typing import Any


def rounded(value: Any) -> Any:
    """Returns numbers rounded to the precision of the measurement."""
    if isinstance(value, float):
        return round(value, 3)
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return value


def emit(result: dict[str, Any]) -> None:
    """Prints a result and flushes the output."""
    print(json.dumps(rounded(result)), flush=True)
