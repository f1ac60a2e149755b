// Row 10: the heap of a virtual machine, that is smaller than the limit.
import java.util.ArrayList;
public class Heap {
    public static void main(String[] arguments) {
        ArrayList<long[]> everything = new ArrayList<>();
        while (true) everything.add(new long[1 << 17]);
    }
}
