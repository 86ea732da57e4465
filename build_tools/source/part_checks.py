"""Do the parts that a program declares speak of kernels, regions and texts that it has?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from build_tools.diagnostics.finding import Finding, Kind, Place, suggest_names
from build_tools.source.line_rules import find_fields, is_measured
from build_tools.source.model import Declaration, Region
from build_tools.source.mutants import PatchError, mutate_text
from build_tools.source.part_rules import ListingRule, MutantRule, PartRules
from build_tools.source.tokens import scan_source


def check_parts(
    declaration: Declaration, text: str, regions: Mapping[str, Region], kernels: Mapping[str, int]
) -> tuple[PartRules, list[Finding]]:
    """The parts that can be made, and what is wrong with the others; ``text`` is the program's.

    A listing without kernels gets those that its region defines.
    """
    parts = declaration.parts
    findings: list[Finding] = []
    counters = {}
    for name, session in parts.counters.items():
        wrong = list(_check_kernels(session.kernels, session.kernel_places, kernels))
        findings += wrong
        if not wrong:
            counters[name] = session
    mutants = {}
    for name, mutant in parts.mutants.items():
        wrong = _check_mutant(mutant, text, regions)
        findings += wrong
        if not wrong:
            mutants[name] = mutant
    listings = {}
    for name, listing in parts.listings.items():
        filled, wrong = _check_listing(listing, regions, kernels)
        findings += wrong
        if not wrong:
            listings[name] = filled
    findings += _check_again(declaration)
    findings += _check_samples(declaration)
    checked = replace(parts, counters=counters, mutants=mutants, listings=listings)
    return checked, findings


def _check_kernels(
    names: Sequence[str], places: Sequence[Place], kernels: Mapping[str, int]
) -> Iterable[Finding]:
    for name, place in zip(names, places, strict=True):
        if name not in kernels:
            true = "the program defines no `__global__` function of this name"
            advice = suggest_names(name, kernels)
            yield Finding(Kind.DECLARATION, place, f"kernel `{name}`", true, advice)


def _check_mutant(rule: MutantRule, text: str, regions: Mapping[str, Region]) -> list[Finding]:
    region = regions.get(rule.region)
    stated = f"mutant `{rule.name}`"
    if region is None:
        true = f"the program has no region `{rule.region}`"
        advice = suggest_names(rule.region, regions)
        return [Finding(Kind.DECLARATION, rule.region_place, stated, true, advice)]
    try:
        mutate_text(text, region, rule)
    except PatchError as error:
        return [Finding(Kind.DECLARATION, rule.replace_place, stated, str(error), error.advice)]
    # A region is read apart from its program: reading all of it for each mutant takes long.
    codes = (region.undedented, region.undedented.replace(rule.replace, rule.replacement))
    before, after = ([token.text for token in scan_source(code).tokens] for code in codes)
    if before == after:
        true = "it changes comments or spacing only, so the program stays the same"
        return [
            Finding(Kind.DECLARATION, rule.replace_place, stated, true, "change the code itself")
        ]
    return []


def _check_listing(
    rule: ListingRule, regions: Mapping[str, Region], kernels: Mapping[str, int]
) -> tuple[ListingRule, list[Finding]]:
    region = regions.get(rule.region)
    stated = f"listing `{rule.region}`"
    if region is None:
        advice = suggest_names(rule.region, regions)
        true = "the program has no such region"
        return rule, [Finding(Kind.DECLARATION, rule.place, stated, true, advice)]
    if rule.kernels:
        return rule, list(_check_kernels(rule.kernels, rule.kernel_places, kernels))
    numbers = {line.number for line in region.lines}
    defined = tuple(name for name, line in kernels.items() if line in numbers)
    if not defined:
        true = "the region defines no `__global__` function, so it has no machine code of its own"
        advice = 'name those that use it, `kernels = ["NAME"]`, or remove the listing'
        return rule, [Finding(Kind.DECLARATION, rule.place, stated, true, advice)]
    return replace(rule, kernels=defined), []


def _check_again(declaration: Declaration) -> Iterable[Finding]:
    keys = {c.name for table in declaration.tables for c in table.columns if c.is_key}
    keys |= {
        name
        for line in declaration.lines
        for name, field_type in find_fields(line.pattern)
        if not is_measured(field_type)
    }
    for rule in declaration.parts.again.values():
        if rule.column not in keys:
            yield Finding(
                Kind.DECLARATION,
                rule.place,
                f"`[again.{rule.column}]`",
                "no table and no line has a key of this name",
                suggest_names(rule.column, keys),
            )


def _check_samples(declaration: Declaration) -> Iterable[Finding]:
    rule = declaration.parts.samples
    if rule is None:
        return
    measured = {c.name for table in declaration.tables for c in table.columns if not c.is_key} | {
        name
        for line in declaration.lines
        for name, field_type in find_fields(line.pattern)
        if is_measured(field_type)
    }
    if rule.of not in measured:
        true = "no column and no line measures this"
        advice = suggest_names(rule.of, measured)
        yield Finding(Kind.DECLARATION, rule.of_place, f'`of = "{rule.of}"`', true, advice)
