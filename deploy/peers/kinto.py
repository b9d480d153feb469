#!/usr/bin/env python3
"""Serves Kinto on 127.0.0.1 with an empty database of the given PostgreSQL; ends with SIGTERM.

kinto.py --port 8888 --host /run/postgresql --postgres-port 5432 --database kinto
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

# The database holds everything but the cache. Batches may be as large as those of Fettle. Basic authentication is the
# cheapest policy: it hashes no passwords.
SETTINGS = """
[app:main]
use = egg:kinto
kinto.userid_hmac_secret = bench
kinto.storage_backend = kinto.core.storage.postgresql
kinto.storage_url = {url}
kinto.storage_pool_size = 16
kinto.permission_backend = kinto.core.permission.postgresql
kinto.permission_url = {url}
kinto.permission_pool_size = 16
kinto.cache_backend = kinto.core.cache.memory
kinto.bucket_create_principals = system.Authenticated
kinto.batch_max_requests = 500
multiauth.policies = basicauth
"""


def parse() -> argparse.Namespace:
    """Returns the options."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    option = parser.add_argument
    option("--port", type=int, required=True, help="port on 127.0.0.1")
    option("--host", required=True, help="folder of PostgreSQL's socket")
    option("--postgres-port", type=int, default=5432, help="port of PostgreSQL (5432)")
    option("--database", required=True, help="name of the database, which exists and is empty")
    option("--user", default="postgres", help="role that owns the database (postgres)")
    option("--workers", type=int, default=os.cpu_count(), help="processes (one for each CPU)")
    option("--threads", type=int, default=4, help="threads of a process (4)")
    return parser.parse_args()


def main() -> None:
    """Creates the tables and becomes the server."""
    options = parse()
    url = (
        f"postgresql://{options.user}@/{options.database}?host={options.host}&port={options.postgres_port}"
    )
    settings = Path(tempfile.mkdtemp(prefix="fettle-kinto-")) / "kinto.ini"
    settings.write_text(SETTINGS.format(url=url.replace("%", "%%")))
    folder = Path(sys.executable).parent
    subprocess.run([folder / "kinto", "migrate", "--ini", settings], check=True)
    os.execv(
        folder / "gunicorn",
        [
            "gunicorn",
            *("--paste", str(settings)),
            *("--bind", f"127.0.0.1:{options.port}"),
            *("--workers", str(options.workers)),
            *("--worker-class", "gthread"),
            *("--threads", str(options.threads)),
            *("--log-level", "warning"),
        ],
    )


if __name__ == "__main__":
    main()
