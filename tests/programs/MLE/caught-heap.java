// Row 10: the program catches the error and goes on; it is the memory limit all the same.
import java.util.ArrayList;
public class Caught {
    public static void main(String[] arguments) {
        while (true) {
            ArrayList<long[]> everything = new ArrayList<>();
            try {
                while (true) everything.add(new long[1 << 17]);
            } catch (OutOfMemoryError error) {
                System.err.println("again");
            }
        }
    }
}
