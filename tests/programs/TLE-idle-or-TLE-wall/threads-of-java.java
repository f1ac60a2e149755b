// Threads without end. The limit of processes refuses one, the first thread ends by that, the others sleep on.
// Whether it idled depends on how long the virtual machine takes to start.
// problem: brief
public class Threads {
    public static void main(String[] arguments) {
        while (true) new Thread(() -> {
            while (true) {
                try { Thread.sleep(1000000); } catch (InterruptedException error) { }
            }
        }).start();
    }
}
