import sys

text = sys.stdin.read()
sys.exit(42 if text.strip().isdigit() else 1)
