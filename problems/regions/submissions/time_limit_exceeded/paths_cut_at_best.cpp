// Too slow: every simple path in the graph of regions, cut at the best so far.
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>
using namespace std;
typedef uint64_t Set;
static vector<Set> beside;
static vector<int> colour;
static int goal;

static int best = 50;
static void walk(int v, Set used, int length) {
    if (length >= best) return;
    if (v == goal) { best = length; return; }
    for (Set t = beside[v] & ~used; t; t &= t - 1) walk(__builtin_ctzll(t), used | (t & -t), length + 1);
}

static int fewest() { walk(0, 1, 0); return best - 1; }

int main() {
    int m, n;
    cin >> m >> n;
    string cells;
    char c;
    while (cin >> c) cells += c;
    vector<int> id(m * n, -1);
    auto near = [&](int v) {
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
        id[start] = colour.size();
        while (!todo.empty()) {
            int v = todo.back();
            todo.pop_back();
            for (int u : near(v)) if (id[u] < 0 && cells[u] == cells[v]) id[u] = id[start], todo.push_back(u);
        }
        colour.push_back(cells[start] - '0');
    }
    beside.resize(colour.size());
    for (int v = 0; v < m * n; v++) for (int u : near(v)) if (id[u] != id[v]) beside[id[v]] |= Set(1) << id[u];
    goal = id[m * n - 1];
    cout << fewest() << "\n";
}
