"""Too slow: breadth first over whole boards, six colours a move, as the statement tells the game."""
import sys

data = sys.stdin.read().split()
m, n = int(data[0]), int(data[1])


def beside(v):
    if v % n:
        yield v - 1
    if v % n < n - 1:
        yield v + 1
    if v >= n:
        yield v - n
    if v + n < m * n:
        yield v + n


BESIDE = [list(beside(v)) for v in range(m * n)]


def region(board, start):
    seen = {start}
    todo = [start]
    while todo:
        v = todo.pop()
        for u in BESIDE[v]:
            if u not in seen and board[u] == board[v]:
                seen.add(u)
                todo.append(u)
    return seen


def over(board):
    second = region(board, m * n - 1)
    return any(u in second for v in region(board, 0) for u in BESIDE[v])


boards = {"".join(data[2:])}
moves = 0
while not any(over(board) for board in boards):
    corner = 0 if moves % 2 == 0 else m * n - 1
    following = set()
    for board in boards:
        mine = region(board, corner)
        for colour in "123456":
            following.add("".join(colour if v in mine else c for v, c in enumerate(board)))
    boards = following
    moves += 1
print(moves)
