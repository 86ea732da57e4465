"""Which calls between two events are no part of what is timed?"""

import pytest

from build_tools.source.timed_calls import check_timed_calls
from build_tools.source.tokens import scan_source

BEGIN, END = "cudaEventRecord(a);", "CUDA_CHECK(cudaEventRecord(b));"


def find(body: str) -> list[str]:
    findings = check_timed_calls(scan_source(f"void f() {{\n{body}\n}}\n"), "add.cu")
    return [finding.stated for finding in findings]


@pytest.mark.parametrize(
    ("body", "names"),
    [
        (f"{BEGIN} CUDA_CHECK(cudaMalloc(&p, 4)); {END}", ["cudaMalloc"]),
        (f"{BEGIN} for (;;) {{ evictL2<<<1, 2>>>(); k<<<1, 2>>>(); }} {END}", ["evictL2"]),
        (f"{BEGIN} cudaFreeAsync(p, s); cudaMemset(p, 0, 4); {END}", ["cudaFreeAsync", "cudaMemset"]),
        (f"{BEGIN} k<<<1, 2>>>(); {END} cudaFree(p);", []),
        (f"cudaMalloc(&p, 4); {BEGIN} k<<<1, 2>>>(); {END}", []),
        (f"{BEGIN} k(); {END} flush(); {BEGIN} k(); {END}", []),
        (f"{BEGIN} k(); {END} k(); {BEGIN} flush(); {END}", ["flush"]),
        (f"{BEGIN} cudaMemcpy(p, q, 4, kind); {END}", []),
        (f"{BEGIN} // cudaMalloc(&p, 4)\n k(); {END}", []),
        (f"{BEGIN} std::fflush(stdout); {END}", []),
        (f"{BEGIN} }} void g() {{ cudaMalloc(&p, 4);", []),
    ],
)  # fmt: skip
def test_what_stands_between_two_events(body: str, names: list[str]) -> None:
    assert find(body) == [f"`{name}` between two events" for name in names]
