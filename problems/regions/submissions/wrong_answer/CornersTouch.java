// Mistake: regions that only share a corner are taken for adjacent.
import java.util.*;

public class CornersTouch {
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        int m = in.nextInt(), n = in.nextInt();
        StringBuilder text = new StringBuilder();
        while (in.hasNext()) text.append(in.next());
        int[][] dist = new int[m][n];
        for (int[] row : dist) Arrays.fill(row, Integer.MAX_VALUE);
        ArrayDeque<int[]> queue = new ArrayDeque<>();
        dist[0][0] = 0;
        queue.add(new int[] {0, 0});
        while (!queue.isEmpty()) {
            int[] at = queue.pollFirst();
            int r = at[0], c = at[1];
            for (int dr = -1; dr <= 1; dr++)
                for (int dc = -1; dc <= 1; dc++) {
                    int y = r + dr, x = c + dc;
                    if (y < 0 || x < 0 || y >= m || x >= n) continue;
                    boolean same = text.charAt(y * n + x) == text.charAt(r * n + c);
                    if (same && dr != 0 && dc != 0) continue;
                    int d = dist[r][c] + (same ? 0 : 1);
                    if (d >= dist[y][x]) continue;
                    dist[y][x] = d;
                    if (same) queue.addFirst(new int[] {y, x});
                    else queue.addLast(new int[] {y, x});
                }
        }
        System.out.println(dist[m - 1][n - 1] - 1);
    }
}
