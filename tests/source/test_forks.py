from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

import pytest

from build_tools.source.forks import LEAST, count_jobs, plan_jobs, share_out

ITEMS = list(range(4 * LEAST))


def run(body: str) -> str:
    """What a process of its own prints: one without the threads of a test's runner."""
    code = textwrap.dedent(body)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stderr == ""
    return done.stdout


def test_each_item_is_worked_on_once_by_several_processes() -> None:
    said = run(
        f"""
        import os
        from build_tools.source.forks import share_out
        parts = share_out({ITEMS}, lambda part: (os.getpid(), list(part)), 3)
        assert parts[0][0] == os.getpid()
        print(len({{process for process, _ in parts}}), sorted(sum((p for _, p in parts), [])))
        """
    )
    assert said == f"3 {ITEMS}\n"


@pytest.mark.parametrize(
    "harm", ["os._exit(3)", "os.kill(os.getpid(), 9)", "1 / 0", "return lambda: 0", "sys.exit(0)"]
)
def test_a_part_whose_fork_failed_is_missing(harm: str) -> None:
    said = run(
        f"""
        import os, sys
        from build_tools.source.forks import share_out
        first = os.getpid()
        def work(part):
            if 1 in part and os.getpid() != first:
                {harm}
            return list(part)
        parts = share_out({ITEMS}, work, 3)
        print([part[0] for part in parts])
        try:
            os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            print("no child is left")
        """
    )
    assert said == "[0, 2]\nno child is left\n"


def test_forks_are_ended_when_their_parent_fails() -> None:
    said = run(
        f"""
        import os, time
        from build_tools.source.forks import share_out
        first, begun = os.getpid(), time.monotonic()
        def work(part):
            if os.getpid() == first:
                raise KeyboardInterrupt
            time.sleep(50)
        try:
            share_out({ITEMS}, work, 3)
        except KeyboardInterrupt:
            print(time.monotonic() - begun < 20)
        try:
            os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            print("no child is left")
        """
    )
    assert said == "True\nno child is left\n"


def test_what_a_fork_prints_is_not_heard() -> None:
    said = run(
        f"""
        import sys
        from build_tools.source.forks import share_out
        print("before", flush=False)
        def work(part):
            if 1 in part:
                print("within"); print("within", file=sys.stderr)
        share_out({ITEMS}, work, 2)
        """
    )
    assert said == "before\n"


def test_large_results_come_whole() -> None:
    said = run(
        f"""
        from build_tools.source.forks import share_out
        parts = share_out({ITEMS}, lambda part: "x" * 3_000_000, 4)
        print([len(part) for part in parts])
        """
    )
    assert said == f"{[3_000_000] * 4}\n"


def test_work_is_done_beside_what_goes_on(tmp_path: Path) -> None:
    said = run(
        f"""
        import os
        from pathlib import Path
        from build_tools.source.forks import start_beside
        goes_on = Path({str(tmp_path / "goes-on")!r})
        def work():
            while not goes_on.exists():
                pass
            goes_on.write_text("done", encoding="utf-8")
        beside = start_beside(work, 2)
        goes_on.touch()
        print(beside.finish(), goes_on.read_text(encoding="utf-8"), beside.finish())
        beside.abandon()
        print(start_beside(work, 1))
        """
    )
    assert said == "True done False\nNone\n"


@pytest.mark.parametrize("harm", ["os._exit(3)", "os.kill(os.getpid(), 9)", "1 / 0", "sys.exit(0)"])
def test_work_beside_that_failed_is_not_done(harm: str) -> None:
    said = run(
        f"""
        import os, sys
        from build_tools.source.forks import start_beside
        def work():
            {harm}
        print(start_beside(work, 2).finish())
        """
    )
    assert said == "False\n"


def test_abandoned_work_ends() -> None:
    said = run(
        """
        import os, time
        from build_tools.source.forks import start_beside
        beside = start_beside(lambda: time.sleep(600), 2)
        beside.abandon()
        try:
            os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            print("no child is left", beside.finish())
        """
    )
    assert said == "no child is left False\n"


def test_nothing_is_forked_beside_threads_or_for_little() -> None:
    # A test's runner has threads.
    def tell(part: Sequence[int]) -> tuple[int, int]:
        return os.getpid(), len(part)

    assert share_out(ITEMS[:LEAST], tell, 8) == [(os.getpid(), LEAST)]
    said = run(
        f"""
        import threading
        from build_tools.source.forks import plan_jobs, start_beside
        print(plan_jobs({LEAST}, 8), plan_jobs({2 * LEAST}, 8), plan_jobs({99 * LEAST}, 8))
        stop = threading.Event()
        threading.Thread(target=stop.wait).start()
        print(plan_jobs({99 * LEAST}, 8), start_beside(print, 8))
        stop.set()
        """
    )
    assert said == "1 2 8\n1 None\n"
    assert plan_jobs(0, 4) == 1


@pytest.mark.parametrize("said", ["", "0", "-1", "many", "1.5", "²"])
def test_jobs_are_a_whole_number_or_one_a_processor(said: str) -> None:
    assert count_jobs({"COURSE_JOBS": said}) == len(os.sched_getaffinity(0))
    assert count_jobs({"COURSE_JOBS": "3"}) == 3
