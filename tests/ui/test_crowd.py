"""Twenty people edit at once: nobody loses an edit, nobody sees what somebody else has not kept."""

from __future__ import annotations

from tests.ui.driving import PATIENCE
from turs.ui.crowd import SESSION_VARIABLE, connected, cuts_of, edit_together, kept_cuts, own_models
from turs.ui.serving import running_app

N_PEOPLE, N_EDITS = 20, 2
MOST_MEMORY = 50 << 20  # bytes a person beyond the first


def test_twenty_people_edit_at_once() -> None:
    with running_app({SESSION_VARIABLE: str(PATIENCE)}) as server:
        models = own_models(server, N_PEOPLE, 10_000, 6)
        with connected(server, models[:1]):
            one = server.memory
        with connected(server, models) as people:
            outcomes = edit_together(people, models, N_EDITS)
            everybody = server.memory
        for number, outcome in enumerate(outcomes):
            assert outcome.cuts == cuts_of(number, N_EDITS)  # what each of them saw before it was kept
            assert kept_cuts(server, outcome.model) == outcome.cuts
        assert (everybody - one) / (N_PEOPLE - 1) < MOST_MEMORY
