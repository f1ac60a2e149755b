// Breadth first over cells: from each cell a slide in all four directions, one segment a slide.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;

class Slides {
    static readonly int[] Dx = { 1, -1, 0, 0 }, Dy = { 0, 0, 1, -1 };

    // The least number of segments on a board with a free ring around it, 0 where there is no path.
    static int Fewest(bool[,] card, int x1, int y1, int x2, int y2) {
        int height = card.GetLength(0), width = card.GetLength(1);
        var segments = new int[height, width];
        var seen = new bool[height, width];
        var queue = new Queue<int>();
        seen[y1, x1] = true;
        queue.Enqueue(y1 * width + x1);
        while (queue.Count > 0) {
            int from = queue.Dequeue(), fromX = from % width, fromY = from / width;
            int next = segments[fromY, fromX] + 1;
            for (int d = 0; d < 4; d++) {
                int x = fromX + Dx[d], y = fromY + Dy[d];
                while (x >= 0 && x < width && y >= 0 && y < height) {
                    if (x == x2 && y == y2) return next;
                    if (card[y, x]) break;
                    if (!seen[y, x]) {
                        seen[y, x] = true;
                        segments[y, x] = next;
                        queue.Enqueue(y * width + x);
                    }
                    x += Dx[d];
                    y += Dy[d];
                }
            }
        }
        return 0;
    }

    static int[] Numbers() {
        return Console.ReadLine().Split(' ').Select(int.Parse).ToArray();
    }

    static void Main() {
        var output = new StringBuilder();
        for (int number = 1; ; number++) {
            int[] size = Numbers();
            int w = size[0], h = size[1];
            if (w == 0) break;
            var card = new bool[h + 2, w + 2];
            for (int y = 1; y <= h; y++) {
                // A row may have lost its trailing blanks.
                string row = Console.ReadLine().PadRight(w);
                for (int x = 1; x <= w; x++) card[y, x] = row[x - 1] == 'X';
            }
            output.Append("Board #" + number + ":\n");
            for (int pair = 1; ; pair++) {
                int[] query = Numbers();
                if (query[0] == 0) break;
                int segments = Fewest(card, query[0], query[1], query[2], query[3]);
                output.Append("Pair " + pair + ": " + (segments == 0 ? "impossible.\n" : segments + " segments.\n"));
            }
            output.Append('\n');
        }
        Console.Write(output);
    }
}
