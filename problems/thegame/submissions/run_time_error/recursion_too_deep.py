# Fault: follows paths by recursion, one call a cell, and large boards have paths longer than the stack allows.
import sys


def follow(x, y, d, cost):
    """Enters cells again whenever it gets there with fewer segments."""
    for turn in (0, 1, 3):
        nd = (d + turn) % 4
        new_cost = cost + (turn > 0)
        nx, ny = x + (1, 0, -1, 0)[nd], y + (0, 1, 0, -1)[nd]
        if (nx, ny) == goal:
            best[goal] = min(best.get(goal, new_cost), new_cost)
        elif 0 <= nx <= w + 1 and 0 <= ny <= h + 1 and not card[ny][nx]:
            if new_cost < best.get((nx, ny, nd), limit) and new_cost < best.get(goal, limit):
                best[nx, ny, nd] = new_cost
                follow(nx, ny, nd, new_cost)


number = 0
while True:
    w, h = map(int, sys.stdin.readline().split())
    if w == 0:
        break
    number += 1
    card = [[False] * (w + 2) for _ in range(h + 2)]
    for y in range(1, h + 1):
        row = sys.stdin.readline()
        for x in range(1, w + 1):
            card[y][x] = row[x - 1] == "X"
    print(f"Board #{number}:")
    pair = 0
    while True:
        x1, y1, x2, y2 = map(int, sys.stdin.readline().split())
        if x1 == 0:
            break
        pair += 1
        goal = (x2, y2)
        # Deepen step by step, so that short answers are found without wandering.
        best = {}
        limit = 2
        while goal not in best and limit < 6000:
            limit *= 2
            best = {}
            for d in range(4):
                follow(x1, y1, d, 1)
        print(f"Pair {pair}: " + (f"{best[goal]} segments." if goal in best else "impossible."))
    print()
