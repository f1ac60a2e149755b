"""Says whether standard input is a valid input: exit code 42 if it is, 43 and the reason if not."""

import re
import sys

LINES = sys.stdin.buffer.read().split(b"\n")
at = 0


def refuse(reason):
    print(f"line {max(at, 1)}: {reason}")
    sys.exit(43)


def line(pattern, what):
    """The next line, which has to be this."""
    global at
    at += 1
    if at >= len(LINES):
        refuse(f"the input ends where {what} should stand")
    found = re.fullmatch(pattern, LINES[at - 1])
    return found or refuse(f"{what} should stand here")


def end():
    if LINES[at:] != [b""]:
        refuse("nothing may follow the last line")
    sys.exit(42)


