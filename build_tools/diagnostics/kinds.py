"""What does each kind of finding mean, and what does one do about it?

Said once, for the formats that name their rules and for the reference.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from build_tools.diagnostics.finding import Kind


@dataclass(frozen=True)
class Meaning:
    """A kind in a few words, in a sentence or two, and the way out; ticks mark code."""

    short: str
    full: str
    help: str


MEANINGS: Mapping[Kind, Meaning] = {
    Kind.PROGRAM: Meaning(
        "A program cannot be taken as one.",
        "A folder of `snippets/` is no program, a program's file cannot be read, or an include of "
        "it does not lie in the tree.",
        "Each program is one file `snippets/NAME/NAME.cu`; put missing files there or correct "
        "their names.",
    ),
    Kind.ENCODING: Meaning(
        "A file is not plain UTF-8 text.",
        "A byte of the file is not UTF-8, or it holds a control character that no text holds.",
        "Save the file as UTF-8 and remove the byte at the place.",
    ),
    Kind.MARKER: Meaning(
        "A comment looks like a marker and is none.",
        "Markers are whole lines: `// snippet: NAME` and `// end snippet` or `// end snippet: "
        "NAME` around a region, `// solution: NAME`, `// starter: LINE` and `// end solution` "
        "around what an exercise leaves to the reader.",
        "Correct the marker, or reword the comment so that it does not look like one.",
    ),
    Kind.REGION: Meaning(
        "A region does not open and close as it must.",
        "A region is not closed, opened twice or empty, or an end marker closes nothing.",
        "Close each region once, around lines of code, and give it a name of its own.",
    ),
    Kind.EXERCISE: Meaning(
        "An exercise's markers do not make a starter.",
        "A solution is not closed, holds no code, reaches over the end of a region or into "
        "another solution, or what stands in its place is the same code.",
        "Close each solution once, around code within one region, and say behind `// starter:` "
        "what stands there instead.",
    ),
    Kind.HEADER: Meaning(
        "A program's header does not say how it is built and run.",
        "The leading comment names the commands behind `Build:` and `Run:`; both must be there "
        "and readable, and the build no debug build.",
        "Write or correct the line of the header.",
    ),
    Kind.DECLARATION: Meaning(
        "`program.toml` declares something that cannot be.",
        "The file is not TOML, or a table, line, quantity, requirement, run or region in it is "
        "not as it must be.",
        "Correct the entry at the place.",
    ),
    Kind.SETTINGS: Meaning(
        "A setting is not one of those there are.",
        "`course.toml`, or a variable of the environment, holds a name or a value that is not "
        "known.",
        "Correct the setting.",
    ),
    Kind.BOILERPLATE: Meaning(
        "Copies of shared host code differ.",
        "Host regions of one name, in different programs, are meant to be identical.",
        "Make them identical, or rename one of them.",
    ),
    Kind.FACT: Meaning(
        "A cited fact is not as it must be.",
        "An entry of `snippets/quantities.toml` lacks a value, unit, source, quote or date, or "
        "its quote does not hold its value.",
        "Complete the entry from its source.",
    ),
    Kind.UNUSED: Meaning(
        "Something is kept that no page uses.",
        "A region that no page shows, or a fact or quantity that nothing cites, drifts unseen.",
        "Use it on a page, or remove it.",
    ),
    Kind.RECORD: Meaning(
        "A record does not hold together.",
        "Its JSON, its seals and the files it names must agree, its values must follow from its "
        "transcripts, and it must rest on enough processes.",
        "Restore the record from version control, or measure again with `course run`.",
    ),
    Kind.TRANSCRIPT: Meaning(
        "A transcript does not read as `program.toml` declares it.",
        "A declared table or line is not printed, or something is printed that is not declared.",
        "Bring the declaration and what the program prints together.",
    ),
    Kind.STAMP: Meaning(
        "A header's Verified paragraph does not agree with the record it names.",
        "The paragraph and the README beside the evidence are written by recording; somebody "
        "changed one of them, or the record.",
        "Restore the text, or record again.",
    ),
    Kind.STALE: Meaning(
        "The evidence belongs to an older state of the program.",
        "The program's code, commands or requirements changed after its record was made, so that "
        "nothing on the page is backed by the code it shows.",
        "Run `course run PROGRAM` on the reference GPU.",
    ),
    Kind.MISSING: Meaning(
        "There is no evidence.",
        "The program was never recorded on the reference device, or a file that its record names "
        "is gone.",
        "Run `course run PROGRAM` on the reference GPU, or restore the file.",
    ),
    Kind.ORPHAN: Meaning(
        "Evidence belongs to nothing.",
        "A file below `evidence/` is named by no record, or its program is gone.",
        "Remove it, or restore what it belongs to.",
    ),
    Kind.BUILD: Meaning(
        "A program does not compile as it says.",
        "Its own command fails, or compiles it with warnings.",
        "Correct the program, or its Build line.",
    ),
    Kind.RUN: Meaning(
        "A program does not run as it says.",
        "It cannot be started, fails, hangs, does not print the same things in each process, or "
        "prints what may not be published.",
        "Run it by hand in its folder, and correct it.",
    ),
    Kind.DEVICE: Meaning(
        "The device here cannot give the evidence.",
        "There is no GPU or driver, it is not the one the course speaks of, or it did not run at "
        "rest.",
        "Run on the reference device, with nothing else on it.",
    ),
    Kind.CHECK: Meaning(
        "The reader's check of a program fails.",
        "`check.py` compiles what a reader can copy and compares it with an independent "
        "computation.",
        "Correct the region or its declared needs, then record again.",
    ),
    Kind.DIRECTIVE: Meaning(
        "A block of a page cannot be shown.",
        "Its name, its options, or the program, region or table that it embeds is not there, or "
        "it is not closed.",
        "Correct the block.",
    ),
    Kind.LINK: Meaning(
        "A claim is not written as a link that can be read.",
        "A claim is `[text](claim:expression)` on one line, outside other links and images.",
        "Write it so.",
    ),
    Kind.EXPRESSION: Meaning(
        "What a claim cites has no value.",
        "A name is not known, units do not fit, or the expression is not in the language.",
        "Correct the expression; `course list` shows what can be cited, `course eval` its value.",
    ),
    Kind.UNREADABLE: Meaning(
        "A claim's text does not read as one printed number.",
        "The text is a hedge, a number, a unit, and nothing else.",
        "Keep only the number and its unit in the link.",
    ),
    Kind.UNIT: Meaning(
        "Text and value speak of different units.",
        "A number with a unit must have the dimensions of its value.",
        "Write the value's unit, or cite another value.",
    ),
    Kind.TYPE: Meaning(
        "Text and expression are of different sorts.",
        "A number needs an expression with a value, a sentence one that is true or false, and "
        "`stated:` no measurement. An expression that would say the same whatever was measured "
        "proves nothing but a count.",
        "Bind the text to an expression of its own sort.",
    ),
    Kind.DRIFT: Meaning(
        "A printed number is not what was measured.",
        "The text is not the rounding of the value of any fresh record, or the newest band lies "
        "beyond it.",
        "Write the number that is true, or find out what changed.",
    ),
    Kind.OVER_PRECISE: Meaning(
        "A number has more digits than the measurement.",
        "The middle half of the processes lies more than two units of the last digit apart.",
        "Write one digit less.",
    ),
    Kind.LOOSE: Meaning(
        "A bound or a range is so wide that it says nothing.",
        "The value is off the bound by a factor of two or more, a range is wider than three bands "
        "and a tenth of the value, or a range stands for a value that is exact.",
        "Write a bound nearer the value.",
    ),
    Kind.AMBIGUOUS: Meaning(
        "A comparison cannot be decided.",
        "The bands of its two sides overlap, so the next run may turn it around; or they do not, "
        "but in clock cycles they do.",
        "Say that they are the same within the spread, with `same(a, b)`, or leave it out.",
    ),
    Kind.FALSE: Meaning(
        "A statement is false.",
        "The expression behind it is false for the newest evidence or comes to another word, or "
        "the words around it speak of another GPU or of other caches than it was measured with.",
        "Change the sentence, or find out what changed.",
    ),
    Kind.HEDGE: Meaning(
        "A hedge stands outside the link.",
        "Words such as *about* or *at least* change what a number says, and are judged with it.",
        "Move the word into the link.",
    ),
    Kind.SANITY: Meaning(
        "Something was measured that cannot be.",
        "A rate lies above its peak, a rate of DRAM moves no more than the L2 cache holds, a "
        "counter lies too far from what a formula says, or a program allocates memory or empties "
        "a cache between the events that time its kernel.",
        "Find out what was measured, or mend the rule in `program.toml`.",
    ),
    Kind.UNBOUND: Meaning(
        "A number is bound to nothing.",
        "Every number of the prose is bound to evidence, to a cited fact, or marked as a choice.",
        "Put it into a link: `claim:`, `given:` or `stated:`.",
    ),
    Kind.PAGE: Meaning(
        "A page cannot be read, or the built page does not show what the course holds.",
        "The pages are read before they are built, and the built ones are compared with programs, "
        "evidence and claims.",
        "Correct the page, and build the site again.",
    ),
}
"""The meaning of every kind."""
