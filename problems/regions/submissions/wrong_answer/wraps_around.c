/* Mistake: in a flat array the last cell of a row is beside the first cell of the next one. */
#include <stdio.h>

static char cell[2600];
static int dist[2600];

int main(void) {
    int m, n, changed = 1;
    if (scanf("%d %d", &m, &n) != 2) return 1;
    for (int v = 0; v < m * n; v++) {
        if (scanf(" %c", &cell[v]) != 1) return 1;
        dist[v] = 1 << 20;
    }
    dist[0] = 0;
    while (changed) {
        changed = 0;
        for (int v = 0; v < m * n; v++) {
            int beside[] = {v - 1, v + 1, v - n, v + n};
            for (int k = 0; k < 4; k++) {
                int u = beside[k];
                if (u < 0 || u >= m * n) continue;
                int d = dist[u] + (cell[u] != cell[v]);
                if (d < dist[v]) dist[v] = d, changed = 1;
            }
        }
    }
    printf("%d\n", dist[m * n - 1] - 1);
    return 0;
}
