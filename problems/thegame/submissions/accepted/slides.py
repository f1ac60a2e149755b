# Breadth first over cells: from each cell slide in all four directions, one segment a slide. Written plainly.
from collections import deque


def fewest(board, w, h, x1, y1, x2, y2):
    seen = [[False] * (w + 2) for _ in range(h + 2)]
    seen[y1][x1] = True
    queue = deque([(x1, y1, 0)])
    while queue:
        x, y, segments = queue.popleft()
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            nx, ny = x + dx, y + dy
            while 0 <= nx <= w + 1 and 0 <= ny <= h + 1:
                if nx == x2 and ny == y2:
                    return segments + 1
                if board[ny][nx] != " ":
                    break
                if not seen[ny][nx]:
                    seen[ny][nx] = True
                    queue.append((nx, ny, segments + 1))
                nx += dx
                ny += dy
    return None


def main():
    number = 0
    while True:
        w, h = map(int, input().split())
        if w == 0 and h == 0:
            break
        number += 1
        board = [" " * (w + 2)]
        for _ in range(h):
            board.append(" " + input().ljust(w) + " ")
        board.append(" " * (w + 2))
        print("Board #%d:" % number)
        pair = 0
        while True:
            x1, y1, x2, y2 = map(int, input().split())
            if x1 == 0:
                break
            pair += 1
            segments = fewest(board, w, h, x1, y1, x2, y2)
            if segments is None:
                print("Pair %d: impossible." % pair)
            else:
                print("Pair %d: %d segments." % (pair, segments))
        print()


main()
