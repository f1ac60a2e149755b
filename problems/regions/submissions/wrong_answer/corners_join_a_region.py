"""Mistake: cells of one colour that only share a corner are counted as one region."""
import sys
from collections import deque

data = sys.stdin.read().split()
m, n = int(data[0]), int(data[1])
cells = "".join(data[2:])
label = [-1] * (m * n)
count = 0
for start in range(m * n):
    if label[start] >= 0:
        continue
    label[start] = count
    stack = [start]
    while stack:
        v = stack.pop()
        r, c = divmod(v, n)
        for y in range(max(0, r - 1), min(m, r + 2)):
            for x in range(max(0, c - 1), min(n, c + 2)):
                u = y * n + x
                if label[u] < 0 and cells[u] == cells[v]:
                    label[u] = count
                    stack.append(u)
    count += 1

beside = [set() for _ in range(count)]
for v in range(m * n):
    for u in ([v + 1] if v % n + 1 < n else []) + ([v + n] if v + n < m * n else []):
        if label[u] != label[v]:
            beside[label[u]].add(label[v])
            beside[label[v]].add(label[u])

dist = {label[0]: 0}
queue = deque([label[0]])
while queue:
    v = queue.popleft()
    for u in beside[v]:
        if u not in dist:
            dist[u] = dist[v] + 1
            queue.append(u)
print(max(0, dist[label[-1]] - 1))
