/* A queue over (cell, direction): a state enters again whenever it gets cheaper, until nothing does. */
#include <stdio.h>
#include <string.h>

enum { SIDE = 77, STATES = SIDE * SIDE * 4, NEVER = 1 << 20 };

static char board[SIDE][SIDE];
static int best[SIDE][SIDE][4], queued[SIDE][SIDE][4], queue[STATES + 1];
static const int dx[] = {0, 1, 0, -1}, dy[] = {-1, 0, 1, 0};

static int fewest(int w, int h, int x1, int y1, int x2, int y2) {
    int head = 0, tail = 0, answer = NEVER;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            for (int d = 0; d < 4; d++) best[y][x][d] = NEVER, queued[y][x][d] = 0;
    for (int d = 0; d < 4; d++) {
        best[y1][x1][d] = 1;
        queued[y1][x1][d] = 1;
        queue[tail++] = (y1 * SIDE + x1) * 4 + d;
    }
    while (head != tail) {
        int state = queue[head], from = state % 4, x = state / 4 % SIDE, y = state / 4 / SIDE;
        head = (head + 1) % (STATES + 1);
        queued[y][x][from] = 0;
        for (int d = 0; d < 4; d++) {
            /* The first step may go anywhere, later ones pay for a turn. */
            int cost = best[y][x][from] + (d != from);
            int nx = x + dx[d], ny = y + dy[d];
            if (x == x1 && y == y1 && d != from) continue;
            if (nx < 0 || ny < 0 || nx > w + 1 || ny > h + 1) continue;
            if (nx == x2 && ny == y2 && cost < answer) answer = cost;
            if (board[ny][nx] == 'X' || cost >= best[ny][nx][d] || cost >= answer) continue;
            best[ny][nx][d] = cost;
            if (!queued[ny][nx][d]) {
                queued[ny][nx][d] = 1;
                queue[tail] = (ny * SIDE + nx) * 4 + d;
                tail = (tail + 1) % (STATES + 1);
            }
        }
    }
    return answer;
}

int main(void) {
    int w, h, number = 0;
    while (scanf("%d %d%*c", &w, &h) == 2 && w != 0) {
        int x1, y1, x2, y2, pair = 0;
        memset(board, ' ', sizeof board);
        for (int y = 1; y <= h; y++) {
            char line[128];
            if (!fgets(line, sizeof line, stdin)) return 1;
            for (int x = 1; x <= w && line[x - 1] != '\n' && line[x - 1] != '\0'; x++) board[y][x] = line[x - 1];
        }
        printf("Board #%d:\n", ++number);
        while (scanf("%d %d %d %d", &x1, &y1, &x2, &y2) == 4 && x1 != 0) {
            int answer = fewest(w, h, x1, y1, x2, y2);
            if (answer == NEVER) printf("Pair %d: impossible.\n", ++pair);
            else printf("Pair %d: %d segments.\n", ++pair, answer);
        }
        printf("\n");
    }
    return 0;
}
