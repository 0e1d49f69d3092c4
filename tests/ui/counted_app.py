"""The application in a process that tells how many models it holds in memory, as often as somebody asks.

`python -m tests.ui.counted_app PORT --server.port PORT`: on the first port it answers every connection with the number.
"""

from __future__ import annotations

import gc
import socket
import sys
import threading

from streamlit.web.cli import main

from turs.ui.opened import OpenModel


def answer(port: int) -> None:
    """Tell everybody who connects how many models there are."""
    with socket.create_server(("127.0.0.1", port)) as server:
        while True:
            connection, _ = server.accept()
            with connection:
                n_models = sum(isinstance(found, OpenModel) for found in gc.get_objects())
                connection.sendall(str(n_models).encode())


if __name__ == "__main__":
    threading.Thread(target=answer, args=(int(sys.argv[1]),), daemon=True).start()
    sys.argv = ["streamlit", "run", "app.py", *sys.argv[2:]]
    main()
