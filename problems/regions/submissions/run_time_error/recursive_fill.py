"""Fails: the fill calls itself once a cell, and a region may have more cells than Python allows calls."""
import sys

data = sys.stdin.read().split()
m, n = int(data[0]), int(data[1])
cells = "".join(data[2:])
label = [-1] * (m * n)


def beside(v):
    return ([v - 1] if v % n else []) + ([v + 1] if v % n + 1 < n else []) + \
        ([v - n] if v >= n else []) + ([v + n] if v + n < m * n else [])


def fill(v, k):
    label[v] = k
    for u in beside(v):
        if label[u] < 0 and cells[u] == cells[v]:
            fill(u, k)


count = 0
for v in range(m * n):
    if label[v] < 0:
        fill(v, count)
        count += 1
edges = [set() for _ in range(count)]
for v in range(m * n):
    for u in beside(v):
        if label[u] != label[v]:
            edges[label[v]].add(label[u])
dist = {0: 0}
queue = [0]
for v in queue:
    for u in edges[v]:
        if u not in dist:
            dist[u] = dist[v] + 1
            queue.append(u)
print(dist[label[-1]] - 1)
