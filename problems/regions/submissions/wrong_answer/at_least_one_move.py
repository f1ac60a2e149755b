"""Mistake: moves first and looks afterwards, so that regions that touch at the start need a move."""
import sys

data = sys.stdin.read().split()
m, n = int(data[0]), int(data[1])
cells = "".join(data[2:])


def beside(v):
    if v % n:
        yield v - 1
    if v % n < n - 1:
        yield v + 1
    if v >= n:
        yield v - n
    if v + n < m * n:
        yield v + n


def grow(start):
    todo = list(start)
    seen = set(todo)
    while todo:
        v = todo.pop()
        for u in beside(v):
            if u not in seen and cells[u] == cells[v]:
                seen.add(u)
                todo.append(u)
    return seen


mine = grow([0])
other = grow([m * n - 1])
moves = 0
while True:
    around = {u for v in mine for u in beside(v) if u not in other}
    mine |= grow(around - mine)
    moves += 1
    if any(u in other for v in mine for u in beside(v)):
        break
print(moves)
