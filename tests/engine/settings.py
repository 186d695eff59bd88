"""Random settings of the lab `batch-step`, over the whole domain and not only where its sliders go."""

from typing import Any

from hypothesis import strategies as st

from engine import catalogue
from engine.labs import lab

LAB = lab("batch-step")
TP = (1, 2, 4, 8, 16, 32)


def counts(last: int) -> st.SearchStrategy[int]:
    """Whole numbers from 1, small and large ones equally likely."""
    return st.one_of(
        st.integers(1, 64), st.sampled_from([2**k for k in range(24) if 2**k <= last]), st.integers(1, last)
    )


@st.composite
def settings(draw: st.DrawFn, **fixed: Any) -> dict[str, Any]:
    """Parsed inputs of a setting that the lab takes; `fixed` inputs stay as given."""
    gpu = draw(st.sampled_from(sorted(catalogue.gpus())))
    model = draw(st.sampled_from(sorted(catalogue.models())))
    chosen = {"gpu": gpu, "model": model} | fixed
    heads = catalogue.model(chosen["model"]).given()["query_heads"]
    drawn = {
        "batch": draw(counts(1_000_000)),
        "context": draw(counts(10_000_000)),
        "weights": draw(st.sampled_from(catalogue.gpu(chosen["gpu"]).precisions)),
        "kv": draw(st.sampled_from(["bf16", "fp8"])),
        "tp": draw(st.sampled_from([n for n in TP if heads % n == 0])),
        "memory_fraction": draw(st.floats(0.01, 1)),
        "reserve_gb": draw(st.one_of(st.just(4), st.floats(0, 1e4))),
        "block": draw(counts(1024)),
    }
    return LAB.parse(drawn | chosen)


def values(inputs: dict[str, Any]) -> dict[str, Any]:
    """Every quantity of the lab for parsed inputs, in base units."""
    return LAB.plan(inputs).evaluate(LAB.given(inputs))
