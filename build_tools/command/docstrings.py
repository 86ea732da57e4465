"""What does the code say under a field, in the docstring that Python itself throws away?"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from functools import cache
from itertools import pairwise


@cache
def read_attribute_docs(shape: type) -> dict[str, str]:
    """The text under each attribute of a class that has one, white space folded.

    Empty for a type that no source defines.
    """
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(shape)))
    except (OSError, TypeError):
        return {}
    described: dict[str, str] = {}
    for node in tree.body:
        for statement, following in pairwise(node.body if isinstance(node, ast.ClassDef) else []):
            if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
                text = str(following.value.value)
                described |= dict.fromkeys(_list_names(statement), " ".join(text.split()))
    return described


def _list_names(statement: ast.stmt) -> Iterator[str]:
    targets: list[ast.expr] = []
    if isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    elif isinstance(statement, ast.Assign):
        targets = statement.targets
    yield from (target.id for target in targets if isinstance(target, ast.Name))
