// Reads input.txt and writes output.txt.
// No regions at all: a step between cells of one colour costs 0, another step costs 1, and a deque keeps the order.
#include <deque>
#include <fstream>
#include <string>
#include <vector>
using namespace std;

int main() {
    ifstream in("input.txt");
    ofstream out("output.txt");
    int m, n;
    in >> m >> n;
    string cells;
    char c;
    while (in >> c) cells += c;
    vector<int> dist(m * n, 1 << 30);
    deque<int> q{0};
    dist[0] = 0;
    while (!q.empty()) {
        int v = q.front();
        q.pop_front();
        auto relax = [&](int u) {
            int cost = cells[u] != cells[v];
            if (dist[v] + cost >= dist[u]) return;
            dist[u] = dist[v] + cost;
            if (cost) q.push_back(u);
            else q.push_front(u);
        };
        if (v % n > 0) relax(v - 1);
        if (v % n < n - 1) relax(v + 1);
        if (v / n > 0) relax(v - n);
        if (v / n < m - 1) relax(v + n);
    }
    out << dist[m * n - 1] - 1 << endl;
}
