import sys


def end(code, words):
    with open(sys.argv[3] + "judgemessage.txt", "a") as file:
        print(words, file=file)
    with open(sys.argv[3] + "teammessage.txt", "a") as file:
        print("after", turns, "guesses:", words.split(":")[0], file=file)
    sys.exit(code)


with open(sys.argv[1]) as file:
    most, secret = map(int, file.read().split())
turns = 0
print(most, flush=True)
while turns < 10:
    line = sys.stdin.readline()
    if not line.endswith("\n"):
        end(43, "the guesses end")
    turns += 1
    try:
        guess = int(line)
    except ValueError:
        end(43, "no number: " + ascii(line[:20]))
    if guess == -1:
        # The problem's own program fails.
        sys.exit(3)
    if guess == secret:
        print("right", flush=True)
        if sys.stdin.readline():
            end(43, "more guesses than needed")
        end(42, "found")
    print("higher" if guess < secret else "lower", flush=True)
print("wrong", flush=True)
end(43, "too many guesses")
