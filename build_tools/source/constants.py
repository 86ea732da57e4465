"""Which constants does a program declare, and what are their values, exactly?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from build_tools.source.model import Constant
from build_tools.source.tokens import Scan

if TYPE_CHECKING:
    from tree_sitter import Tree


def read_constants(tree: Tree, scan: Scan, path: str, build: str) -> dict[str, Constant]:
    """(first cut)"""
    return {}
