// Does not compile: a text where a number should be.
import java.util.Scanner;

public class Types {
    static int w, h, best;
    static int[][] board;

    static void play(int x, int y, int throwNumber) {
        if (throwNumber > 10 || throwNumber >= best) return;
        int[] dx = {-1, 0, 1, 0}, dy = {0, -1, 0, 1};
        for (int d = 0; d < 4; d++) {
            int a = x, b = y;
            while (true) {
                int c = a + dx[d], e = b + dy[d];
                if (c < 0 || e < 0 || c >= w || e >= h) break;
                if (board[e][c] == 3) {
                    best = Math.min(best, throwNumber);
                    break;
                }
                if (board[e][c] == 1) {
                    if (a != x || b != y) {
                        board[e][c] = 0;
                        play(a, b, throwNumber + 1);
                        board[e][c] = 1;
                    }
                    break;
                }
                a = c;
                b = e;
            }
        }
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        while (true) {
            w = in.nextInt();
            h = in.nextInt();
            if (w == 0 && h == 0) break;
            board = new int[h][w];
            int x = 0, y = 0;
            for (int i = 0; i < h; i++)
                for (int j = 0; j < w; j++) {
                    board[i][j] = in.nextInt();
                    if (board[i][j] == 2) {
                        x = j;
                        y = i;
                    }
                }
            best = "eleven";
            play(x, y, 1);
            System.out.println(best > 10 ? -1 : best);
        }
    }
}
