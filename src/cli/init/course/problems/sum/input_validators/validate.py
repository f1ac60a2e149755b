"""Exit code 42 means that the input is valid; what is printed is the reason why it is not."""
import re
import sys


def refuse(line, reason):
    print(f"line {line}: {reason}")
    sys.exit(43)


def main():
    lines = sys.stdin.read().split("\n")
    if len(lines) != 3 or lines[2]:
        refuse(len(lines), "there must be two lines, and a line feed at the end of each")
    if not re.fullmatch("0|[1-9][0-9]{0,5}", lines[0]) or int(lines[0]) > 100_000:
        refuse(1, "n must be a whole number from 0 to 100000")
    numbers = lines[1].split(" ") if lines[1] else []
    if len(numbers) != int(lines[0]):
        refuse(2, f"there must be {lines[0]} numbers, and there are {len(numbers)}")
    for number in numbers:
        if not re.fullmatch("0|-?[1-9][0-9]{0,9}", number) or abs(int(number)) > 10**9:
            refuse(2, f"{number!r} is not a whole number between -10^9 and 10^9")
    sys.exit(42)


main()
