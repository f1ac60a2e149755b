// Mistake: prints the distance between the two regions, not the number of regions between them.
#include <cstdio>
#include <vector>
using namespace std;

int m, n, id[50][50], dist_[2500];
char a[50][51];
bool adjacent[2500][2500];

void fill(int r, int c, int k) {
    id[r][c] = k;
    const int d[] = {0, 1, 0, -1, 0};
    for (int i = 0; i < 4; i++) {
        int y = r + d[i], x = c + d[i + 1];
        if (y >= 0 && x >= 0 && y < m && x < n && !id[y][x] && a[y][x] == a[r][c]) fill(y, x, k);
    }
}

int main() {
    if (scanf("%d %d", &m, &n) != 2) return 1;
    for (int r = 0; r < m; r++)
        for (int c = 0; c < n; c++)
            if (scanf(" %c", &a[r][c]) != 1) return 1;
    int k = 0;
    for (int r = 0; r < m; r++)
        for (int c = 0; c < n; c++)
            if (!id[r][c]) fill(r, c, ++k);
    for (int r = 0; r < m; r++)
        for (int c = 0; c < n; c++) {
            if (r + 1 < m) adjacent[id[r][c]][id[r + 1][c]] = adjacent[id[r + 1][c]][id[r][c]] = true;
            if (c + 1 < n) adjacent[id[r][c]][id[r][c + 1]] = adjacent[id[r][c + 1]][id[r][c]] = true;
        }
    vector<int> q{1};
    dist_[1] = 1;
    for (size_t i = 0; i < q.size(); i++)
        for (int u = 1; u <= k; u++)
            if (adjacent[q[i]][u] && !dist_[u]) {
                dist_[u] = dist_[q[i]] + 1;
                q.push_back(u);
            }
    printf("%d\n", dist_[id[m - 1][n - 1]] - 1);
}
