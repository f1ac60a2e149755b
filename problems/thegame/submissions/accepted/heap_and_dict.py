# Dijkstra over (cell, direction) with a heap of tuples and a dictionary: slow, but right.
import heapq

STEPS = [(1, 0), (0, 1), (-1, 0), (0, -1)]


def fewest(cards, w, h, start, goal):
    best = {}
    heap = [(0, start[0], start[1], -1)]
    while heap:
        cost, x, y, direction = heapq.heappop(heap)
        if (x, y) == goal:
            return cost
        if best.get((x, y, direction), 1 << 30) < cost:
            continue
        for d, (dx, dy) in enumerate(STEPS):
            nx, ny = x + dx, y + dy
            if not (0 <= nx <= w + 1 and 0 <= ny <= h + 1):
                continue
            if (nx, ny) in cards and (nx, ny) != goal:
                continue
            new_cost = cost + (d != direction)
            if new_cost < best.get((nx, ny, d), 1 << 30):
                best[(nx, ny, d)] = new_cost
                heapq.heappush(heap, (new_cost, nx, ny, d))
    return None


number = 0
while True:
    w, h = map(int, input().split())
    if w == h == 0:
        break
    number += 1
    cards = set()
    for y in range(1, h + 1):
        for x, cell in enumerate(input(), 1):
            if cell == "X":
                cards.add((x, y))
    print("Board #%d:" % number)
    pair = 0
    while True:
        x1, y1, x2, y2 = map(int, input().split())
        if x1 == 0:
            break
        pair += 1
        answer = fewest(cards, w, h, (x1, y1), (x2, y2))
        if answer is None:
            print("Pair %d: impossible." % pair)
        else:
            print("Pair %d: %d segments." % (pair, answer))
    print()
