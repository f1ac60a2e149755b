// One layer of cells a segment: every layer is drawn from the whole layer before, rows and columns in turn.
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.StringTokenizer;

public class Layers {
    static final int[] DX = {1, -1, 0, 0};
    static final int[] DY = {0, 0, 1, -1};

    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        StringBuilder out = new StringBuilder();
        for (int number = 1; ; number++) {
            StringTokenizer size = new StringTokenizer(in.readLine());
            int w = Integer.parseInt(size.nextToken());
            int h = Integer.parseInt(size.nextToken());
            if (w == 0) break;
            boolean[][] card = new boolean[h + 2][w + 2];
            for (int y = 1; y <= h; y++) {
                String row = in.readLine();
                for (int x = 1; x <= w; x++) card[y][x] = x <= row.length() && row.charAt(x - 1) == 'X';
            }
            out.append("Board #").append(number).append(":\n");
            for (int pair = 1; ; pair++) {
                StringTokenizer query = new StringTokenizer(in.readLine());
                int[] q = new int[4];
                for (int i = 0; i < 4; i++) q[i] = Integer.parseInt(query.nextToken());
                if (q[0] == 0) break;
                int segments = solve(card, w, h, q);
                out.append("Pair ").append(pair).append(": ");
                out.append(segments < 0 ? "impossible." : segments + " segments.").append("\n");
            }
            out.append("\n");
        }
        System.out.print(out);
    }

    static int solve(boolean[][] card, int w, int h, int[] q) {
        boolean[][][] seen = new boolean[2][h + 2][w + 2];
        List<List<int[]>> layer = List.of(List.of(new int[] {q[0], q[1]}), List.of(new int[] {q[0], q[1]}));
        for (int segments = 1; !layer.get(0).isEmpty() || !layer.get(1).isEmpty(); segments++) {
            List<List<int[]>> next = List.of(new ArrayList<>(), new ArrayList<>());
            for (int orientation = 0; orientation < 2; orientation++) {
                for (int[] cell : layer.get(1 - orientation)) {
                    for (int d = 2 * orientation; d < 2 * orientation + 2; d++) {
                        int x = cell[0] + DX[d], y = cell[1] + DY[d];
                        while (x >= 0 && x <= w + 1 && y >= 0 && y <= h + 1) {
                            if (x == q[2] && y == q[3]) return segments;
                            if (card[y][x] || seen[orientation][y][x]) break;
                            seen[orientation][y][x] = true;
                            next.get(orientation).add(new int[] {x, y});
                            x += DX[d];
                            y += DY[d];
                        }
                    }
                }
            }
            layer = next;
        }
        return -1;
    }
}
