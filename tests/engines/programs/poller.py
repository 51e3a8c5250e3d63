# SPDX-License-Identifier: GPL-2.0-or-later
"""An event loop that waits for nothing on a set with a connected socket, without an end."""

import asyncio
import socket

ours, theirs = socket.socketpair()


async def main() -> None:
    await asyncio.open_connection(sock=ours)
    print("go", flush=True)
    while True:
        await asyncio.sleep(0)


asyncio.run(main())
