/* Fails: takes the colours for words between blanks; where there are no blanks, strtok gives NULL for the second one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int cell[52][52], dist[52][52];

int main(void) {
    int m, n, changed = 1;
    char line[256];
    if (!fgets(line, sizeof line, stdin) || sscanf(line, "%d %d", &m, &n) != 2) return 1;
    for (int r = 1; r <= m; r++) {
        if (!fgets(line, sizeof line, stdin)) return 1;
        char *word = strtok(line, " \r\n");
        for (int c = 1; c <= n; c++) {
            cell[r][c] = atoi(word);
            dist[r][c] = 1 << 20;
            word = strtok(NULL, " \r\n");
        }
    }
    dist[1][1] = 0;
    while (changed) {
        changed = 0;
        for (int r = 1; r <= m; r++)
            for (int c = 1; c <= n; c++)
                for (int k = 0; k < 4; k++) {
                    int y = r + (k == 0) - (k == 1), x = c + (k == 2) - (k == 3);
                    if (cell[y][x] == 0) continue;
                    int d = dist[y][x] + (cell[y][x] != cell[r][c]);
                    if (d < dist[r][c]) dist[r][c] = d, changed = 1;
                }
    }
    printf("%d\n", dist[m][n] - 1);
    return 0;
}
