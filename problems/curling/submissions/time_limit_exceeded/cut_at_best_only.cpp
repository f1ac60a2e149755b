// Slow: no bound on the throws, only the best game so far; where no game is found, every game is played to its end.
#include <iostream>
using namespace std;
int w, h, board[22][22], best;
void play(int x, int y, int throws) {
    static const int dx[] = {0, 1, 0, -1}, dy[] = {-1, 0, 1, 0};
    if (throws >= best) return;
    for (int d = 0; d < 4; d++) {
        int a = x + dx[d], b = y + dy[d];
        if (board[b][a] == 1) continue;
        while (board[b][a] == 0) a += dx[d], b += dy[d];
        if (board[b][a] == 3) { best = throws; return; }
        if (board[b][a] != 1) continue;
        board[b][a] = 0;
        play(a - dx[d], b - dy[d], throws + 1);
        board[b][a] = 1;
    }
}
int main() {
    while (cin >> w >> h && w) {
        int x = 0, y = 0;
        for (auto& row : board) for (int& cell : row) cell = -1;
        for (int i = 1; i <= h; i++)
            for (int j = 1; j <= w; j++) {
                cin >> board[i][j];
                if (board[i][j] == 2) x = j, y = i, board[i][j] = 0;
            }
        best = 1000;
        play(x, y, 1);
        cout << (best > 10 ? -1 : best) << "\n";
    }
}
