/* Mistake: takes the j-th character of a line for the j-th cell, so that blanks become cells. */
#include <stdio.h>
#include <string.h>

static char line[50][200];
static int dist[50][50];

int main(void) {
    int m, n, changed = 1;
    char head[64];
    if (!fgets(head, sizeof head, stdin) || sscanf(head, "%d %d", &m, &n) != 2) return 1;
    for (int r = 0; r < m; r++) {
        if (!fgets(line[r], sizeof line[r], stdin)) return 1;
        for (int c = 0; c < n; c++) dist[r][c] = 1 << 20;
    }
    dist[0][0] = 0;
    while (changed) {
        changed = 0;
        for (int r = 0; r < m; r++)
            for (int c = 0; c < n; c++)
                for (int k = 0; k < 4; k++) {
                    int y = r + (k == 0) - (k == 1), x = c + (k == 2) - (k == 3);
                    if (y < 0 || x < 0 || y >= m || x >= n) continue;
                    int d = dist[y][x] + (line[y][x] != line[r][c]);
                    if (d < dist[r][c]) dist[r][c] = d, changed = 1;
                }
    }
    printf("%d\n", dist[m - 1][n - 1] - 1);
    return 0;
}
