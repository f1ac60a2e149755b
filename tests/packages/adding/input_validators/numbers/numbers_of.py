import re


def numbers(text):
    assert re.fullmatch(r"[0-9]+ [0-9]+\n", text), "two numbers in one line"
    return map(int, text.split())
