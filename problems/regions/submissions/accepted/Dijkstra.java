// Union-find for the regions, Dijkstra with an array for the distances.
import java.util.*;

public class Dijkstra {
    static int[] parent;

    static int root(int v) {
        while (parent[v] != v) {
            parent[v] = parent[parent[v]];
            v = parent[v];
        }
        return v;
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        int m = in.nextInt(), n = in.nextInt();
        StringBuilder cells = new StringBuilder();
        while (in.hasNext()) cells.append(in.next());
        int all = m * n;
        parent = new int[all];
        for (int v = 0; v < all; v++) parent[v] = v;
        for (int v = 0; v < all; v++) {
            if (v % n + 1 < n && cells.charAt(v) == cells.charAt(v + 1)) parent[root(v)] = root(v + 1);
            if (v + n < all && cells.charAt(v) == cells.charAt(v + n)) parent[root(v)] = root(v + n);
        }
        TreeMap<Integer, TreeSet<Integer>> next = new TreeMap<>();
        for (int v = 0; v < all; v++) next.putIfAbsent(root(v), new TreeSet<>());
        for (int v = 0; v < all; v++) {
            for (int u : new int[] {v % n + 1 < n ? v + 1 : v, v + n < all ? v + n : v}) {
                if (root(u) == root(v)) continue;
                next.get(root(u)).add(root(v));
                next.get(root(v)).add(root(u));
            }
        }
        Map<Integer, Integer> dist = new HashMap<>();
        Set<Integer> done = new HashSet<>();
        dist.put(root(0), 0);
        while (true) {
            Integer best = null;
            for (int v : dist.keySet())
                if (!done.contains(v) && (best == null || dist.get(v) < dist.get(best))) best = v;
            if (best == null) break;
            done.add(best);
            for (int u : next.get(best)) dist.merge(u, dist.get(best) + 1, Math::min);
        }
        System.out.println(dist.get(root(all - 1)) - 1);
    }
}
