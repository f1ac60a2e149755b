// Row 22: an exit code of a virtual machine.
public class Exit {
    public static void main(String[] arguments) { System.exit(3); }
}
