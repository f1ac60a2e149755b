// The same threads, that do not keep the program from ending: an exception that nobody caught, exit code 1.
// The virtual machine calls it OutOfMemoryError, but it is the limit of processes that was reached, not that of memory.
public class Daemons {
    public static void main(String[] arguments) {
        while (true) {
            Thread thread = new Thread(() -> {
                while (true) {
                    try { Thread.sleep(1000000); } catch (InterruptedException error) { }
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
    }
}
