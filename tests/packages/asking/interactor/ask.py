# Asks for the sum of each line of the input, and writes down what it is told.
import sys


def end(code, words):
    print(words, file=sys.stderr)
    sys.exit(code)


asked, written, answer = sys.argv[1:]
with open(asked) as file:
    questions = file.readlines()
with open(written, "w") as file:
    for question in questions:
        print(question, end="", flush=True)
        told = sys.stdin.readline()
        if not told.strip().lstrip("-").isdigit():
            end(2, "wrong output format " + (ascii(told.strip()) if told else "unexpected end of file"))
        if told.strip() == "99":
            end(3, "FAIL the jury has no opinion of 99")
        file.write(told)
end(0, "ok %d answers" % len(questions))
