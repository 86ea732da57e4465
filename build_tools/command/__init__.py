"""The command line: what an author or a publisher asks of the tools, and with which status."""

from build_tools.command.main import main

__all__ = ["main"]
