# Mistake: a cell with its direction is marked for good when it first enters the queue,
# although a later path may enter it in the same direction with fewer segments.
from collections import deque

DIRECTIONS = [(0, -1), (-1, 0), (0, 1), (1, 0)]


def search(rows, w, h, start, goal):
    seen = set()
    found = []
    queue = deque([(start[0], start[1], None, 0)])
    while queue:
        x, y, last, segments = queue.popleft()
        for d, (dx, dy) in enumerate(DIRECTIONS):
            nx, ny = x + dx, y + dy
            cost = segments if d == last else segments + 1
            if (nx, ny) == goal:
                found.append(cost)
            elif 0 <= nx <= w + 1 and 0 <= ny <= h + 1 and rows[ny][nx] != "X" and (nx, ny, d) not in seen:
                seen.add((nx, ny, d))
                queue.append((nx, ny, d, cost))
    return min(found, default=None)


number = 1
while True:
    w, h = map(int, input().split())
    if w == 0:
        break
    blank = " " * (w + 2)
    rows = [blank] + [" " + input() + " " for _ in range(h)] + [blank]
    print(f"Board #{number}:")
    number += 1
    pair = 1
    while True:
        x1, y1, x2, y2 = map(int, input().split())
        if x1 == 0:
            break
        cost = search(rows, w, h, (x1, y1), (x2, y2))
        print(f"Pair {pair}: {cost} segments." if cost else f"Pair {pair}: impossible.")
        pair += 1
    print()
