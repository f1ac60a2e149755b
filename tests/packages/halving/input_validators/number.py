import sys

text = sys.stdin.read()
sys.exit(42 if text.strip().isdigit() and int(text) <= {{most}} else 1)
