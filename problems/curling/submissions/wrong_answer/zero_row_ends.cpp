// Mistake: every line `0 0` is taken for the end of the input, also where it is a row of a board two cells wide.
#include <iostream>
#include <sstream>
#include <string>

int w, h, board[20][20], best;

void play(int x, int y, int throws) {
    if (throws > 10 || throws >= best) return;
    const int dx[] = {1, -1, 0, 0}, dy[] = {0, 0, 1, -1};
    for (int d = 0; d < 4; d++) {
        int a = x + dx[d], b = y + dy[d];
        while (a >= 0 && b >= 0 && a < w && b < h && board[b][a] == 0) a += dx[d], b += dy[d];
        if (a < 0 || b < 0 || a >= w || b >= h) continue;
        if (board[b][a] == 3) {
            best = throws;
        } else if (a - dx[d] != x || b - dy[d] != y) {
            board[b][a] = 0;
            play(a - dx[d], b - dy[d], throws + 1);
            board[b][a] = 1;
        }
    }
}

int main() {
    std::string text, line;
    while (std::getline(std::cin, line) && line != "0 0") text += line + "\n";
    std::istringstream numbers(text);
    while (numbers >> w >> h) {
        int x = 0, y = 0;
        for (int i = 0; i < h; i++)
            for (int j = 0; j < w; j++) {
                board[i][j] = 0;
                numbers >> board[i][j];
                if (board[i][j] == 2) x = j, y = i, board[i][j] = 0;
            }
        best = 11;
        play(x, y, 1);
        std::cout << (best > 10 ? -1 : best) << "\n";
    }
}
