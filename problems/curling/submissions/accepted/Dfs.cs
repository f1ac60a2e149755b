// Depth first, ten throws at most, one board that is changed and put back.
using System;
using System.Linq;
using System.Text;

class Dfs {
    static readonly int[] Dx = { 1, -1, 0, 0 }, Dy = { 0, 0, 1, -1 };
    static int w, h, best;
    static int[,] board;

    static void Play(int x, int y, int throws) {
        for (int d = 0; d < 4 && throws < best; d++) {
            int a = x + Dx[d], b = y + Dy[d];
            while (a >= 0 && a < w && b >= 0 && b < h && board[b, a] == 0) {
                a += Dx[d];
                b += Dy[d];
            }
            if (a < 0 || a >= w || b < 0 || b >= h) continue;
            if (board[b, a] == 3) {
                best = throws;
            } else if (a - Dx[d] != x || b - Dy[d] != y) {
                board[b, a] = 0;
                Play(a - Dx[d], b - Dy[d], throws + 1);
                board[b, a] = 1;
            }
        }
    }

    static int[] Numbers() {
        return Console.ReadLine().Split(' ').Select(int.Parse).ToArray();
    }

    static void Main() {
        var output = new StringBuilder();
        while (true) {
            int[] size = Numbers();
            w = size[0];
            h = size[1];
            if (w == 0) break;
            board = new int[h, w];
            int startX = 0, startY = 0;
            for (int y = 0; y < h; y++) {
                int[] row = Numbers();
                for (int x = 0; x < w; x++) {
                    board[y, x] = row[x];
                    if (row[x] != 2) continue;
                    startX = x;
                    startY = y;
                    board[y, x] = 0;
                }
            }
            best = 11;
            Play(startX, startY, 1);
            output.Append(best > 10 ? -1 : best).Append('\n');
        }
        Console.Write(output);
    }
}
