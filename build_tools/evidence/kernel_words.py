"""How is the compiler's word on a kernel said to people, where it differs from a record's?"""

from __future__ import annotations

from collections.abc import Sequence

from build_tools.evidence.model import KernelFacts

_WORDS = {
    "registers": "{} registers",
    "shared_bytes": "{} bytes of shared memory",
    "constant_bytes": "{} bytes of constant memory",
    "stack_bytes": "{} bytes of stack",
    "spill_store_bytes": "{} bytes of spill stores",
    "spill_load_bytes": "{} bytes of spill loads",
}


def describe_difference(stated: KernelFacts | None, true: KernelFacts | None) -> tuple[str, str]:
    """What a record and a compiler's report say of one kernel, as far as they differ."""
    names = [
        name
        for name in _WORDS
        if stated is None or true is None or getattr(stated, name) != getattr(true, name)
    ]
    return _say(stated, names), _say(true, names)


def _say(facts: KernelFacts | None, names: Sequence[str]) -> str:
    if facts is None:
        return "nothing"
    return ", ".join(_WORDS[name].format(getattr(facts, name)) for name in names)
