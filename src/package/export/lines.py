"""Compares an output with the answer line by line; white space at the end of a line and of the output
does not count. Exit code 42: they are the same; 43: they are not."""

import pathlib
import sys


def lines(text):
    return [line.rstrip() for line in text.rstrip().split(b"\n")]


expected, printed = lines(pathlib.Path(sys.argv[2]).read_bytes()), lines(sys.stdin.buffer.read())
if expected == printed:
    sys.exit(42)
same = next((at for at, (one, other) in enumerate(zip(expected, printed)) if one != other), None)
number = 1 + (min(len(expected), len(printed)) if same is None else same)
pathlib.Path(sys.argv[3], "judgemessage.txt").write_text(f"line {number} is another one\n")
sys.exit(43)
