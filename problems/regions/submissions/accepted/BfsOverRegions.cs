// Labels the regions, joins those that touch, and goes breadth first from the first to the last.
using System;
using System.Collections.Generic;
using System.Linq;

class BfsOverRegions {
    static int m, n;

    static IEnumerable<int> Beside(int v) {
        if (v % n > 0) yield return v - 1;
        if (v % n < n - 1) yield return v + 1;
        if (v >= n) yield return v - n;
        if (v + n < m * n) yield return v + n;
    }

    static void Main() {
        string[] words = Console.In.ReadToEnd().Split((char[])null, StringSplitOptions.RemoveEmptyEntries);
        m = int.Parse(words[0]);
        n = int.Parse(words[1]);
        // Rows are written with and without blanks.
        string cells = string.Concat(words.Skip(2));

        int[] region = Enumerable.Repeat(-1, m * n).ToArray();
        var touching = new List<HashSet<int>>();
        for (int first = 0; first < m * n; first++) {
            if (region[first] >= 0) continue;
            region[first] = touching.Count;
            var open = new Stack<int>();
            open.Push(first);
            while (open.Count > 0) {
                int v = open.Pop();
                foreach (int u in Beside(v)) {
                    if (region[u] >= 0 || cells[u] != cells[v]) continue;
                    region[u] = touching.Count;
                    open.Push(u);
                }
            }
            touching.Add(new HashSet<int>());
        }
        for (int v = 0; v < m * n; v++)
            foreach (int u in Beside(v)) touching[region[v]].Add(region[u]);

        var distance = new Dictionary<int, int> { { region[0], 0 } };
        var queue = new Queue<int>();
        queue.Enqueue(region[0]);
        while (queue.Count > 0) {
            int from = queue.Dequeue();
            foreach (int next in touching[from]) {
                if (distance.ContainsKey(next)) continue;
                distance[next] = distance[from] + 1;
                queue.Enqueue(next);
            }
        }
        Console.WriteLine(distance[region[m * n - 1]] - 1);
    }
}
