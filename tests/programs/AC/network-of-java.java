// Row 31: the same from Java.
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Scanner;
public class Network {
    public static void main(String[] arguments) {
        Scanner in = new Scanner(System.in);
        int sum = in.nextInt() + in.nextInt();
        boolean got = false;
        try { new Socket("127.0.0.1", 22); got = true; } catch (Exception error) { }
        try { new ServerSocket(8080); got = true; } catch (Exception error) { }
        try { Runtime.getRuntime().exec(new String[] {"cat", "/etc/shadow"}).getInputStream().transferTo(System.out); } catch (Exception error) { }
        System.out.println(got ? "a socket" : "" + sum);
    }
}
