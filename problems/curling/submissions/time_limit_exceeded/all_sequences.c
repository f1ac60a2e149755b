/* Slow: tries all sequences of ten directions one after the other, four to the tenth of them for every dataset. */
#include <stdio.h>
#include <string.h>

static int w, h, first[20][20], board[20][20];

int main(void) {
    static const int dx[4] = {1, -1, 0, 0}, dy[4] = {0, 0, 1, -1};
    while (scanf("%d%d", &w, &h) == 2 && w > 0) {
        int sx = 0, sy = 0, best = 11;
        for (int i = 0; i < h; i++)
            for (int j = 0; j < w; j++) {
                scanf("%d", &first[i][j]);
                if (first[i][j] == 2) sx = j, sy = i, first[i][j] = 0;
            }
        for (long code = 0; code < 1L << 20; code++) {
            int x = sx, y = sy, going = 1;
            memcpy(board, first, sizeof board);
            for (int throws = 1; throws <= 10 && going; throws++) {
                int d = code >> (2 * throws - 2) & 3, a = x + dx[d], b = y + dy[d];
                while (a >= 0 && b >= 0 && a < w && b < h && board[b][a] == 0) a += dx[d], b += dy[d];
                going = a >= 0 && b >= 0 && a < w && b < h;
                if (going && board[b][a] == 3) {
                    if (throws < best) best = throws;
                    going = 0;
                } else if (going) {
                    board[b][a] = 0;
                    going = a - dx[d] != x || b - dy[d] != y;
                    x = a - dx[d];
                    y = b - dy[d];
                }
            }
        }
        printf("%d\n", best > 10 ? -1 : best);
    }
    return 0;
}
