// Slow: plays all sequences of ten directions one after the other, four to the tenth of them for every dataset.
#include <iostream>
#include <vector>

typedef std::vector<std::vector<int>> Board;

// The number of throws after which this sequence comes to the goal, or 11.
int play(Board board, int x, int y, long sequence) {
    const int dx[] = {1, -1, 0, 0}, dy[] = {0, 0, 1, -1};
    int w = board[0].size(), h = board.size();
    for (int throws = 1; throws <= 10; throws++) {
        int d = sequence % 4, a = x + dx[d], b = y + dy[d];
        sequence /= 4;
        while (a >= 0 && b >= 0 && a < w && b < h && board[b][a] == 0) a += dx[d], b += dy[d];
        if (a < 0 || b < 0 || a >= w || b >= h) return 11;
        if (board[b][a] == 3) return throws;
        if (a - dx[d] == x && b - dy[d] == y) return 11;
        board[b][a] = 0;
        x = a - dx[d];
        y = b - dy[d];
    }
    return 11;
}

int main() {
    int w, h;
    while (std::cin >> w >> h && w) {
        Board board(h, std::vector<int>(w));
        int x = 0, y = 0, best = 11;
        for (int i = 0; i < h; i++)
            for (int j = 0; j < w; j++) {
                std::cin >> board[i][j];
                if (board[i][j] == 2) x = j, y = i, board[i][j] = 0;
            }
        for (long sequence = 0; sequence < 1L << 20; sequence++) best = std::min(best, play(board, x, y, sequence));
        std::cout << (best > 10 ? -1 : best) << std::endl;
    }
}
