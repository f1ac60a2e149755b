// Too slow: depth first over games, cut at the best so far; only colours that gain something.
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>
using namespace std;
typedef uint64_t Set;
static vector<Set> beside;
static vector<int> colour;
static int goal;

static Set around(Set set) {
    Set found = 0;
    for (Set left = set; left; left &= left - 1) found |= beside[__builtin_ctzll(left)];
    return found & ~set;
}

static Set painted(Set set, int c) {
    Set found = 0;
    for (Set left = set; left; left &= left - 1)
        if (colour[__builtin_ctzll(left)] == c) found |= left & -left;
    return found;
}

static int best = 50;
static void play(Set one, Set two, int moves) {
    if (moves >= best) return;
    Set reach = around(one);
    if (reach & two) { best = moves; return; }
    for (int c = 1; c <= 6; c++) {
        Set more = painted(reach, c);
        if (more) play(two, one | more, moves + 1);
    }
}

static int fewest() { play(1, Set(1) << goal, 0); return best; }

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
