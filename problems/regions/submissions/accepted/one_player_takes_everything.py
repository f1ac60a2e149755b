"""The first player alone, who takes all the regions around his own at once in every round:
as many rounds as the shortest chain is long."""
import sys


def main():
    data = sys.stdin.read().split()
    m, n = int(data[0]), int(data[1])
    cells = "".join(data[2:])
    owned = [False] * (m * n)

    def beside(v):
        if v % n:
            yield v - 1
        if v % n < n - 1:
            yield v + 1
        if v >= n:
            yield v - n
        if v + n < m * n:
            yield v + n

    def take(v):
        taken = [v]
        owned[v] = True
        for u in taken:
            for w in beside(u):
                if not owned[w] and cells[w] == cells[v]:
                    owned[w] = True
                    taken.append(w)
        return taken

    last = take(0)
    rounds = 0
    while not owned[-1]:
        ring = []
        for v in last:
            for u in beside(v):
                if not owned[u]:
                    ring += take(u)
        last = ring
        rounds += 1
    print(rounds - 1)


main()
