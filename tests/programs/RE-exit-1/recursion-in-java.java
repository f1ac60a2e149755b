// Row 16: a virtual machine throws.
public class Recursion {
    static int down(int depth) { return down(depth + 1) + 1; }
    public static void main(String[] arguments) { System.out.println(down(0)); }
}
