/* Mistake: a buffer that holds 50 digits, but not the 99 characters of 50 digits with blanks between them. */
#include <stdio.h>

static char cell[52][52];
static int dist[52][52];

int main(void) {
    int m, n, changed = 1;
    char line[64];
    if (!fgets(line, sizeof line, stdin) || sscanf(line, "%d %d", &m, &n) != 2) return 1;
    for (int r = 1; r <= m; r++) {
        int c = 0;
        if (!fgets(line, sizeof line, stdin)) break;
        for (int i = 0; line[i]; i++)
            if (line[i] >= '1' && line[i] <= '6' && c < n) cell[r][++c] = line[i];
        for (c = 1; c <= n; c++) dist[r][c] = 1 << 20;
    }
    dist[1][1] = 0;
    while (changed) {
        changed = 0;
        for (int r = 1; r <= m; r++)
            for (int c = 1; c <= n; c++)
                for (int k = 0; k < 4; k++) {
                    int y = r + (k == 0) - (k == 1), x = c + (k == 2) - (k == 3);
                    if (y < 1 || x < 1 || y > m || x > n) continue;
                    int d = dist[y][x] + (cell[y][x] != cell[r][c]);
                    if (d < dist[r][c]) dist[r][c] = d, changed = 1;
                }
    }
    printf("%d\n", dist[m][n] - 1);
    return 0;
}
