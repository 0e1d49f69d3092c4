"""Compiled code is never taken for other kernels, or for kernels that are compiled in another way."""

import pytest

from turs import kernel


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return a package with one kernel and the module that compiles it."""
    (tmp_path / "learn").mkdir()
    (tmp_path / "learn" / "beam.py").write_text("@kernel\ndef grow(): ...\n")
    (tmp_path / "kernel.py").write_text("numba.njit\n")
    monkeypatch.setattr(kernel, "_PACKAGE", tmp_path)
    monkeypatch.setattr(kernel, "__file__", str(tmp_path / "kernel.py"))
    monkeypatch.setenv("TURS_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.mark.parametrize("changed", ["learn/beam.py", "kernel.py"])
def test_folder_of_compiled_code_follows_kernels_and_options(package, changed):
    before = kernel.cache_folder.__wrapped__()
    assert kernel.cache_folder.__wrapped__() == before
    assert before.is_relative_to(package / "cache")
    (package / changed).write_text("@kernel\ndef other(): ...\n")
    assert kernel.cache_folder.__wrapped__() != before


def test_files_without_kernels_do_not_matter(package):
    before = kernel.cache_folder.__wrapped__()
    (package / "learn" / "settings.py").write_text("beam_width = 10\n")
    assert kernel.cache_folder.__wrapped__() == before
