/* Fault: allocates the rows of the board but not the ring below it, and follows the null pointer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *rows[80];
static int best[80][80][4];
static int w, h, x2, y2;

static int improve(void) {
    static const int dx[] = {1, 0, -1, 0}, dy[] = {0, 1, 0, -1};
    int better = 0;
    for (int y = 0; y <= h + 1; y++)
        for (int x = 0; x <= w + 1; x++)
            for (int d = 0; d < 4; d++)
                for (int from = 0; from < 4; from++) {
                    int nx = x + dx[d], ny = y + dy[d], cost = best[y][x][from] + (d != from);
                    if (nx < 0 || ny < 0 || nx > w + 1 || ny > h + 1) continue;
                    if (rows[ny][nx] == 'X' && !(nx == x2 && ny == y2)) continue;
                    if (rows[y][x] == 'X' && cost > 1) continue;
                    if (cost < best[ny][nx][d]) best[ny][nx][d] = cost, better = 1;
                }
    return better;
}

int main(void) {
    int number = 0;
    while (scanf("%d %d%*c", &w, &h) == 2 && w) {
        for (int y = 0; y <= h; y++) {
            char line[100];
            rows[y] = calloc(80, 1);
            if (y > 0 && fgets(line, sizeof line, stdin)) memcpy(rows[y] + 1, line, strcspn(line, "\n"));
        }
        printf("Board #%d:\n", ++number);
        int x1, y1, pair = 0;
        while (scanf("%d %d %d %d", &x1, &y1, &x2, &y2) == 4 && x1) {
            int answer = 9999;
            for (int y = 0; y < 80; y++)
                for (int x = 0; x < 80; x++)
                    for (int d = 0; d < 4; d++) best[y][x][d] = y == y1 && x == x1 ? 1 : 9999;
            while (improve()) continue;
            for (int d = 0; d < 4; d++)
                if (best[y2][x2][d] < answer) answer = best[y2][x2][d];
            if (answer < 9999) printf("Pair %d: %d segments.\n", ++pair, answer);
            else printf("Pair %d: impossible.\n", ++pair);
        }
        printf("\n");
    }
    return 0;
}
