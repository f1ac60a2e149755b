// Mistake: Dijkstra that marks a cell with its direction when it enters the heap, not when it leaves it.
import java.util.*;

public class MarkedInHeap {
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        int[] dx = {0, 0, 1, -1}, dy = {1, -1, 0, 0};
        for (int number = 1; ; number++) {
            String[] size = in.nextLine().split(" ");
            int w = Integer.parseInt(size[0]), h = Integer.parseInt(size[1]);
            if (w == 0) return;
            char[][] board = new char[h + 2][w + 2];
            for (int y = 1; y <= h; y++) {
                String row = in.nextLine();
                for (int x = 1; x <= w; x++) board[y][x] = row.charAt(x - 1);
            }
            System.out.println("Board #" + number + ":");
            for (int pair = 1; ; pair++) {
                int[] q = Arrays.stream(in.nextLine().split(" ")).mapToInt(Integer::parseInt).toArray();
                if (q[0] == 0) break;
                board[q[3]][q[2]] = ' ';
                PriorityQueue<int[]> heap = new PriorityQueue<>((a, b) -> {
                    for (int i = 0; i < 4; i++) if (a[i] != b[i]) return Integer.compare(a[i], b[i]);
                    return 0;
                });
                Set<Integer> seen = new HashSet<>();
                heap.add(new int[] {0, q[0], q[1], -1});
                int answer = -1;
                while (!heap.isEmpty() && answer < 0) {
                    int[] s = heap.poll();
                    if (s[1] == q[2] && s[2] == q[3]) answer = s[0];
                    for (int d = 0; d < 4; d++) {
                        int x = s[1] + dx[d], y = s[2] + dy[d];
                        if (x < 0 || y < 0 || x > w + 1 || y > h + 1 || board[y][x] == 'X') continue;
                        if (seen.add((y * 100 + x) * 4 + d)) heap.add(new int[] {s[0] + (d == s[3] ? 0 : 1), x, y, d});
                    }
                }
                board[q[3]][q[2]] = 'X';
                System.out.println("Pair " + pair + ": " + (answer < 0 ? "impossible." : answer + " segments."));
            }
            System.out.println();
        }
    }
}
