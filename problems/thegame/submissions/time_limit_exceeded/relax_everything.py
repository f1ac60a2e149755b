# Too slow: goes over all cells and directions again and again until no cost gets better.
import sys


def fewest(card, w, h, start, goal):
    never = 1 << 30
    best = {(x, y): [never] * 4 for y in range(h + 2) for x in range(w + 2)}
    best[start] = [1] * 4
    better = True
    while better:
        better = False
        for (x, y), costs in best.items():
            if min(costs) == never or (x, y) == goal:
                continue
            for d, (dx, dy) in enumerate(((1, 0), (0, 1), (-1, 0), (0, -1))):
                ahead = (x + dx, y + dy)
                if ahead not in best or (ahead in card and ahead != goal):
                    continue
                cost = min(costs[d], costs[d ^ 1] + 1, costs[d ^ 3] + 1)
                if cost < best[ahead][d]:
                    best[ahead][d] = cost
                    better = True
    return min(best[goal])


number = 0
while True:
    w, h = map(int, sys.stdin.readline().split())
    if w == 0:
        break
    number += 1
    card = set()
    for y in range(1, h + 1):
        row = sys.stdin.readline()
        card |= {(x, y) for x in range(1, w + 1) if row[x - 1] == "X"}
    print(f"Board #{number}:")
    pair = 0
    while True:
        x1, y1, x2, y2 = map(int, sys.stdin.readline().split())
        if x1 == 0:
            break
        pair += 1
        cost = fewest(card, w, h, (x1, y1), (x2, y2))
        print(f"Pair {pair}: " + (f"{cost} segments." if cost < 1 << 30 else "impossible."))
    print()
