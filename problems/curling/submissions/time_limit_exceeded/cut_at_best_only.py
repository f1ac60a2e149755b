# Slow: no bound on the throws, only the best game so far.
import sys
sys.setrecursionlimit(5000)
numbers = iter(map(int, sys.stdin.read().split()))


def play(board, x, y, throws, best):
    if throws >= best:
        return best
    for dx, dy in ((0, -1), (1, 0), (0, 1), (-1, 0)):
        a, b = x + dx, y + dy
        while 0 <= b < len(board) and 0 <= a < len(board[b]) and board[b][a] == 0:
            a, b = a + dx, b + dy
        if not (0 <= b < len(board) and 0 <= a < len(board[b])):
            continue
        if board[b][a] == 3:
            return throws
        if (a - dx, b - dy) != (x, y):
            board[b][a] = 0
            best = play(board, a - dx, b - dy, throws + 1, best)
            board[b][a] = 1
    return best


while True:
    w, h = next(numbers), next(numbers)
    if w == 0:
        break
    board = [[next(numbers) for _ in range(w)] for _ in range(h)]
    y = next(i for i in range(h) if 2 in board[i])
    x = board[y].index(2)
    board[y][x] = 0
    best = play(board, x, y, 1, 1000)
    print(best if best <= 10 else -1)
