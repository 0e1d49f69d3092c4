"""Many people at once, without browsers: `python -m turs.ui.crowd`.

Each person is a connection that speaks Streamlit's protocol, opens a model of its own on the same table, moves a cut,
looks at the effect, keeps it, and goes on. Printed are the edits that were kept, whether anybody saw what somebody else
had not kept, and what a person costs in memory, while connected and afterwards.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets import Subprotocol
from websockets.sync.client import ClientConnection, connect

from turs.editing import MoveCut
from turs.editing.history import Entry
from turs.storage import Store
from turs.storage.location import FILE_NAME
from turs.ui.made_model import store_made_model
from turs.ui.serving import Server, running_app

_SECONDS = 120
_PROTOCOL = Subprotocol("streamlit")
SESSION_VARIABLE = "STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL"
SESSION_SECONDS = 5
"""How long the measured server keeps sessions whose connection ended."""


class Person:
    """A connection to the application on the Rules page of a model."""

    def __init__(self, connection: ClientConnection, model: str) -> None:
        self._connection = connection
        self._query = f"model={model}"
        self._widgets: list[str] = []
        self.texts: list[str] = []
        self._run([])

    def type(self, key: str, text: str) -> None:
        """Type into the field whose key begins so."""
        self._run([WidgetState(id=self._widget(key), string_value=text)])

    def press(self, key: str) -> None:
        """Press the button of a key."""
        self._run([WidgetState(id=self._widget(key), trigger_value=True)])

    def _widget(self, key: str) -> str:
        """Return the id of the first widget whose key begins so."""
        return next(name for name in self._widgets if name.split("-", 2)[2].startswith(key))

    def _run(self, widgets: list[WidgetState]) -> None:
        """Send what was done and take in the page until it is drawn."""
        told = BackMsg()
        told.rerun_script.query_string = self._query
        told.rerun_script.page_name = "Rules"
        told.rerun_script.widget_states.widgets.extend(widgets)
        self._connection.send(told.SerializeToString())
        while True:
            message = ForwardMsg.FromString(self._connection.recv(timeout=_SECONDS, decode=False))
            kind = message.WhichOneof("type")
            if kind == "new_session":
                self._widgets, self.texts = [], []
            elif kind == "delta":
                self._take(message.delta.new_element)
            elif kind == "script_finished" and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                return

    def _take(self, element: Element) -> None:
        """Take in a part of the page."""
        kind = element.WhichOneof("type")
        if kind == "html":
            self.texts.append(element.html.body)
        elif kind in ("text_input", "button"):
            self._widgets.append(getattr(element, kind).id)
        elif kind == "exception":
            raise RuntimeError(f"The page shows an exception: {element.exception.message}")


@dataclass(frozen=True)
class Outcome:
    """What happened to one person.

    Parameters
    ----------
    model : str
        The model, which is nobody else's.
    cuts : tuple of float
        Where the cut was moved, edit by edit, as far as the person saw the own edit and no other before it was kept.
    """

    model: str
    cuts: tuple[float, ...]


def edit(person: Person, model: str, cuts: Sequence[float]) -> Outcome:
    """Move a cut to all these places, and look at each before it is kept."""
    seen = []
    for cut in cuts:
        person.type("exact-", str(cut))
        drafts = [text for text in person.texts if 'class="t-draft"' in text]
        if len(drafts) == 1 and f"to {cut}" in drafts[0]:
            seen.append(cut)
        person.press("keep")
    return Outcome(model, tuple(seen))


def own_models(server: Server, n_people: int, n_rows: int, n_rules: int) -> list[str]:
    """Put rules into the store of a server, and a session of edits for everybody."""
    place = server.folder / FILE_NAME
    first = store_made_model(place, n_rows, n_rules)
    with Store.open(place) as store:
        record = store.model_record(store.session_record(first).model)
        return [first, *(store.add_session(record, f"person {n}").id for n in range(1, n_people))]


def kept_cuts(server: Server, model: str) -> tuple[float, ...]:
    """Return where the store says that the cut was moved, edit by edit."""
    with Store.open(server.folder / FILE_NAME) as store:
        steps = [line.step for line in store.lines(store.session_record(model))]
    edits = [step.edit for step in steps if isinstance(step, Entry)]
    return tuple(edit.low for edit in edits if isinstance(edit, MoveCut) and edit.low is not None)


def cuts_of(number: int, n_edits: int) -> tuple[float, ...]:
    """Return the cuts of a person; no two people have one in common."""
    return tuple(round(0.3 + (number * n_edits + step + 1) / 10_000, 4) for step in range(n_edits))


@contextmanager
def connected(server: Server, models: Sequence[str]) -> Iterator[list[Person]]:
    """Connect people at the same time, each to a model of their own."""
    with ExitStack() as stack, ThreadPoolExecutor(len(models)) as pool:
        lines = [
            stack.enter_context(
                connect(f"ws://127.0.0.1:{server.port}/_stcore/stream", subprotocols=[_PROTOCOL], max_size=None)
            )
            for _ in models
        ]
        yield list(pool.map(Person, lines, models))


def edit_together(people: Sequence[Person], models: Sequence[str], n_edits: int) -> list[Outcome]:
    """Let people edit at the same time."""
    cuts = [cuts_of(number, n_edits) for number in range(len(people))]
    with ThreadPoolExecutor(len(people)) as pool:
        return list(pool.map(edit, people, models, cuts))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Let many people edit at once, and measure the memory of the server.")
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--edits", type=int, default=5)
    parser.add_argument("--crowds", type=int, default=2, help="one after the other")
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--rules", type=int, default=6)
    options = parser.parse_args()
    environment = {SESSION_VARIABLE: str(SESSION_SECONDS)}
    with running_app(environment) as server:
        models = own_models(server, options.people, options.rows, options.rules)
        with connected(server, models[:1]) as people:
            edit_together(people, models[:1], options.edits)
            one = server.memory
        empty = _memory_left(server)
        _tell(f"one person {one / 2**20:.0f} MB, after leaving {empty / 2**20:.0f} MB")
        for crowd in range(1, options.crowds + 1):
            with connected(server, models) as people:
                began = time.perf_counter()
                outcomes = edit_together(people, models, options.edits)
                took = time.perf_counter() - began
                all_of_them = server.memory
            _tell(
                f"crowd {crowd}: {sum(len(found.cuts) for found in outcomes)} of {len(models) * options.edits} edits"
                f" seen alone before they were kept, in {took:.1f} s"
            )
            kept = sum(kept_cuts(server, found.model)[-options.edits :] == found.cuts for found in outcomes)
            _tell(f"  the store has all edits of {kept} of {len(models)} people")
            each = (all_of_them - one) / (len(models) - 1) / 2**20
            _tell(f"  server {all_of_them / 2**20:.0f} MB, {each:.1f} MB a person beyond the first")
            _tell(f"  after everybody left, nobody new: {_memory_left(server) / 2**20:.0f} MB")


def _memory_left(server: Server) -> int:
    """Return the memory of the server some time after everybody left; nobody connects in between."""
    time.sleep(2 * SESSION_SECONDS)
    return server.memory


def _tell(line: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
