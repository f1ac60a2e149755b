# Mistake: the blocks that were hit stay, so that a search over cells alone seems to be enough.
import sys
from collections import deque


def main():
    numbers = iter(map(int, sys.stdin.read().split()))
    while True:
        w, h = next(numbers), next(numbers)
        if w == 0:
            break
        side = w + 2
        board = [4] * (side * (h + 2))
        for y in range(h):
            for x in range(w):
                board[(y + 1) * side + x + 1] = next(numbers)
        start = board.index(2)
        board[start] = 0
        throws = {start: 0}
        queue = deque([start])
        answer = -1
        while queue and answer < 0:
            at = queue.popleft()
            for step in (1, -1, side, -side):
                here = at
                while board[here + step] == 0:
                    here += step
                if board[here + step] == 3 and throws[at] < 10:
                    answer = throws[at] + 1
                    break
                if board[here + step] == 1 and here not in throws:
                    throws[here] = throws[at] + 1
                    queue.append(here)
        print(answer)


main()
