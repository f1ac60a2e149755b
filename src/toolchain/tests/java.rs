//! Which class is started, for every way of writing it.

use crate::toolchain::java::sketch;
use crate::util::tests::trials::trials;

const MAIN: &str = "public static void main(String[] a) {}";

/// Source, expected class to start, expected name of the file.
#[rustfmt::skip]
const CASES: &[(&str, Option<&str>, Option<&str>)] = &[
    // Which class.
    ("public class Main { MAIN }", Some("Main"), Some("Main")),
    ("class Helper { int x; } class Solve { MAIN }", Some("Solve"), Some("Solve")),
    ("class A { MAIN } public class B { MAIN }", Some("B"), Some("B")),
    ("class A { MAIN } class Main { MAIN }", Some("Main"), Some("Main")),
    ("class A { MAIN } class B { MAIN }", Some("A"), Some("A")),
    ("public class P { } class Q { MAIN }", Some("Q"), Some("P")),
    ("public class One { MAIN } public class Two { }", Some("One"), Some("One")),
    ("public interface I { int f(); } class A implements I { MAIN }", Some("A"), Some("I")),
    ("class A { void run() {} }", None, None),
    ("public class A { void run() {} }", None, Some("A")),
    ("", None, None),
    // Packages, imports, nesting.
    ("package a.b . c; import java.util.*; public class M { MAIN }", Some("a.b.c.M"), Some("M")),
    ("class Outer { static class Inner { MAIN } }", Some("Outer$Inner"), Some("Outer")),
    ("class Outer { static class Inner { MAIN } MAIN }", Some("Outer"), Some("Outer")),
    ("package p; public class O { interface I { class D { MAIN } } }", Some("p.O$I$D"), Some("O")),
    ("class A$B { MAIN }", Some("A$B"), Some("A$B")),
    ("enum E { X { void f() { } }, Y; MAIN }", Some("E"), Some("E")),
    ("record R(int a, int b) { MAIN }", Some("R"), Some("R")),
    ("record R<T>(T t) { MAIN }", Some("R"), Some("R")),
    ("interface I { static void main(String[] a) {} }", Some("I"), Some("I")),
    ("class Größe { MAIN }", Some("Größe"), Some("Größe")),
    ("class Решение { MAIN }", Some("Решение"), Some("Решение")),
    ("@interface Mark { String value(); } @Mark(\"{ class X\") class A { MAIN }", Some("A"), Some("A")),
    ("class A { Object o = new Object() { public String toString() { return null; } }; MAIN }", Some("A"), Some("A")),
    ("class A { Runnable r = () -> { class Local { MAIN } }; } class B { MAIN }", Some("B"), Some("B")),
    ("class A { static { int[] x = {1, 2}; } int[] y = {3}; MAIN }", Some("A"), Some("A")),
    ("class A { Class<?> c = A.class; Class<?> d = String.class; MAIN }", Some("A"), Some("A")),
    ("class A { int record = 1; void f(int record) { record(record); } MAIN }", Some("A"), Some("A")),
    ("sealed interface S permits T {} final class T implements S { MAIN }", Some("T"), Some("T")),
    ("class A<T extends Comparable<T>> { MAIN }", Some("A"), Some("A")),
    // Spellings of the method.
    ("class A { static public void main(String[] args) {} }", Some("A"), Some("A")),
    ("class A { public static final synchronized void main(final String... args) throws Exception {} }", Some("A"), Some("A")),
    ("class A { public static void main(String args[]) {} }", Some("A"), Some("A")),
    ("class A { public static void main(java.lang.String[] args) {} }", Some("A"), Some("A")),
    ("class A { @SuppressWarnings({\"unchecked\", \"raw\"}) public static void main(String[] args) {} }", Some("A"), Some("A")),
    ("class A { public @Many({@One({1}), @One({2})}) static void main(String[] a) {} }", Some("A"), Some("A")),
    ("class A { public @Deprecated static strictfp void\nmain\n(\n@Deprecated final String [ ] args\n)\n{} }", Some("A"), Some("A")),
    ("class A { public static <T> void main(String[] args) {} }", Some("A"), Some("A")),
    ("class A { public static int main(String[] args) { return 0; } }", None, None),
    ("class A { static void main(String[] args) {} }", None, None),
    ("class A { public void main(String[] args) {} }", None, None),
    ("class A { public static void main() {} }", None, None),
    ("class A { public static void main(int[] args) {} }", None, None),
    ("class A { public static void main(String args) {} }", None, None),
    ("class A { public static void main(String[] a, int b) {} }", None, None),
    ("class A { void f() { main(null); } public static void mainly(String[] a) {} }", None, None),
    // Where no code is.
    ("// class X { MAIN }\nclass A { MAIN }", Some("A"), Some("A")),
    ("/* public class X { MAIN } **/ class A { MAIN }", Some("A"), Some("A")),
    ("class A { String s = \"} class X { \\\" MAIN }\"; char c = '}', d = '\\''; MAIN }", Some("A"), Some("A")),
    ("class A { String s = \"\"\"\n } public class X { \\\"\"\" MAIN }\n\"\"\"; MAIN }", Some("A"), Some("A")),
    ("class A { String s = \"never closed;\n MAIN }", Some("A"), Some("A")),
    ("class A { /* never closed MAIN }", None, None),
    // A mark before everything else.
    ("\u{feff}class A { MAIN }", Some("A"), Some("A")),
    // What does not even parse.
    ("}}}} class A { MAIN }", Some("A"), Some("A")),
    (")))((((", None, None),
    ("class", None, None),
    ("class A { void f( { MAIN }", None, None),
];

#[test]
fn the_class_to_start_and_the_name_of_the_file() {
    for &(source, main, stem) in CASES {
        let source = source.replace("MAIN", MAIN);
        let found = sketch(source.as_bytes());
        assert_eq!(found.main.as_deref(), main, "{source}");
        assert_eq!(found.file_stem.as_deref(), stem, "{source}");
    }
}

#[test]
fn other_encodings_are_read_byte_by_byte() {
    let mut source = b"class \xcf\xf0 { public static void main(String[] a) {} }".to_vec();
    assert_eq!(sketch(&source).main.as_deref(), Some("\u{cf}\u{f0}"));
    source.truncate(20);
    assert_eq!(sketch(&source).main, None);
}

#[test]
fn any_bytes_are_read_to_their_end() {
    proptest::proptest!(trials(256), |(source in "([a-z]{0,3}|class |main|[(){}\"'\\\\/*;.@u0-9\\[\\]]){0,60}")| {
        let _ = sketch(source.as_bytes());
    });
}
