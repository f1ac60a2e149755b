// Breadth first over whole states: where the stone rests and the sorted list of blocks that are gone.
import java.io.*;
import java.util.*;

public class States {
    static int w, h;
    static int[] cells;

    public static void main(String[] args) throws IOException {
        StreamTokenizer in = new StreamTokenizer(new BufferedReader(new InputStreamReader(System.in)));
        StringBuilder out = new StringBuilder();
        while (true) {
            w = next(in);
            h = next(in);
            if (w == 0 && h == 0) break;
            cells = new int[w * h];
            int start = 0;
            for (int i = 0; i < w * h; i++) {
                cells[i] = next(in);
                if (cells[i] == 2) start = i;
            }
            out.append(search(start)).append('\n');
        }
        System.out.print(out);
    }

    static int next(StreamTokenizer in) throws IOException {
        in.nextToken();
        return (int) in.nval;
    }

    static int search(int start) {
        // A state is a string: the place of the stone, then the places of the blocks that are gone, in order.
        Set<String> level = new HashSet<>();
        level.add("" + (char) start);
        boolean[] gone = new boolean[w * h];
        for (int throwNumber = 1; throwNumber <= 10; throwNumber++) {
            Set<String> following = new HashSet<>();
            for (String state : level) {
                for (int i = 1; i < state.length(); i++) gone[state.charAt(i)] = true;
                int at = state.charAt(0);
                for (int d = 0; d < 4; d++) {
                    int hit = slide(at, d, gone);
                    if (hit == -2) return throwNumber;
                    if (hit < 0) continue;
                    if (throwNumber < 10) following.add(after(state, hit, d));
                }
                for (int i = 1; i < state.length(); i++) gone[state.charAt(i)] = false;
            }
            level = following;
        }
        return -1;
    }

    static String after(String state, int hit, int d) {
        StringBuilder next = new StringBuilder();
        next.append((char) (hit - (d == 0 ? 1 : d == 1 ? -1 : d == 2 ? w : -w)));
        boolean placed = false;
        for (int i = 1; i < state.length(); i++) {
            if (!placed && state.charAt(i) > hit) {
                next.append((char) hit);
                placed = true;
            }
            next.append(state.charAt(i));
        }
        if (!placed) next.append((char) hit);
        return next.toString();
    }

    // The block that is hit, -2 for the goal, -1 for nothing.
    static int slide(int at, int d, boolean[] gone) {
        int x = at % w, y = at / w, dx = d == 0 ? 1 : d == 1 ? -1 : 0, dy = d == 2 ? 1 : d == 3 ? -1 : 0;
        for (int steps = 0; ; steps++) {
            x += dx;
            y += dy;
            if (x < 0 || y < 0 || x >= w || y >= h) return -1;
            int cell = y * w + x;
            if (cells[cell] == 3) return -2;
            if (cells[cell] == 1 && !gone[cell]) return steps > 0 ? cell : -1;
        }
    }
}
