# ruff: noqa: INP001 - a script beside another
"""Draws the picture that stands beside a link to the site: docs/assets/card.png.

    CHROMIUM="$(.ci/prepare browser)" .venv/bin/python .ci/draw_card.py docs/assets/card.png

It is drawn once and kept in the tree: fonts differ from machine to machine, and no build should
need a browser. Only the words and shapes below are in it.
"""

import os
import sys

from playwright.sync_api import sync_playwright

SIZE = {"width": 1200, "height": 630}
"""What those who show links ask for, in pixels."""

PICTURE = """
<!doctype html>
<style>body { margin: 0 }</style>
<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630" viewBox="0 0 1200 630"
     font-family="DejaVu Sans, sans-serif" fill="#fff">
  <rect width="1200" height="630" fill="#004d40"/>
  <rect width="1200" height="12" y="618" fill="#80cbc4"/>
  <text x="80" y="190" font-size="84" font-weight="700">CUDA, measured</text>
  <g font-size="36" fill="#e0f2f1">
    <text x="80" y="290">Every kernel is what ran.</text>
    <text x="80" y="345">Every number is what was measured.</text>
    <text x="80" y="400">Every proof is one hover away.</text>
  </g>
  <g stroke="#80cbc4" stroke-width="4" fill="none">
    <path d="M860 560 H1130" />
  </g>
  <g fill="#4db6ac">
    <rect x="880" y="460" width="60" height="98"/>
    <rect x="965" y="390" width="60" height="168"/>
    <rect x="1050" y="270" width="60" height="288"/>
  </g>
  <g stroke="#fff" stroke-width="4" fill="none">
    <path d="M910 446 V474 M898 446 H922 M898 474 H922"/>
    <path d="M995 372 V408 M983 372 H1007 M983 408 H1007"/>
    <path d="M1080 256 V284 M1068 256 H1092 M1068 284 H1092"/>
  </g>
</svg>
"""


def main(target: str) -> None:
    """Write the picture to ``target``."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM") or None, args=["--no-sandbox"]
        )
        page = browser.new_page(viewport=SIZE)
        page.set_content(PICTURE)
        page.screenshot(path=target)
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
