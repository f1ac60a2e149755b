# Presentation: two blank lines after a board instead of one.
import sys
from collections import deque


def fewest(free, width, start, goal):
    steps = (1, width, -1, -width)
    best = [1 << 30] * (4 * len(free))
    queue = deque()
    for direction in range(4):
        best[4 * start + direction] = 1
        queue.append((1, start, direction))
    while queue:
        cost, cell, direction = queue.popleft()
        if cost > best[4 * cell + direction]:
            continue
        ahead = cell + steps[direction]
        if ahead == goal:
            return cost
        if free[ahead]:
            if cost < best[4 * ahead + direction]:
                best[4 * ahead + direction] = cost
                queue.appendleft((cost, ahead, direction))
            for turned in (direction ^ 1, direction ^ 3):
                if cost + 1 < best[4 * ahead + turned]:
                    best[4 * ahead + turned] = cost + 1
                    queue.append((cost + 1, ahead, turned))
    return None


def main():
    lines = iter(sys.stdin.read().split("\n"))
    number = 0
    while True:
        w, h = map(int, next(lines).split())
        if w == 0:
            break
        number += 1
        # One ring that is free, and around it one that is not, so that no index needs a check.
        width = w + 4
        free = [False] * (width * (h + 4))
        for y in range(1, h + 3):
            row = next(lines).ljust(w) if 2 <= y <= h + 1 else " " * w
            for x, cell in enumerate(" " + row[:w] + " "):
                free[y * width + x + 1] = cell == " "
        print(f"Board #{number}:")
        pair = 0
        while True:
            x1, y1, x2, y2 = map(int, next(lines).split())
            if x1 == 0:
                break
            pair += 1
            result = fewest(free, width, (y1 + 1) * width + x1 + 1, (y2 + 1) * width + x2 + 1)
            if result is None:
                print(f"Pair {pair}: impossible.")
            else:
                print(f"Pair {pair}: {result} segments.")
        print("\n")


main()
