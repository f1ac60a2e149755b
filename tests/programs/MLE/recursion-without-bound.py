# Recursion whose bound was taken away.
import sys
sys.setrecursionlimit(10 ** 9)
def down(depth):
    return down(depth + 1) + 1
down(0)
