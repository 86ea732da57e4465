"""What does a learner of CUDA find on our own site by the words of its code, and what first?"""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.browser

DAY_15 = "lessons/day-15-tiling-traffic/"
DAY_16 = "lessons/day-16-tiled-matmul/"
DAY_17 = "lessons/day-17-wmma/"
REGION = "programs/tiled_matmul/#region-tiled-kernel"
WMMA_REGION = "programs/wmma_matmul/#region-wmma-kernel"

FIRST = {
    "tiled-kernel": REGION,
    "naive-kernel": "programs/tiled_matmul/#region-naive-kernel",
    "wmma-kernel": WMMA_REGION,
    "matmulTiled": REGION,
    "two-per-thread": f"{DAY_16}#exercise-tiled_matmul-two-per-thread",
    "leave-too-early": f"{DAY_16}#exercise-tiled_matmul-leave-too-early",
    "four-tiles": f"{DAY_17}#exercise-wmma_matmul-four-tiles",
    "load_matrix_sync": WMMA_REGION,
    "mma_sync": WMMA_REGION,
    "wmma::mma_sync(": WMMA_REGION,
    "shfl_down_sync": "programs/ceilings/#region-read-kernel",
    "__shared__": DAY_15,
    "float4*": "programs/ceilings/#region-add-kernel",
    "cudaEventRecord": "programs/ceilings/#region-held-timing",
}
"""The best hit of each query."""

NAIVE_REGIONS = {
    "programs/tiled_matmul/#region-naive-kernel",
    "programs/tiling_traffic/#region-naive-kernel",
}
"""A kernel's name stands in two programs, and longer ones begin with it."""

FOUND = {
    "syncthreads": {f"{DAY_16}#a-tile-shared-by-a-block", REGION},
    "__syncthreads()": {f"{DAY_16}#a-tile-shared-by-a-block", REGION},
    "load_matrix_sync": {f"{DAY_17}#a-warp-a-tile", WMMA_REGION},
    "mma_sync": {f"{DAY_17}#a-warp-a-tile", WMMA_REGION},
    "blockIdx.x": {"programs/tiled_matmul/#region-naive-kernel"},
}
"""Places that are among the hits of each query."""


def ask(page: Page, query: str) -> None:
    """Ask for the whole query at once: each key asks, and would bring hits of its own."""
    field = page.locator("[data-md-component=search-query]")
    field.fill(query)
    field.press("Shift")


def find_hits(browser: Browser, address: str, query: str) -> dict[str, float]:
    """Where each hit leads, without what it marks there, and its score."""
    page = browser.new_page()
    page.goto(address)
    ask(page, query)
    expect(page.locator(".md-search-result__article").first).to_be_attached()
    hits = page.locator(".md-search-result__link").evaluate_all(
        """links => links.map(link => {
            const url = new URL(link.href);
            const score = link.firstElementChild.getAttribute("data-md-score");
            return [url.pathname.slice(1) + url.hash, Number(score)];
        })"""
    )
    page.close()
    return dict(hits)


@pytest.mark.parametrize("query", FIRST)
def test_the_first_hit_is_what_was_asked_for(browser: Browser, address: str, query: str) -> None:
    hits = find_hits(browser, address, query)
    assert max(hits, key=lambda place: hits[place]) == FIRST[query]


def test_a_kernel_comes_before_those_whose_names_begin_with_its(
    browser: Browser, address: str
) -> None:
    hits = find_hits(browser, address, "matmulNaive")
    order = sorted(hits, key=lambda place: hits[place], reverse=True)
    assert set(order[:2]) == NAIVE_REGIONS


def test_a_word_is_explained_before_formulas_that_hold_it(browser: Browser, address: str) -> None:
    hits = find_hits(browser, address, "wavefront")
    order = sorted(hits, key=lambda place: hits[place], reverse=True)
    assert order[0].startswith("lessons/")
    assert order.index(f"{DAY_15}#what-the-times-follow") < min(
        place for place, hit in enumerate(order) if hit.endswith("#quantities")
    )


@pytest.mark.parametrize("query", FOUND)
def test_names_of_code_are_found(browser: Browser, address: str, query: str) -> None:
    assert FOUND[query] <= find_hits(browser, address, query).keys()


def test_nothing_is_found_that_is_not_there(browser: Browser, address: str) -> None:
    page = browser.new_page()
    page.goto(address)
    ask(page, "cudaNoSuchThing")
    expect(page.locator(".md-search-result__meta")).to_have_text("No matching documents")
    page.close()
