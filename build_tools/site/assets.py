"""Which scripts do the blocks of a site need, and where does it hold them?"""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel

import build_tools.pages
from build_tools.diagnostics.finding import Finding, Kind, Place

FOLDER = "assets/course/"
CHART = f"{FOLDER}chart.js"
"""The script that pages load; it loads what lies beside it where a chart is seen."""

_CHART = re.compile(r"^[ \t>]*/{3,}[ \t]*chart[ \t]*\|", re.MULTILINE)


def list_chart_files() -> dict[str, Path]:
    """What charts need: by place in the site, where each file lies."""
    folder = Path(build_tools.pages.__file__).parent / "assets"
    return {f"{FOLDER}{path.name}": path for path in sorted(folder.iterdir())}


def add_chart_files(files: Files, config: MkDocsConfig) -> list[Finding]:
    """Add the scripts of charts to a site with a chart; a finding for each whose place is taken."""
    if not any(_CHART.search(file.content_string) for file in files.documentation_pages()):
        return []
    findings = []
    for place, path in list_chart_files().items():
        if files.get_file_from_path(place) is not None:
            stated = Place(f"{Path(config.docs_dir).name}/{place}")
            said = "a file of the docs folder", "charts need a file of this name", "rename yours"
            findings.append(Finding(Kind.PAGE, stated, *said))
            continue
        level = InclusionLevel.INCLUDED
        file = File.generated(config, place, abs_src_path=str(path), inclusion=level)
        files.append(file)
    if CHART not in config.extra_javascript:
        config.extra_javascript.append(CHART)
    return findings
