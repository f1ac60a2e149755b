"""Mistake: a cell takes the label of the cell above or to the left, and labels that meet later are never joined."""
import sys

data = sys.stdin.read().split()
m, n = int(data[0]), int(data[1])
cells = "".join(data[2:])
label = []
count = 0
for v in range(m * n):
    if v >= n and cells[v] == cells[v - n]:
        label.append(label[v - n])
    elif v % n and cells[v] == cells[v - 1]:
        label.append(label[v - 1])
    else:
        label.append(count)
        count += 1
beside = [set() for _ in range(count)]
for v in range(m * n):
    for u in ([v + 1] if v % n + 1 < n else []) + ([v + n] if v + n < m * n else []):
        if label[u] != label[v]:
            beside[label[u]].add(label[v])
            beside[label[v]].add(label[u])
dist = {label[0]: 0}
queue = [label[0]]
for v in queue:
    for u in beside[v]:
        if u not in dist:
            dist[u] = dist[v] + 1
            queue.append(u)
print(max(0, dist[label[-1]] - 1))
