"""Mistake: reads the board as a stream of digits, and the two sizes as its first two digits."""
import sys

digits = [c for c in sys.stdin.read() if c.isdigit()]
m, n = int(digits[0]), int(digits[1])
cells = digits[2:2 + m * n]
far = 10 ** 9
dist = [far] * (m * n)
dist[0] = 0
changed = True
while changed:
    changed = False
    for v in range(m * n):
        for u in (v - 1 if v % n else v, v + 1 if v % n + 1 < n else v, v - n, v + n):
            if 0 <= u < m * n:
                d = dist[u] + (cells[u] != cells[v])
                if d < dist[v]:
                    dist[v] = d
                    changed = True
print(max(0, dist[-1] - 1))
