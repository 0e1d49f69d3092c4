"""Two people on one model: what one keeps is announced to the other, and shows when the other asks for it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.driving import assert_whole, button_keys, markup, model, number_on_screen, studio
from turs.editing import DeleteRule, MoveCut
from turs.errors import StorageError
from turs.ui.side_bar import news_words


@pytest.mark.parametrize(
    ("authors", "words"),
    [
        (("Ada",), "1 new edit by Ada"),
        (("Ada", "Bob", "Ada"), "3 new edits by Ada and Bob"),
        (("Ada", "", "Bob", "Cy"), "4 new edits by Ada, Bob and Cy"),
        (("", ""), "2 new edits in another window"),
    ],
)
def test_news_in_words(authors: tuple[str, ...], words: str) -> None:
    assert news_words(authors) == words


def moved(app: AppTest, cut: float) -> MoveCut:
    """Return the edit that moves the first cut of the first rule."""
    rule = model(app).session.version.rules[0]
    literal = rule.literals[0]
    side = "low" if literal.low is not None else "high"
    return MoveCut(rule.id, literal.feature, **{side: cut})


def drafted(app: AppTest) -> AppTest:
    """Type a cut, which is shown and not kept."""
    next(field for field in app.text_input if field.key.startswith("exact-")).set_value("2.2").run()
    assert studio(app).draft is not None
    return app


def test_a_colleagues_edit_is_announced_and_shown_on_request(iris: AppTest, start: Callable[..., AppTest]) -> None:
    other = drafted(start("3_Rules.py", model=model(iris).id))
    draft, bits = studio(other).draft, number_on_screen(other, "Total bits")
    assert "show-news" not in button_keys(other)
    model(iris).session.apply(moved(iris, 2.125), author="<i>Ada</i>")
    iris.run()
    other.run()
    assert "1 new edit by &lt;i&gt;Ada&lt;/i&gt;" in markup(other)
    assert number_on_screen(other, "Total bits") == bits
    assert studio(other).draft == draft

    other.button(key="show-news").click().run()
    assert_whole(other)
    assert model(other).session.history == model(iris).session.history
    assert number_on_screen(other, "Total bits") == number_on_screen(iris, "Total bits")
    assert studio(other).draft == draft
    assert "show-news" not in button_keys(other)
    other.button(key="keep").click().run()
    assert_whole(other)
    assert len(model(other).session.history.entries) == 2


def test_a_draft_that_cannot_be_made_any_more_is_told(iris: AppTest, start: Callable[..., AppTest]) -> None:
    other = drafted(start("3_Rules.py", model=model(iris).id))
    model(iris).session.apply(DeleteRule(model(iris).session.version.rules[0].id), author="Ada")
    other.run()
    other.button(key="show-news").click().run()
    assert_whole(other)
    assert studio(other).draft is None
    assert "cannot be done any more" in other.info[0].value


def test_what_the_store_could_not_take_is_written_when_it_answers_again(
    iris: AppTest, start: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(*_: object, **__: object) -> None:
        raise StorageError("The store does not answer.")

    with monkeypatch.context() as patched:
        patched.setattr("turs.storage.database.Database._run", silent)
        drafted(iris).button(key="keep").click().run()
    assert len(model(iris).session.unsaved) == 1
    iris.run()  # as the page does by itself every few seconds
    assert_whole(iris)
    assert not model(iris).session.unsaved
    again = start("3_Rules.py", model=model(iris).id)
    assert model(again).session.history == model(iris).session.history
