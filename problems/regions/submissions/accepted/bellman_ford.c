/* Distances over the cells by sweeping the board until nothing changes. */
#include <stdio.h>

static char cell[52][52];
static int dist[52][52];

int main(void) {
    int m, n, changed = 1;
    if (scanf("%d %d", &m, &n) != 2) return 1;
    for (int r = 1; r <= m; r++)
        for (int c = 1; c <= n; c++) {
            if (scanf(" %c", &cell[r][c]) != 1) return 1;
            dist[r][c] = 1 << 20;
        }
    dist[1][1] = 0;
    while (changed) {
        changed = 0;
        for (int r = 1; r <= m; r++)
            for (int c = 1; c <= n; c++)
                for (int k = 0; k < 4; k++) {
                    int y = r + (k == 0) - (k == 1), x = c + (k == 2) - (k == 3);
                    if (cell[y][x] == 0) continue;
                    int other = dist[y][x] + (cell[y][x] != cell[r][c]);
                    if (other < dist[r][c]) {
                        dist[r][c] = other;
                        changed = 1;
                    }
                }
    }
    printf("%d\n", dist[m][n] - 1);
    return 0;
}
