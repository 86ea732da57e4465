"""A statement that is not true says which of its cases make it so: `course check`, `course eval`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command.asking import ask, make_asked, write_page


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("statements")
    make_asked(root)
    write_page(root, "# Nothing\n")
    return root


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        # Only the case that fails, by its keys.
        ("all(add.speedup[:] > 1.7)", 'at ["small"]: 1.52'),
        (
            'all(add.time[:, "wide"] > add.time[:, "narrow"])',
            'at ["small"]: ',
        ),
        ("all(add.speedup[:] > 1) and add.source.kBlock > 512", "`add.source.kBlock > 512`"),
        ("add.source.kBlock > 512 or any(add.speedup[:] > 3)", '`add.source.kBlock > 512`; at ["'),
        ('all(add.speedup["large"] > 1, 1 > 2)', "`1 > 2`"),
        ('add.speedup["large"] < 1', "2.055 (band 2.0"),
    ],
)
def test_what_is_false(root: Path, statement: str, said: str) -> None:
    status, output = ask(root, "eval", statement)
    assert status == 0
    lines = output.splitlines()
    assert lines[0] == "value:   false"
    (so,) = (line for line in lines if line.startswith("so:"))
    assert so.startswith(f"so:      {said}")


def test_check_says_at_which_keys(root: Path) -> None:
    write_page(root, "It wins [everywhere](claim:all(add.speedup[:] > 1.7)), it does.\n")
    _, output = ask(root, "check", "docs/page.md")
    true = '`all(add.speedup[:] > 1.7)` is false at ["small"]: 1.5'
    assert f"true:     {true}" in output
    assert '["large"]' not in output
    write_page(root, "It wins [everywhere](claim:all(add.speedup[:] > 1.525)), it does.\n")
    _, output = ask(root, "check", "docs/page.md")
    assert ": ambiguous\n" in output
    assert 'cannot be decided, the bands overlap at ["small"]: 1.5' in output


def test_what_is_true_or_exact_has_no_cases(root: Path) -> None:
    for statement in ("all(add.speedup[:] > 1)", "1 > 2"):
        assert "so:" not in ask(root, "eval", statement)[1]


def test_many_cases_are_cut(root: Path) -> None:
    _, output = ask(
        root,
        "eval",
        "all(add.time[:] > 2 * max(add.time[:])) and all(add.rate[:] < 0 * min(add.rate[:]))",
    )
    (so,) = (line for line in output.splitlines() if line.startswith("so:"))
    assert so.count("at [") == 4
    assert so.endswith("; and 4 more")
    assert 'at ["small", "narrow"]: ' in so


def test_a_statement_holds_no_number(root: Path) -> None:
    statements = {
        "wide is ⁵⁰× as fast": "⁵⁰×",
        "wide and #50 are faster": "50",
        "wide is (50, 2) times as fast": "50",
        "wide is x50 as fast": "50",
        "wide is X50 as fast": "X50",
        "wide beats H200-50 ms": "50 ms",
        "wide beats kernel_4.2 ms": "4.2 ms",
        "wide wins in 2019": "2019",
        "wide wins on Day 16": "16",
    }
    lines = [f'It says [{text}](claim:add.speedup["large"] > 1).\n' for text in statements]
    names = "The [float32 kernel on sm_90 with L2 and x86 wins]"
    write_page(root, "\n".join([*lines, f'{names}(claim:add.speedup["large"] > 1).\n']))
    _, output = ask(root, "check", "docs/page.md")
    assert output.count("which its expression does not check") == len(statements)
    for index, number in enumerate(statements.values()):
        assert f"docs/page.md:{2 * index + 1}:9: type" in output
        assert f"the statement holds the number `{number}`" in output
    assert "bind the number in a link of its own, and keep the statement in words" in output
