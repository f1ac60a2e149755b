// Mistake: numbers the regions from 1 in an array of 50, so that the fiftieth is left out.
#include <iostream>
#include <queue>
#include <string>
#include <vector>
using namespace std;

const int SIZE = 50;
bool adjacent[SIZE][SIZE];

int main() {
    int m, n;
    cin >> m >> n;
    string cells;
    char c;
    while (cin >> c) cells += c;
    vector<int> id(m * n, 0);
    int count = 0;
    for (int start = 0; start < m * n && count + 1 < SIZE; start++) {
        if (id[start]) continue;
        vector<int> todo{start};
        id[start] = ++count;
        while (!todo.empty()) {
            int v = todo.back();
            todo.pop_back();
            for (int u : {v % n ? v - 1 : v, v % n + 1 < n ? v + 1 : v, v >= n ? v - n : v, v + n < m * n ? v + n : v})
                if (!id[u] && cells[u] == cells[v]) {
                    id[u] = count;
                    todo.push_back(u);
                }
        }
    }
    for (int v = 0; v < m * n; v++) {
        if (v % n + 1 < n) adjacent[id[v]][id[v + 1]] = adjacent[id[v + 1]][id[v]] = true;
        if (v + n < m * n) adjacent[id[v]][id[v + n]] = adjacent[id[v + n]][id[v]] = true;
    }
    vector<int> dist(SIZE, 0);
    queue<int> q;
    dist[1] = 1;
    q.push(1);
    while (!q.empty()) {
        int v = q.front();
        q.pop();
        for (int u = 1; u < SIZE; u++)
            if (adjacent[v][u] && !dist[u]) {
                dist[u] = dist[v] + 1;
                q.push(u);
            }
    }
    cout << dist[id[m * n - 1]] - 2 << "\n";
}
