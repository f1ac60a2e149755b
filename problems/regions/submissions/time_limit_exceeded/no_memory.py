"""Too slow: recursion without a memory, over regions that are not on the way yet, cut at the best so far."""
import sys
data = sys.stdin.read().split()
m, n = int(data[0]), int(data[1])
cells = "".join(data[2:])


def near(v):
    if v % n:
        yield v - 1
    if v % n < n - 1:
        yield v + 1
    if v >= n:
        yield v - n
    if v + n < m * n:
        yield v + n


ids = [-1] * (m * n)
count = 0
for start in range(m * n):
    if ids[start] < 0:
        ids[start] = count
        todo = [start]
        for v in todo:
            for u in near(v):
                if ids[u] < 0 and cells[u] == cells[v]:
                    ids[u] = count
                    todo.append(u)
        count += 1
beside = [set() for _ in range(count)]
for v in range(m * n):
    for u in near(v):
        if ids[u] != ids[v]:
            beside[ids[v]].add(ids[u])
best = count


def walk(v, way):
    global best
    if len(way) >= best:
        return
    if v == ids[-1]:
        best = len(way)
        return
    for u in sorted(beside[v], reverse=True):
        if u not in way:
            walk(u, way + [u])


walk(0, [])
print(best - 1)
