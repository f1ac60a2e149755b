// Mistake: nothing stops the stone at the edge of the board, so it leaves the array.
#include <iostream>
#include <vector>

std::vector<std::vector<int>> board;
int best;

void play(int x, int y, int throws) {
    if (throws > 10 || throws >= best) return;
    const int dx[] = {1, -1, 0, 0}, dy[] = {0, 0, 1, -1};
    for (int d = 0; d < 4; d++) {
        int a = x, b = y;
        while (board.at(b + dy[d]).at(a + dx[d]) == 0) a += dx[d], b += dy[d];
        int &met = board.at(b + dy[d]).at(a + dx[d]);
        if (met == 3) {
            best = throws;
        } else if (a != x || b != y) {
            met = 0;
            play(a, b, throws + 1);
            met = 1;
        }
    }
}

int main() {
    int w, h;
    while (std::cin >> w >> h && w) {
        int x = 0, y = 0;
        board.assign(h, std::vector<int>(w));
        for (int i = 0; i < h; i++)
            for (int j = 0; j < w; j++) {
                std::cin >> board[i][j];
                if (board[i][j] == 2) x = j, y = i, board[i][j] = 0;
            }
        best = 11;
        play(x, y, 1);
        std::cout << (best > 10 ? -1 : best) << std::endl;
    }
}
