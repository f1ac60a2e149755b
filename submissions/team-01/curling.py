# Depth first on a flat board with a border, ten throws at most, blocks put back on return.
import sys


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
        best = 11

        def play(at, throws):
            nonlocal best
            if throws >= best:
                return
            for step in (1, -1, side, -side):
                here = at + step
                while board[here] == 0:
                    here += step
                what = board[here]
                if what == 3:
                    best = throws
                    return
                if what == 1 and here - step != at:
                    board[here] = 0
                    play(here - step, throws + 1)
                    board[here] = 1

        play(start, 1)
        print(best if best <= 10 else -1)


main()
