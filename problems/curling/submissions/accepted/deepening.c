/* Iterative deepening: is one throw enough, are two, ... up to ten. */
#include <stdio.h>

static int w, h, board[20][20];

static int play(int x, int y, int left) {
    static const int dx[4] = {0, 1, 0, -1}, dy[4] = {-1, 0, 1, 0};
    for (int d = 0; d < 4; d++) {
        int a = x, b = y;
        for (;;) {
            int c = a + dx[d], e = b + dy[d];
            if (c < 0 || c >= w || e < 0 || e >= h) break;
            if (board[e][c] == 3) return 1;
            if (board[e][c] == 1) {
                int found = 0;
                if ((a != x || b != y) && left > 1) {
                    board[e][c] = 0;
                    found = play(a, b, left - 1);
                    board[e][c] = 1;
                }
                if (found) return 1;
                break;
            }
            a = c;
            b = e;
        }
    }
    return 0;
}

int main(void) {
    while (scanf("%d%d", &w, &h) == 2 && w > 0) {
        int x = 0, y = 0, throws = 1;
        for (int i = 0; i < h; i++)
            for (int j = 0; j < w; j++) {
                scanf("%d", &board[i][j]);
                if (board[i][j] == 2) {
                    x = j;
                    y = i;
                }
            }
        while (throws <= 10 && !play(x, y, throws)) throws++;
        printf("%d\n", throws <= 10 ? throws : -1);
    }
    return 0;
}
