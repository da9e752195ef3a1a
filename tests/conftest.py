"""Settings for all tests: time is never asserted, so no example has a deadline; CI draws the same examples always."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

_CALM = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.differing_executors]

settings.register_profile("local", deadline=None, suppress_health_check=_CALM, max_examples=50)
settings.register_profile("thorough", parent=settings.get_profile("local"), max_examples=2_000)
settings.register_profile("ci", parent=settings.get_profile("local"), derandomize=True, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "local"))
