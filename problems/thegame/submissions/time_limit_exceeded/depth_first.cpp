// Too slow: depth first over all simple paths, cut only where a path has as many segments as the best one.
#include <cstdio>
#include <cstring>

static char board[77][77];
static int w, h, goal_x, goal_y, best;

static void follow(int x, int y, int last, int segments) {
    static const int dx[] = {0, 1, 0, -1}, dy[] = {1, 0, -1, 0};
    if (segments >= best) return;
    if (x == goal_x && y == goal_y) {
        best = segments;
        return;
    }
    for (int d = 0; d < 4; ++d) {
        const int nx = x + dx[d], ny = y + dy[d];
        if (nx < 0 || ny < 0 || nx > w + 1 || ny > h + 1 || board[ny][nx] != ' ') continue;
        board[ny][nx] = '.';
        follow(nx, ny, d, segments + (d != last));
        board[ny][nx] = ' ';
    }
}

int main() {
    for (int number = 1; std::scanf("%d %d%*c", &w, &h) == 2 && w != 0; ++number) {
        std::memset(board, ' ', sizeof board);
        for (int y = 1; y <= h; ++y) {
            for (int x = 1; x <= w; ++x) board[y][x] = std::getchar();
            std::getchar();
        }
        std::printf("Board #%d:\n", number);
        int x, y;
        for (int pair = 1; std::scanf("%d %d %d %d", &x, &y, &goal_x, &goal_y) == 4 && x != 0; ++pair) {
            best = 1 << 20;
            board[goal_y][goal_x] = ' ';
            follow(x, y, -1, 0);
            board[goal_y][goal_x] = 'X';
            if (best < 1 << 20) std::printf("Pair %d: %d segments.\n", pair, best);
            else std::printf("Pair %d: impossible.\n", pair);
        }
        std::printf("\n");
    }
}
