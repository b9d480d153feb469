"""The peers by name; each is imported only when it is measured, because imports take seconds."""

from __future__ import annotations

from importlib import import_module

from peers.peer import Peer

CLASSES: dict[str, str] = {
    "procrastinate": "peers.procrastinate_peer:ProcrastinatePeer",
    "pgqueuer": "peers.pgqueuer_peer:PgQueuerPeer",
    "dbos": "peers.dbos_peer:DBOSPeer",
    "awa": "peers.awa_peer:AwaPeer",
}


def peer_class(name: str) -> type[Peer]:
    """Returns the class of a peer; the name is one of `CLASSES`."""
    module, _, attribute = CLASSES[name].partition(":")
    return getattr(import_module(module), attribute)
