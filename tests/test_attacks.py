"""Every known attack and fault has a test that bears its id in its name, or a line in docs/security.md.

XR cross-league read, XW cross-league write, PE privilege, ID object rights, CS forged requests, XS injection,
CJ framing, AU sign-in, SL addresses, UP uploads and inputs, RC races, FT faults, DI integrity, LD load,
PV privacy, BK backups.
"""

import re

import pytest

from tests.cases import lines_of, names_of_tests

CASES = """
XR-01 XR-02 XR-03 XR-04 XR-05 XR-06 XR-07 XR-11 XR-12 XR-13 XR-14 XR-16 XR-17 XR-18
XW-01 XW-02 XW-03 XW-04 XW-07 XW-09 XW-11
PE-01 PE-02 PE-03 PE-04 PE-06
ID-01 CS-01 CS-03 XS-01 XS-02 XS-03 XS-05 CJ-01
AU-01 AU-02 AU-03 AU-04 SL-01
UP-01 UP-02 UP-03 UP-04 UP-06 UP-07
RC-01 RC-02 RC-03 RC-04 RC-06 RC-09
FT-01 FT-02 FT-03 FT-04 FT-06 FT-07 FT-08 FT-09 FT-10 FT-12 FT-14 FT-15
DI-01 DI-02 DI-03 DI-04 DI-05 DI-08 DI-09
LD-01 LD-02 LD-03 LD-04 LD-05
PV-01 PV-02 PV-03 PV-04 PV-06 BK-01 BK-02
""".split()  # noqa: SIM905 - as it is read
ID = re.compile(r"_([a-z]{2})_([0-9]{2})(?=_)")


def in_tests() -> set[str]:
    """The ids in the names of all tests."""
    return {f"{kind.upper()}-{number}" for name in names_of_tests() for kind, number in ID.findall(name)}


def in_the_text() -> set[str]:
    """The ids that docs/security.md gives a line."""
    return lines_of("security.md", "[A-Z]{2}-[0-9]{2}")


@pytest.mark.parametrize("case", CASES)
def test_a_case_has_a_test_or_a_line(case: str) -> None:
    assert case in in_tests() | in_the_text()


def test_no_line_speaks_of_an_unknown_case() -> None:
    assert in_the_text() <= set(CASES)
