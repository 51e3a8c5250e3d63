# SPDX-License-Identifier: GPL-2.0-or-later
"""A process that makes exactly the polls of its arguments: `poller.py BREAK OTHER`.

Prints its PID, waits for a line, polls, prints "done", and waits for a line again.
BREAK polls are of one connected TCP socket with timeout 0; OTHER ones of a pipe.
"""

import os
import select
import socket
import sys


def main(break_polls: int, other_polls: int) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    client = socket.create_connection(listener.getsockname())
    server, _ = listener.accept()
    on_socket, on_pipe = select.poll(), select.poll()
    on_socket.register(server, select.POLLIN)
    on_pipe.register(os.pipe()[0], select.POLLIN)
    print(os.getpid(), flush=True)
    sys.stdin.readline()
    for _ in range(break_polls):
        on_socket.poll(0)
    for _ in range(other_polls):
        on_pipe.poll(0)
    print("done", flush=True)
    sys.stdin.readline()
    client.close()


main(int(sys.argv[1]), int(sys.argv[2]))
