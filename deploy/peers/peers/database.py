"""The given PostgreSQL server, and a database on it for each measurement."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import quote, urlencode

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo


@dataclass(frozen=True)
class Database:
    """A libpq connection string, in the formats of the peers' drivers."""

    dsn: str

    @property
    def parameters(self) -> dict[str, str]:
        """Returns the parts of the connection string, without psycopg's defaults."""
        return {key: str(value) for key, value in conninfo_to_dict(self.dsn).items() if value is not None}

    @property
    def url(self) -> str:
        """Returns the connection string as a URL, since SQLAlchemy and sqlx read no key=value strings."""
        parts = self.parameters
        user = quote(parts.get("user", ""), safe="")
        password = f":{quote(parts['password'], safe='')}" if "password" in parts else ""
        query = {key: parts[key] for key in ("host", "port") if key in parts}
        return f"postgresql://{user}{password}@/{quote(parts['dbname'], safe='')}?{urlencode(query)}"

    def named(self, name: str) -> Database:
        """Returns another database on the same server."""
        return Database(make_conninfo(self.dsn, dbname=name))

    def connect(self) -> psycopg.Connection:
        """Opens a connection in autocommit mode, for the counts and the cleanup of measurements."""
        return psycopg.connect(self.dsn, autocommit=True)


def server_settings(database: Database) -> dict[str, str]:
    """Returns the settings that determine the durability of a commit, printed with each figure."""
    names = ("server_version", "fsync", "synchronous_commit", "full_page_writes", "shared_buffers")
    with database.connect() as connection:
        rows = connection.execute(
            "select name, current_setting(name) from pg_settings where name = any(%s)", [list(names)]
        )
        return {name: value for name, value in rows.fetchall()}


@contextmanager
def temporary_database(server: Database, name: str, keep: bool = False) -> Iterator[Database]:
    """Creates an empty database, which is dropped at the end even if clients are still connected."""
    drop = sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name))
    with server.connect() as connection:
        connection.execute(drop)
        connection.execute(sql.SQL("create database {} template template0").format(sql.Identifier(name)))
    try:
        yield server.named(name)
    finally:
        if not keep:
            with server.connect() as connection:
                connection.execute(drop)
