// Memory beside the heap of Java.
import java.nio.ByteBuffer;
import java.util.ArrayList;
public class Buffers {
    public static void main(String[] arguments) {
        ArrayList<ByteBuffer> everything = new ArrayList<>();
        while (true) everything.add(ByteBuffer.allocateDirect(1 << 20));
    }
}
