# Fault: takes the blanks at the end of a row for nothing and indexes beyond what is left.
from collections import deque

number = 0
while True:
    w, h = map(int, input().split())
    if w == 0:
        break
    number += 1
    rows = [input().rstrip() for _ in range(h)]
    card = [[False] * (w + 2) for _ in range(h + 2)]
    for y in range(h):
        for x in range(w):
            card[y + 1][x + 1] = rows[y][x] == "X"
    print(f"Board #{number}:")
    pair = 0
    while True:
        x1, y1, x2, y2 = map(int, input().split())
        if x1 == 0:
            break
        pair += 1
        best = {}
        queue = deque((0, x1, y1, d) for d in range(4))
        answer = None
        while queue:
            turns, x, y, d = queue.popleft()
            if best.setdefault((x, y, d), turns) < turns:
                continue
            x += (1, 0, -1, 0)[d]
            y += (0, 1, 0, -1)[d]
            if (x, y) == (x2, y2):
                answer = turns + 1
                break
            if 0 <= x <= w + 1 and 0 <= y <= h + 1 and not card[y][x]:
                for turn in (0, 1, 3):
                    state = (turns + (turn > 0), x, y, (d + turn) % 4)
                    if state[1:] not in best:
                        (queue.append if turn else queue.appendleft)(state)
        print(f"Pair {pair}: " + (f"{answer} segments." if answer else "impossible."))
    print()
