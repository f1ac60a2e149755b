// Row 46: a class without a main method.
public class Nothing { void main2() { } }
