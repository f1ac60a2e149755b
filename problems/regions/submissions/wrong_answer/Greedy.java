// Mistake: each player takes the colour that wins him the most cells.
import java.util.*;

class Board {
    final int m, n;
    final int[] cells;

    Board(int m, int n, int[] cells) {
        this.m = m;
        this.n = n;
        this.cells = cells;
    }

    List<Integer> beside(int v) {
        List<Integer> found = new ArrayList<>();
        if (v % n > 0) found.add(v - 1);
        if (v % n < n - 1) found.add(v + 1);
        if (v >= n) found.add(v - n);
        if (v + n < m * n) found.add(v + n);
        return found;
    }

    Set<Integer> region(int start) {
        Set<Integer> seen = new LinkedHashSet<>(List.of(start));
        ArrayDeque<Integer> todo = new ArrayDeque<>(seen);
        while (!todo.isEmpty()) {
            int v = todo.pop();
            for (int u : beside(v)) if (cells[u] == cells[v] && seen.add(u)) todo.push(u);
        }
        return seen;
    }

    void paint(int start, int colour) {
        for (int v : region(start)) cells[v] = colour;
    }

    boolean over() {
        Set<Integer> first = region(0), second = region(m * n - 1);
        for (int v : first) for (int u : beside(v)) if (second.contains(u)) return true;
        return false;
    }
}

public class Greedy {
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        int m = in.nextInt(), n = in.nextInt();
        StringBuilder text = new StringBuilder();
        while (in.hasNext()) text.append(in.next());
        Board board = new Board(m, n, text.chars().map(c -> c - '0').toArray());
        int moves = 0;
        while (!board.over()) {
            int corner = moves % 2 == 0 ? 0 : m * n - 1;
            int best = 0, size = -1;
            for (int colour = 1; colour <= 6; colour++) {
                Board next = new Board(m, n, board.cells.clone());
                next.paint(corner, colour);
                int won = next.region(corner).size();
                if (won > size) {
                    size = won;
                    best = colour;
                }
            }
            board.paint(corner, best);
            moves++;
        }
        System.out.println(moves);
    }
}
