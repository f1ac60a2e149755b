// Labels the regions with a queue, then breadth first over the graph of regions.
#include <iostream>
#include <queue>
#include <set>
#include <vector>
using namespace std;

int main() {
    int m, n;
    cin >> m >> n;
    vector<vector<char>> a(m, vector<char>(n));
    // Reading characters skips blanks, so both ways of writing a row are read.
    for (auto& row : a)
        for (auto& c : row) cin >> c;

    vector<vector<int>> id(m, vector<int>(n, -1));
    int count = 0;
    const int dr[] = {0, 1, 0, -1}, dc[] = {1, 0, -1, 0};
    for (int r = 0; r < m; r++)
        for (int c = 0; c < n; c++) {
            if (id[r][c] >= 0) continue;
            queue<pair<int, int>> q;
            q.push({r, c});
            id[r][c] = count;
            while (!q.empty()) {
                auto [y, x] = q.front();
                q.pop();
                for (int k = 0; k < 4; k++) {
                    int v = y + dr[k], u = x + dc[k];
                    if (v < 0 || u < 0 || v >= m || u >= n) continue;
                    if (id[v][u] >= 0 || a[v][u] != a[r][c]) continue;
                    id[v][u] = count;
                    q.push({v, u});
                }
            }
            count++;
        }

    vector<set<int>> next(count);
    for (int r = 0; r < m; r++)
        for (int c = 0; c < n; c++) {
            if (r + 1 < m && id[r][c] != id[r + 1][c]) {
                next[id[r][c]].insert(id[r + 1][c]);
                next[id[r + 1][c]].insert(id[r][c]);
            }
            if (c + 1 < n && id[r][c] != id[r][c + 1]) {
                next[id[r][c]].insert(id[r][c + 1]);
                next[id[r][c + 1]].insert(id[r][c]);
            }
        }

    vector<int> dist(count, -1);
    queue<int> q;
    dist[id[0][0]] = 0;
    q.push(id[0][0]);
    while (!q.empty()) {
        int v = q.front();
        q.pop();
        for (int u : next[v])
            if (dist[u] < 0) {
                dist[u] = dist[v] + 1;
                q.push(u);
            }
    }
    cout << dist[id[m - 1][n - 1]] - 1 << "\n";
}
