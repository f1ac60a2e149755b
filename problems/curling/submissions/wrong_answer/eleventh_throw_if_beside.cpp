// Mistake: looks for the goal beside the stone before it looks whether ten throws are over,
// so an eleventh throw counts where the goal is in the next cell.
#include <algorithm>
#include <cstdio>

static const int DX[] = {1, 0, -1, 0}, DY[] = {0, 1, 0, -1};
static int w, h, best, board[20][20];

static bool on_board(int x, int y) { return x >= 0 && y >= 0 && x < w && y < h; }

static void play(int x, int y, int thrown) {
    for (int d = 0; d < 4; ++d) {
        if (on_board(x + DX[d], y + DY[d]) && board[y + DY[d]][x + DX[d]] == 3) {
            best = std::min(best, thrown + 1);
            return;
        }
    }
    if (thrown == 10) return;
    for (int d = 0; d < 4; ++d) {
        int nx = x + DX[d], ny = y + DY[d];
        while (on_board(nx, ny) && board[ny][nx] == 0) nx += DX[d], ny += DY[d];
        if (!on_board(nx, ny)) continue;
        if (board[ny][nx] == 3) {
            best = std::min(best, thrown + 1);
            continue;
        }
        nx -= DX[d], ny -= DY[d];
        if (nx == x && ny == y) continue;
        board[ny + DY[d]][nx + DX[d]] = 0;
        play(nx, ny, thrown + 1);
        board[ny + DY[d]][nx + DX[d]] = 1;
    }
}

int main() {
    while (std::scanf("%d %d", &w, &h) == 2 && w != 0) {
        int start_x = 0, start_y = 0;
        for (int y = 0; y < h; ++y) {
            for (int x = 0; x < w; ++x) {
                std::scanf("%d", &board[y][x]);
                if (board[y][x] == 2) start_x = x, start_y = y, board[y][x] = 0;
            }
        }
        best = 1000;
        play(start_x, start_y, 0);
        std::printf("%d\n", best == 1000 ? -1 : best);
    }
}
