"""What a session held is gone some time after its browser is, without anybody new; what it was learning is kept."""

from __future__ import annotations

import socket
import time

from tests.ui.driving import PATIENCE
from turs.data import read_table
from turs.storage import Store
from turs.ui.crowd import SESSION_VARIABLE, connected, edit_together, own_models
from turs.ui.library import first_workspace, saved_models
from turs.ui.serving import free_port, running_app
from turs.ui.start_page import SAMPLE_TABLES
from turs.ui.state import leave
from turs.ui.studio import Seat, Studio
from turs.ui.study import Plan, study_of
from turs.ui.worker import Job

LAST = 1  # Streamlit's loop keeps the session that it sent something to last, until it sends something again


def n_models(port: int) -> int:
    """Ask the server how many models it holds."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as line:
        return int(line.recv(64))


def test_models_are_freed_when_everybody_left_and_nobody_comes() -> None:
    port = free_port()
    with running_app({SESSION_VARIABLE: "2"}, ("-m", "tests.ui.counted_app", str(port))) as server:
        models = own_models(server, 4, 1_000, 3)
        with connected(server, models) as people:
            edit_together(people, models, 1)
            assert n_models(port) == len(models)
        deadline = time.monotonic() + PATIENCE
        while n_models(port) > LAST and time.monotonic() < deadline:
            time.sleep(0.2)
        assert n_models(port) <= LAST


def test_what_is_learned_when_its_session_ends_goes_into_the_store() -> None:
    table = read_table(SAMPLE_TABLES[0].path)
    study = study_of("left", table, Plan(str(table.frame.columns[-1])))
    seat, store = Seat(), Store.open()
    seat.studio = Studio("left", table, study.plan, study, job=Job(study))
    leave(seat, store, "Ada")
    assert seat.studio.table is None
    assert seat.studio.job is None
    deadline = time.monotonic() + PATIENCE
    while not saved_models(store, first_workspace(store)) and time.monotonic() < deadline:
        time.sleep(0.05)
    (saved,) = saved_models(store, first_workspace(store))
    assert saved.record.author == "Ada"
