"""What users of such systems have reported has a test with its id in the name, or a line in docs/reports.md.

R1 to R21 the order of games and corrections, to R47 the arithmetic, to R68 standings and prizes, to R75
seasons and time, to R84 entry, to R95 players and names, to R100 leagues apart, to R110 files, to R118 pages,
to R125 the ladder, to R129 what-if and messages.
"""

import re

import pytest

from tests.cases import lines_of, names_of_tests

REPORTS = """
R1 R2 R3 R4 R5 R7 R8 R9 R10 R11 R12 R14 R15 R17 R18 R19 R20 R21 R23 R25 R26 R28 R29 R30 R31 R32 R33
R34 R36 R37 R38 R39 R41 R42 R43 R44 R45 R47 R48 R50 R53 R54 R55 R56 R57 R59 R60 R61 R62 R64 R66 R67
R68 R69 R71 R72 R75 R76 R77 R79 R80 R84 R85 R86 R89 R90 R91 R92 R94 R95 R98 R99 R100 R103 R104 R105
R106 R107 R110 R112 R113 R114 R116 R117 R118 R119 R121 R123 R124 R125 R127 R128 R129
""".split()  # noqa: SIM905 - as it is read
ID = re.compile(r"_(r[0-9]+)(?=_)")


def in_tests() -> set[str]:
    """The ids in the names of all tests."""
    return {found.upper() for name in names_of_tests() for found in ID.findall(name)}


def in_the_text() -> set[str]:
    """The ids that docs/reports.md gives a line."""
    return lines_of("reports.md", "R[0-9]+")


@pytest.mark.parametrize("report", REPORTS)
def test_a_report_has_a_test_or_a_line(report: str) -> None:
    assert report in in_tests() | in_the_text()


def test_no_line_speaks_of_an_unknown_report() -> None:
    assert in_the_text() <= set(REPORTS)
