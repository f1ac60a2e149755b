// Mistake: breadth first with a mark for every cell where the stone has rested, as if the blocks that are left did not matter.
#include <iostream>
#include <queue>
#include <vector>

struct State {
    int x, y, throws;
    std::vector<std::vector<int>> board;
};

int main() {
    int w, h;
    while (std::cin >> w >> h && w) {
        State first{0, 0, 0, std::vector<std::vector<int>>(h, std::vector<int>(w))};
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                std::cin >> first.board[y][x];
                if (first.board[y][x] == 2) first.x = x, first.y = y;
            }
        std::vector<std::vector<bool>> seen(h, std::vector<bool>(w));
        seen[first.y][first.x] = true;
        std::queue<State> states;
        states.push(first);
        int answer = -1;
        while (!states.empty() && answer < 0) {
            State s = states.front();
            states.pop();
            if (s.throws == 10) break;
            const int dx[] = {1, 0, -1, 0}, dy[] = {0, 1, 0, -1};
            for (int d = 0; d < 4; d++) {
                int a = s.x, b = s.y;
                while (true) {
                    int c = a + dx[d], e = b + dy[d];
                    if (c < 0 || e < 0 || c >= w || e >= h) break;
                    if (s.board[e][c] == 3) {
                        answer = s.throws + 1;
                        break;
                    }
                    if (s.board[e][c] == 1) {
                        if ((a != s.x || b != s.y) && !seen[b][a]) {
                            seen[b][a] = true;
                            State next = s;
                            next.x = a, next.y = b, next.throws++;
                            next.board[e][c] = 0;
                            states.push(next);
                        }
                        break;
                    }
                    a = c, b = e;
                }
                if (answer >= 0) break;
            }
        }
        std::cout << answer << '\n';
    }
}
