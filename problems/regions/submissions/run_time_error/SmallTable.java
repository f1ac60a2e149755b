// Fails: numbers the regions from 1 in a table of 50 by 50, so that the fiftieth is out of bounds.
import java.util.*;

public class SmallTable {
    static int m, n;
    static String cells;
    static int[] id;
    static boolean[][] adjacent = new boolean[50][50];

    static void fill(int v, int k) {
        id[v] = k;
        if (v % n > 0) join(v, v - 1, k);
        if (v % n < n - 1) join(v, v + 1, k);
        if (v >= n) join(v, v - n, k);
        if (v + n < m * n) join(v, v + n, k);
    }

    static void join(int v, int u, int k) {
        if (id[u] == 0 && cells.charAt(u) == cells.charAt(v)) fill(u, k);
    }

    static void link(int a, int b) {
        if (a == b) return;
        adjacent[a][b] = true;
        adjacent[b][a] = true;
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        m = in.nextInt();
        n = in.nextInt();
        StringBuilder text = new StringBuilder();
        while (in.hasNext()) text.append(in.next());
        cells = text.toString();
        id = new int[m * n];
        int count = 0;
        for (int v = 0; v < m * n; v++) if (id[v] == 0) fill(v, ++count);
        for (int v = 0; v < m * n; v++) {
            if (v % n < n - 1) link(id[v], id[v + 1]);
            if (v + n < m * n) link(id[v], id[v + n]);
        }
        int[] dist = new int[count + 1];
        ArrayDeque<Integer> queue = new ArrayDeque<>(List.of(1));
        dist[1] = 1;
        while (!queue.isEmpty()) {
            int v = queue.poll();
            for (int u = 1; u <= count; u++)
                if (adjacent[v][u] && dist[u] == 0) {
                    dist[u] = dist[v] + 1;
                    queue.add(u);
                }
        }
        System.out.println(dist[id[m * n - 1]] - 2);
    }
}
