// Too slow: tries every simple path in the graph of regions.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>
using namespace std;

int m, n, count_, goal, best;
vector<vector<int>> beside;
vector<bool> used;

void walk(int v, int length) {
    if (v == goal) {
        best = min(best, length);
        return;
    }
    used[v] = true;
    for (int u : beside[v])
        if (!used[u]) walk(u, length + 1);
    used[v] = false;
}

int main() {
    cin >> m >> n;
    string cells;
    char c;
    while (cin >> c) cells += c;
    vector<int> id(m * n, -1);
    auto around = [&](int v) {
        vector<int> found;
        if (v % n > 0) found.push_back(v - 1);
        if (v % n < n - 1) found.push_back(v + 1);
        if (v >= n) found.push_back(v - n);
        if (v + n < m * n) found.push_back(v + n);
        return found;
    };
    for (int start = 0; start < m * n; start++) {
        if (id[start] >= 0) continue;
        vector<int> todo{start};
        id[start] = count_;
        while (!todo.empty()) {
            int v = todo.back();
            todo.pop_back();
            for (int u : around(v))
                if (id[u] < 0 && cells[u] == cells[v]) {
                    id[u] = count_;
                    todo.push_back(u);
                }
        }
        count_++;
    }
    vector<vector<bool>> seen(count_, vector<bool>(count_));
    beside.resize(count_);
    for (int v = 0; v < m * n; v++)
        for (int u : around(v))
            if (id[u] != id[v] && !seen[id[v]][id[u]]) {
                seen[id[v]][id[u]] = true;
                beside[id[v]].push_back(id[u]);
            }
    used.assign(count_, false);
    goal = id[m * n - 1];
    best = count_;
    walk(id[0], 0);
    cout << best - 1 << "\n";
}
