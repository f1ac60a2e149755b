import re
import sys

text = sys.stdin.read()
if not re.fullmatch(r"(-?(0|[1-9][0-9]{0,5}) (0|[1-9][0-9]{0,5})\n)+", text) or "-0 " in text:
    print("not pairs of numbers", file=sys.stderr)
    sys.exit(3)
