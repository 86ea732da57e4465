"""Does evidence name nobody?"""

import getpass
import socket

import pytest

from build_tools.evidence.privacy import find_own_names, find_private


@pytest.mark.parametrize(
    ("line", "column", "what"),
    [
        ("uuid GPU-5f1d2c3b-aaaa-bbbb-cccc-1234567890ab", 6, "a GPU's UUID"),
        ("MIG-5f1d2c3b-aaaa-bbbb-cccc-1234567890ab", 1, "a GPU's UUID"),
        ("Serial Number : 1654922006536", 1, "a serial number"),
        ('"serial": "1654922006536"', 2, "a serial number"),
        ("reading /home/ada/data.bin", 9, "a home folder"),
        ("reading /Users/ada/data.bin", 9, "a home folder"),
        ("reading /root/data.bin", 9, "a home folder"),
        (r"reading C:\Users\ada\data.bin", 9, "a home folder"),
        ("running on node17.example.org", 12, "a host or user name"),
        ("user=ada_l", 6, "a host or user name"),
    ],
)
def test_what_names_somebody_is_found(line: str, column: int, what: str) -> None:
    (finding,) = find_private(f"first\n{line}\n", "t.txt", {"node17", "ada_l"})
    assert str(finding.place) == f"t.txt:2:{column}"
    assert finding.stated == f"{what} stands here"
    assert "measure again" in finding.advice
    for word in ("ada", "node17", "1654922006536", "5f1d2c3b"):
        assert word not in str(finding)


@pytest.mark.parametrize(
    "line",
    [
        "evidence/add/nvidia-h200/run.txt",  # the host's name is h200
        "serial code: 12 steps, serial: 3.5 ms",
        "snippets/home/x and https://example.org/home/bob",
        "ada_lovelace",
        "GPU-bound, GPU-0",
    ],
)
def test_what_names_nobody_is_left(line: str) -> None:
    assert not find_private(line, "t.txt", {"h200", "ada"})


def test_this_machines_own_names_are_refused() -> None:
    names = find_own_names()
    for name in (socket.gethostname(), getpass.getuser()):
        if name in names:
            (finding,) = find_private(f"x {name} y", "t.txt")
            assert finding.place.column == 3
    assert "root" not in names
    assert "localhost" not in names
