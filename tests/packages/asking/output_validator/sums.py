# Judges what the interactor has written.
import sys

_, output, answer = (open(name).read().split() for name in sys.argv[1:])
for number, (told, right) in enumerate(zip(output, answer), 1):
    if told == "77":
        print("FAIL the jury has no opinion of 77", file=sys.stderr)
        sys.exit(3)
    if told != right:
        print("wrong answer sum", number, "is", right, "and not", told, file=sys.stderr)
        sys.exit(1)
print("ok", len(output), "sums", file=sys.stderr)
sys.exit(0 if len(output) == len(answer) else 3)
