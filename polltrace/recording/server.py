# SPDX-License-Identifier: GPL-2.0-or-later
"""A dedicated server as a record: its identity, and the evidence for its break mode."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath, PurePosixPath
from typing import Any

from polltrace.breaks.sqlnet import BreakSettings
from polltrace.engines import engine_named, is_built_in
from polltrace.servers.client_socket import ClientSocket
from polltrace.servers.servers import Server

_MOST_CONNECTIONS = 64


def server_data(server: Server, at_s: float) -> dict[str, Any]:
    """The record of a server. The configuration file's path is the only part of the environment in
    it.
    """
    socket, settings = server.socket, server.settings
    return {
        "type": "server",
        "at_s": at_s,
        "pid": server.pid,
        "start_ticks": server.start_ticks,
        "engine": server.engine.name,
        **({} if is_built_in(server.engine) else {"engine_file": server.engine.declaration}),
        "instance": server.instance,
        "local": server.local,
        "client": {
            "fd": socket.fd,
            "local": socket.local,
            "peer": socket.peer,
            "owner": socket.owner,
        }
        if socket
        else None,
        "connections": [
            {"fd": connection.fd, "local": connection.local, "peer": connection.peer}
            for connection in server.sockets[:_MOST_CONNECTIONS]
            if connection != socket
        ],
        "catches_sigurg": server.catches_sigurg,
        "started_at": server.started_at,
        "settings": {
            "path": _path_text(settings.path),
            "break_poll_skip": settings.break_poll_skip,
            "disable_oob": settings.disable_oob,
            "skip_is_default": settings.skip_is_default,
            "disable_oob_auto": settings.disable_oob_auto,
            "skip_path": _path_text(settings.skip_path),
            "oob_path": _path_text(settings.oob_path),
            "changed_at": settings.changed_at,
            "problem": settings.problem,
        },
    }


def server_of(data: Mapping[str, Any]) -> Server | None:
    """The server of a record; None for an engine that neither this host nor the record describes.

    Raises KeyError, TypeError or ValueError for malformed data.
    """
    engine = engine_named(str(data["engine"]), str(data.get("engine_file", "")))
    if engine is None:
        return None
    client, settings = data["client"], data["settings"]
    socket = (
        ClientSocket(client["fd"], str(client["local"]), str(client["peer"]), client["owner"])
        if client
        else None
    )
    connections = (
        ClientSocket(int(connection["fd"]), str(connection["local"]), str(connection["peer"]), None)
        for connection in data.get("connections", ())
    )
    return Server(
        pid=int(data["pid"]),
        start_ticks=int(data["start_ticks"]),
        engine=engine,
        instance=str(data["instance"]),
        local=bool(data["local"]),
        socket=socket,
        sockets=(*([socket] if socket else []), *connections),
        catches_sigurg=None if data["catches_sigurg"] is None else bool(data["catches_sigurg"]),
        started_at=_number(data.get("started_at")),
        settings=BreakSettings(
            path=_path(settings["path"]),
            break_poll_skip=int(settings["break_poll_skip"]),
            disable_oob=bool(settings["disable_oob"]),
            skip_is_default=bool(settings["skip_is_default"]),
            disable_oob_auto=bool(settings.get("disable_oob_auto")),
            skip_path=_path(settings.get("skip_path")),
            oob_path=_path(settings.get("oob_path")),
            changed_at=_number(settings.get("changed_at")),
            problem=str(settings.get("problem") or ""),
            file=engine.configuration_file,
        ),
    )


def _number(value: float | None) -> float | None:
    return None if value is None else float(value)


def _path_text(path: PurePath | None) -> str | None:
    return None if path is None else str(path)


def _path(text: object) -> PurePosixPath | None:
    return PurePosixPath(str(text)) if text else None
