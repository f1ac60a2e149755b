// Mistake: breadth first over steps with one mark a cell, so a path that comes later with fewer turns is lost.
#include <cstdio>
#include <cstring>
#include <queue>

struct State { int x, y, d, segments; };
static char board[80][80];
static bool seen[80][80];

int main() {
    int w, h;
    for (int number = 1; std::scanf("%d %d", &w, &h) == 2 && w; ++number) {
        std::memset(board, ' ', sizeof board);
        std::getchar();
        for (int y = 1; y <= h; ++y) {
            for (int x = 1; x <= w; ++x) board[y][x] = std::getchar();
            std::getchar();
        }
        std::printf("Board #%d:\n", number);
        int x1, y1, x2, y2;
        for (int pair = 1; std::scanf("%d%d%d%d", &x1, &y1, &x2, &y2) == 4 && x1; ++pair) {
            const int dx[] = {0, -1, 0, 1}, dy[] = {-1, 0, 1, 0};
            std::memset(seen, 0, sizeof seen);
            std::queue<State> queue;
            queue.push({x1, y1, -1, 0});
            seen[y1][x1] = true;
            int best = 1 << 30;
            while (!queue.empty()) {
                State s = queue.front();
                queue.pop();
                for (int d = 0; d < 4; ++d) {
                    int x = s.x + dx[d], y = s.y + dy[d], segments = s.segments + (d != s.d);
                    if (x < 0 || y < 0 || x > w + 1 || y > h + 1) continue;
                    if (x == x2 && y == y2 && segments < best) best = segments;
                    if (board[y][x] == 'X' || seen[y][x]) continue;
                    seen[y][x] = true;
                    queue.push({x, y, d, segments});
                }
            }
            if (best < 1 << 30) std::printf("Pair %d: %d segments.\n", pair, best);
            else std::printf("Pair %d: impossible.\n", pair);
        }
        std::puts("");
    }
}
