// Breadth first over whole boards, but no board is ever recognised again: the queue grows without end.
#include <iostream>
#include <queue>
#include <vector>
using namespace std;

struct State {
    vector<vector<int>> board;
    int row, column, throws_;
};

int main() {
    int w, h;
    while (cin >> w >> h && w != 0) {
        State start{vector<vector<int>>(h, vector<int>(w)), 0, 0, 0};
        for (int r = 0; r < h; r++)
            for (int c = 0; c < w; c++) {
                cin >> start.board[r][c];
                if (start.board[r][c] == 2) {
                    start.row = r;
                    start.column = c;
                    start.board[r][c] = 0;
                }
            }
        queue<State> waiting;
        waiting.push(start);
        int answer = -1;
        while (!waiting.empty() && answer < 0) {
            State now = waiting.front();
            waiting.pop();
            const int dr[] = {1, -1, 0, 0}, dc[] = {0, 0, 1, -1};
            for (int d = 0; d < 4; d++) {
                int r = now.row, c = now.column, steps = 0;
                while (true) {
                    int nr = r + dr[d], nc = c + dc[d];
                    if (nr < 0 || nr >= h || nc < 0 || nc >= w) break;
                    if (now.board[nr][nc] == 3) {
                        answer = now.throws_ + 1;
                        break;
                    }
                    if (now.board[nr][nc] == 1) {
                        if (steps > 0) {
                            State next = now;
                            next.board[nr][nc] = 0;
                            next.row = r;
                            next.column = c;
                            next.throws_++;
                            waiting.push(next);
                        }
                        break;
                    }
                    r = nr;
                    c = nc;
                    steps++;
                }
            }
        }
        cout << (answer > 10 ? -1 : answer) << endl;
    }
}
