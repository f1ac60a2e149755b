"""Fails: splits every row at blanks, so that a row without blanks has one cell and the second is out of range."""
m, n = map(int, input().split())
rows = [input().split() for _ in range(m)]
far = 10 ** 9
dist = [[far] * n for _ in range(m)]
dist[0][0] = 0
changed = True
while changed:
    changed = False
    for r in range(m):
        for c in range(n):
            for y, x in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)):
                if 0 <= y < m and 0 <= x < n:
                    d = dist[y][x] + (rows[y][x] != rows[r][c])
                    if d < dist[r][c]:
                        dist[r][c] = d
                        changed = True
print(dist[m - 1][n - 1] - 1)
