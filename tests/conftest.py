"""What holds for all tests: the first call of a kernel compiles it, so no example has a deadline."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("turs", deadline=None)
settings.load_profile("turs")
