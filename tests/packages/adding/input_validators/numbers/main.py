import sys

from numbers_of import numbers

most = int(sys.argv[1].removeprefix("most="))
for number in numbers(sys.stdin.read()):
    if not 1 <= number <= most:
        print(f"line 1: {number} is not from 1 to {most}", file=sys.stderr)
        sys.exit(1)
sys.exit(42)
