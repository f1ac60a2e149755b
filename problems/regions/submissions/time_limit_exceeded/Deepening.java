// Too slow: plays out every game of 0, 1, 2, ... moves, all six colours each, and keeps no position that it has seen.
import java.util.*;

public class Deepening {
    static BitSet[] painted = new BitSet[7];
    static List<BitSet> beside = new ArrayList<>();

    static boolean canEnd(BitSet first, BitSet second, int moves, boolean firstMoves) {
        BitSet around = around(first);
        if (around.intersects(second)) return true;
        if (moves == 0) return false;
        BitSet mine = firstMoves ? first : second;
        BitSet reach = around(mine);
        for (int colour = 1; colour <= 6; colour++) {
            BitSet grown = (BitSet) reach.clone();
            grown.and(painted[colour]);
            grown.or(mine);
            boolean ends = firstMoves
                ? canEnd(grown, second, moves - 1, false)
                : canEnd(first, grown, moves - 1, true);
            if (ends) return true;
        }
        return false;
    }

    static BitSet around(BitSet set) {
        BitSet found = new BitSet();
        set.stream().forEach(v -> found.or(beside.get(v)));
        found.andNot(set);
        return found;
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        int m = in.nextInt(), n = in.nextInt();
        StringBuilder cells = new StringBuilder();
        while (in.hasNext()) cells.append(in.next());
        int[] id = new int[m * n];
        Arrays.fill(id, -1);
        for (int colour = 1; colour <= 6; colour++) painted[colour] = new BitSet();
        for (int start = 0; start < m * n; start++) {
            if (id[start] >= 0) continue;
            ArrayDeque<Integer> todo = new ArrayDeque<>(List.of(start));
            id[start] = beside.size();
            while (!todo.isEmpty()) {
                int v = todo.pop();
                int[] next = {v % n > 0 ? v - 1 : v, v % n + 1 < n ? v + 1 : v, v >= n ? v - n : v, v + n < m * n ? v + n : v};
                for (int u : next)
                    if (id[u] < 0 && cells.charAt(u) == cells.charAt(v)) {
                        id[u] = id[start];
                        todo.push(u);
                    }
            }
            painted[cells.charAt(start) - '0'].set(id[start]);
            beside.add(new BitSet());
        }
        for (int v = 0; v < m * n; v++)
            for (int u : new int[] {v % n + 1 < n ? v + 1 : v, v + n < m * n ? v + n : v})
                if (id[u] != id[v]) {
                    beside.get(id[u]).set(id[v]);
                    beside.get(id[v]).set(id[u]);
                }
        BitSet first = new BitSet(), second = new BitSet();
        first.set(id[0]);
        second.set(id[m * n - 1]);
        int moves = 0;
        while (!canEnd(first, second, moves, true)) moves++;
        System.out.println(moves);
    }
}
