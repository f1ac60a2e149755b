// Does not compile: the queue is used without its header's namespace.
#include <array>
#include <cstdio>
#include <queue>
#include <vector>

int main() {
    int w, h;
    for (int number = 1; std::scanf("%d %d", &w, &h) == 2 && w > 0; ++number) {
        std::vector<std::vector<char>> card(h + 2, std::vector<char>(w + 2, 0));
        std::getchar();
        for (int y = 1; y <= h; ++y) {
            for (int x = 1; x <= w; ++x) card[y][x] = std::getchar() == 'X';
            std::getchar();
        }
        std::printf("Board #%d:\n", number);
        int x1, y1, x2, y2;
        for (int pair = 1; std::scanf("%d %d %d %d", &x1, &y1, &x2, &y2) == 4 && x1 > 0; ++pair) {
            const int dx[] = {1, 0, -1, 0}, dy[] = {0, 1, 0, -1};
            // reached[y][x][o]: segments to the cell when the last is horizontal (o = 0) or vertical (o = 1).
            std::vector<std::vector<std::array<int, 2>>> reached(
                h + 2, std::vector<std::array<int, 2>>(w + 2, {-1, -1}));
            queue<array<int, 3>> queue;  // x, y, orientation of the last segment
            int answer = -1;
            reached[y1][x1] = {0, 0};
            queue.push({x1, y1, 0});
            queue.push({x1, y1, 1});
            while (!queue.empty() && answer < 0) {
                auto [x, y, last] = queue.front();
                queue.pop();
                const int segments = reached[y][x][last] + 1;
                for (int d = 0; d < 4; ++d) {
                    const int orientation = d % 2;
                    if (orientation == last) continue;
                    for (int cx = x + dx[d], cy = y + dy[d];
                         cx >= 0 && cx <= w + 1 && cy >= 0 && cy <= h + 1; cx += dx[d], cy += dy[d]) {
                        if (cx == x2 && cy == y2) answer = answer < 0 ? segments : answer;
                        if (card[cy][cx]) break;
                        if (reached[cy][cx][orientation] >= 0) break;
                        reached[cy][cx][orientation] = segments;
                        queue.push({cx, cy, orientation});
                    }
                }
            }
            if (answer > 0) std::printf("Pair %d: %d segments.\n", pair, answer);
            else std::printf("Pair %d: impossible.\n", pair);
        }
        std::printf("\n");
    }
}
