"""Hypothesis for the engine's tests: no deadlines, since two cores are shared; failures print how to repeat them."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "engine", deadline=None, max_examples=50, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("engine")
