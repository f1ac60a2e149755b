// Mistake: a plain queue over cells although steps cost 0 or 1; a cell keeps the first distance that reaches it.
#include <iostream>
#include <queue>
#include <string>
#include <vector>
using namespace std;

int main() {
    int m, n;
    cin >> m >> n;
    string cells;
    char c;
    while (cin >> c) cells += c;
    vector<int> dist(m * n, -1);
    queue<int> q;
    dist[0] = 0;
    q.push(0);
    while (!q.empty()) {
        int v = q.front();
        q.pop();
        auto visit = [&](int u) {
            if (dist[u] >= 0) return;
            dist[u] = dist[v] + (cells[u] != cells[v]);
            q.push(u);
        };
        if (v % n > 0) visit(v - 1);
        if (v % n < n - 1) visit(v + 1);
        if (v >= n) visit(v - n);
        if (v + n < m * n) visit(v + n);
    }
    cout << dist[m * n - 1] - 1 << "\n";
}
