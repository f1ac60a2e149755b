// Does not compile: a semicolon is missing.
#include <cstdio>

int w, h, board[20][20], best;
const int DX[4] = {1, -1, 0, 0}, DY[4] = {0, 0, 1, -1};

void play(int x, int y, int throws) {
    if (throws > 10 || throws >= best) return;
    for (int d = 0; d < 4; d++) {
        int a = x, b = y;
        while (true) {
            int c = a + DX[d], e = b + DY[d];
            if (c < 0 || e < 0 || c >= w || e >= h) break;
            if (board[e][c] == 3) {
                if (throws < best) best = throws;
                break;
            }
            if (board[e][c] == 1) {
                if (a != x || b != y) {
                    board[e][c] = 0;
                    play(a, b, throws + 1);
                    board[e][c] = 1;
                }
                break;
            }
            a = c;
            b = e;
        }
    }
}

int main() {
    while (scanf("%d %d", &w, &h) == 2 && w) {
        int x = 0, y = 0;
        for (int i = 0; i < h; i++)
            for (int j = 0; j < w; j++) {
                scanf("%d", &board[i][j]);
                if (board[i][j] == 2) x = j, y = i, board[i][j] = 0;
            }
        best = 11
        play(x, y, 1);
        printf("%d\n", best > 10 ? -1 : best);
    }
}
