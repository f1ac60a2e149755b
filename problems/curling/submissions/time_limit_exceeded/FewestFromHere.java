// Slow: recursion without a bound that returns the fewest throws from here on; games of more than ten are thrown away at the end.
import java.util.Scanner;

public class FewestFromHere {
    static int w, h;
    static int[][] board;
    static final int NEVER = 1_000_000;

    static int fewest(int x, int y, int used, int best) {
        if (used + 1 >= best) return best;
        int[][] ways = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
        for (int[] way : ways) {
            int a = x, b = y;
            while (true) {
                int c = a + way[0], d = b + way[1];
                if (c < 0 || d < 0 || c >= w || d >= h) break;
                if (board[d][c] == 3) return used + 1;
                if (board[d][c] == 1) {
                    if (a == x && b == y) break;
                    board[d][c] = 0;
                    best = Math.min(best, fewest(a, b, used + 1, best));
                    board[d][c] = 1;
                    break;
                }
                a = c;
                b = d;
            }
        }
        return best;
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        while ((w = in.nextInt()) + (h = in.nextInt()) > 0) {
            board = new int[h][w];
            int x = 0, y = 0;
            for (int i = 0; i < h; i++)
                for (int j = 0; j < w; j++) {
                    board[i][j] = in.nextInt();
                    if (board[i][j] == 2) { x = j; y = i; board[i][j] = 0; }
                }
            int best = fewest(x, y, 0, NEVER);
            System.out.println(best > 10 ? -1 : best);
        }
    }
}
