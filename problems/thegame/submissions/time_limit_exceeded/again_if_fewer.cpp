// Too slow: depth first; a cell is searched again whenever it is reached with fewer segments in the same direction.
#include <algorithm>
#include <cstdio>
#include <cstring>

static char board[77][77];
static int w, h;

static int cost[77][77][4], best;

static void follow(int x, int y, int d, int segments, int gx, int gy) {
    static const int dx[] = {0, 1, 0, -1}, dy[] = {1, 0, -1, 0};
    if (segments >= best || segments >= cost[y][x][d]) return;
    cost[y][x][d] = segments;
    if (x == gx && y == gy) { best = segments; return; }
    for (int i = 0; i < 4; ++i) {
        int e = (d + i) % 4;
        int nx = x + dx[e], ny = y + dy[e];
        if (nx < 0 || ny < 0 || nx > w + 1 || ny > h + 1) continue;
        if (board[ny][nx] == 'X' && (nx != gx || ny != gy)) continue;
        follow(nx, ny, e, segments + (e != d), gx, gy);
    }
}

static bool join(int x1, int y1, int x2, int y2, int& k) {
    static const int dx[] = {0, 1, 0, -1}, dy[] = {1, 0, -1, 0};
    std::fill(&cost[0][0][0], &cost[0][0][0] + 77 * 77 * 4, 1 << 20);
    best = 1 << 20;
    for (int d = 0; d < 4; ++d) {
        int nx = x1 + dx[d], ny = y1 + dy[d];
        if (board[ny][nx] != 'X' || (nx == x2 && ny == y2)) follow(nx, ny, d, 1, x2, y2);
    }
    k = best;
    return k < 1 << 20;
}

int main() {
    for (int number = 1; std::scanf("%d %d%*c", &w, &h) == 2 && w != 0; ++number) {
        std::memset(board, ' ', sizeof board);
        for (int y = 1; y <= h; ++y) {
            for (int x = 1; x <= w; ++x) board[y][x] = std::getchar();
            std::getchar();
        }
        std::printf("Board #%d:\n", number);
        int x1, y1, x2, y2;
        for (int pair = 1; std::scanf("%d %d %d %d", &x1, &y1, &x2, &y2) == 4 && x1 != 0; ++pair) {
            int k;
            if (join(x1, y1, x2, y2, k)) std::printf("Pair %d: %d segments.\n", pair, k);
            else std::printf("Pair %d: impossible.\n", pair);
        }
        std::printf("\n");
    }
}
