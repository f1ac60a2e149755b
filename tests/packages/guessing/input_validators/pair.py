import sys

most, secret = map(int, sys.stdin.readline().split())
assert 1 <= secret <= most <= 1000
assert not sys.stdin.read()
sys.exit(42)
