//! Sources as students hand them in, with the real compilers of this machine, as far as it has them:
//! what starts, what is refused in whose words, and what runs out of memory.

use crate::place::{Place, assert_has, language_of, left_to_soak};
use crate::skips::skipped;

/// Notes that a language is not installed here. The compilers that are too large to be installed
/// for each run are listed in the Makefile.
pub fn without_language(key: &str, why: &str) {
    let table = include_str!("../../src/config/languages.toml");
    let table: toml::Table = table.parse().unwrap();
    let compiler = table["languages"][key]["version"][0].as_str().unwrap();
    let large = include_str!("../../Makefile")
        .lines()
        .find_map(|line| line.strip_prefix("SOAK_NEEDS := "))
        .unwrap();
    let mut programs = large.split(' ').filter_map(|need| need.split(':').next());
    let noted = if programs.any(|program| program == compiler) {
        left_to_soak
    } else {
        skipped
    };
    noted(&format!("{key}: {why}"));
}

/// Its ending, its source, its verdict, and words of its compiler, in which `FILE` is its name, or of
/// the hints.
type Program<'s> = (&'s str, &'s [u8], &'s str, &'s str);

/// Judges programs that should print 3.
fn judged(programs: &[Program<'_>]) {
    let place = Place::new();
    place.configure("[judge]\nrepeat_near_limit = false\n");
    let manifest = "title = \"Three\"\n[limits]\ncpu_s = 10.0\nmemory_mib = 256\n";
    place.write("problems/three/problem.toml", manifest);
    place.add_test("three", "sample/1", "", "3\n");
    let write = |(number, (ending, source, ..)): (usize, &Program<'_>)| {
        let name = format!("w{number}.{ending}");
        place.write(&name, source);
        name
    };
    let names: Vec<String> = programs.iter().enumerate().map(write).collect();
    let objects = place.objects(&format!("judge --json --problem three {}", names.join(" ")));
    assert_eq!(objects.len(), programs.len());
    for (name, (_, source, verdict, words)) in names.iter().zip(programs) {
        let mut objects = objects.iter();
        let object = objects.find(|object| object["file"] == **name).unwrap();
        let rejected = object["rejected"].as_str().unwrap_or_default();
        if rejected.contains("not installed") {
            without_language(&language_of(name), rejected);
            continue;
        }
        let source = String::from_utf8_lossy(source);
        assert_eq!(object["verdict"], *verdict, "{source}\n{object:#}");
        let said = match *verdict {
            "CE" => object["compiler"]["words"].as_str().unwrap().to_owned(),
            _ => object["hints"].to_string(),
        };
        assert_has(&said, &[&words.replace("FILE", name)]);
        let is_ours = said.contains("/tmp") || said.contains("/box") || said.contains("/app");
        assert!(!is_ours, "a folder of the sandbox is shown: {said}");
    }
}

/// Sources with comments and texts in CP1251 or GBK.
#[rustfmt::skip]
const BYTES: &[Program<'_>] = &[
    ("c", b"// \xcf\xf0\xe8\n#include <stdio.h>\nint main(void) { const unsigned char *s = (const unsigned char *)\"\xd6\xd0\"; printf(\"%d\\n\", s[0] == 0xd6 && s[1] == 0xd0 ? 3 : 0); }", "AC", ""),
    ("cpp", b"// \xcf\xf0\xe8\n#include <iostream>\nint main() { const std::string s = \"\xd6\xd0\"; std::cout << (s == \"\\xd6\\xd0\" ? 3 : 0); }", "AC", ""),
    ("pas", b"{ \xcf\xf0\xe8 } var s: string; begin s := '\xd6\xd0'; if (ord(s[1]) = 214) and (ord(s[2]) = 208) then writeln(3) end.", "AC", ""),
    ("java", b"// \xcf\xf0\xe8\nclass A { public static void main(String[] a) { System.out.println(3); } }", "AC", ""),
    ("js", b"// \xcf\xf0\xe8\nconsole.log(3)", "AC", ""),
    ("py", b"# -*- coding: gbk -*-\n# \xd6\xd0\xce\xc4\nprint(3)", "AC", ""),
    ("py", b"# -*- coding: cp1251 -*-\n# \xcf\xf0\xe8\nprint(3)", "AC", ""),
    ("mjs", b"import fs from 'fs';\nconsole.log(typeof fs.readFileSync == 'function' ? 3 : 0);", "AC", ""),
    ("cjs", b"const fs = require('fs');\nconsole.log(typeof fs.readFileSync == 'function' ? 3 : 0);", "AC", ""),
];

/// Java programs, whose main may stand anywhere.
const MAINS: [&str; 3] = [
    "package a.b; public class P { } class Q { public static void main(String... a) { System.out.println(3); } }",
    "class Ж { } class S { static class I { static public void main(final String a[]) { System.out.println(3); } } }",
    "record R(int x) { public static void main(String[] a) { System.out.println(new R(3).x()); } }",
];

/// Ending, source that prints 3; where other judges define `ONLINE_JUDGE`, only if it is defined.
#[rustfmt::skip]
const THREES: [(&str, &str); 10] = [
    ("c", "#include <stdio.h>\n#ifdef ONLINE_JUDGE\nint main(void) { puts(\"3\"); }\n#endif"),
    ("cpp", "#include <iostream>\n#ifdef ONLINE_JUDGE\nint main() { std::cout << \"3\\n\"; }\n#endif"),
    ("py", "import os\nprint(3 if os.environ.get('ONLINE_JUDGE') else 0)"),
    ("java", "public class Größe { public static void main(String[] a) { System.out.println(System.getProperty(\"ONLINE_JUDGE\") == null || System.getenv(\"ONLINE_JUDGE\") == null ? 0 : 3); } }"),
    ("js", "console.log(3)"),
    ("rs", "fn main() { println!(\"3\"); }"),
    ("pas", "program p; begin {$ifdef ONLINE_JUDGE} writeln(3) {$endif} end."),
    ("lua", "print(3)"),
    ("pl", "print \"3\\n\";"),
    ("rb", "puts 3"),
];

#[test]
fn sources_are_compiled_as_the_bytes_they_are_and_start_wherever_their_main_is() {
    // Marks of byte order and carriage returns do no harm.
    let marked = |source: &str| format!("\u{feff}{}", source.replace('\n', "\r\n"));
    let marked = THREES.map(|(ending, source)| (ending, marked(source)));
    let marked = marked.iter();
    let marked = marked.map(|(ending, source)| (*ending, source.as_bytes(), "AC", ""));
    let mains = MAINS.iter();
    let mains = mains.map(|source| ("java", source.as_bytes(), "AC", ""));
    let all: Vec<Program<'_>> = BYTES.iter().copied().chain(marked).chain(mains).collect();
    judged(&all);
}

#[rustfmt::skip]
const REFUSED: &[Program<'_>] = &[
    ("c", b"int main(void) { return x; }", "CE", "FILE:1"),
    ("cpp", b"int main() { return x; }", "CE", "FILE:1"),
    ("py", b"print(1", "CE", "FILE"),
    ("java", b"public class A { } public class B { public static void main(String[] a) { } }", "CE", "class B is public"),
    ("java", b"class A { public static void main(String[] a) { f(\"\xd6\xd0\"); } }", "CE", "A.java:1"),
    ("js", b"let a = ;", "CE", "FILE:1"),
    ("rs", b"fn main() { x }", "CE", "FILE:1"),
    ("pas", b"begin writeln(x) end.", "CE", "FILE(1,"),
    ("lua", b"print(", "CE", "FILE:1"),
    ("pl", b"my $x = ;", "CE", "FILE line 1"),
    ("rb", b"def f(", "CE", "FILE:1"),
    // There is nothing to start.
    ("java", b"class A { void run() { } }", "CE", "static void main"),
    ("pas", b"unit main; interface implementation end.", "CE", "no program"),
    ("c", b"int f(void) { return 0; }", "CE", "main"),
    ("rs", b"pub fn f() { }", "CE", "main"),
];

#[test]
fn a_compile_error_has_the_compilers_words_and_the_files_name() {
    judged(REFUSED);
}

/// Programs that call themselves 100,000 times or without an end, and such as need more memory than
/// there is: run-time systems that run out of it say so in their own ways.
#[rustfmt::skip]
const LARGE: &[Program<'_>] = &[
    ("c", b"#include <stdio.h>\nint f(volatile int n) { return n ? 1 + f(n - 1) : 0; } int main(void) { printf(\"%d\\n\", f(100000) - 99997); }", "AC", ""),
    ("cpp", b"#include <cstdio>\nint f(volatile int n) { return n ? 1 + f(n - 1) : 0; } int main() { printf(\"%d\\n\", f(100000) - 99997); }", "AC", ""),
    ("java", b"class A { static int f(int n) { return n == 0 ? 0 : 1 + f(n - 1); } public static void main(String[] a) { System.out.println(f(100000) - 99997); } }", "AC", ""),
    ("js", b"function f(n) { return n ? 1 + f(n - 1) : 0; } console.log(f(100000) - 99997);", "AC", ""),
    ("rs", b"fn f(n: u32) -> u32 { if std::hint::black_box(n) == 0 { 0 } else { 1 + f(n - 1) } } fn main() { println!(\"{}\", f(100000) - 99997); }", "AC", ""),
    ("pas", b"function f(n: longint): longint; begin if n = 0 then f := 0 else f := 1 + f(n - 1) end; begin writeln(f(100000) - 99997) end.", "AC", ""),
    ("py", b"import sys\nsys.setrecursionlimit(200000)\ndef f(n): return 1 + f(n - 1) if n else 0\nprint(f(100000) - 99997)", "AC", ""),
    ("java", b"class A { static int f(int n) { return 1 + f(n); } public static void main(String[] a) { System.out.println(f(0)); } }", "RE", ""),
    ("js", b"function f(a) { return 1 + f([a]); } try { f(0) } catch (e) { console.log(e.name == 'RangeError' ? 3 : 0) }", "AC", ""),
    ("java", b"import java.util.*; class A { public static void main(String[] a) { List<long[]> l = new ArrayList<>(); while (true) l.add(new long[1 << 17]); } }", "MLE", ""),
    ("java", b"class A { public static void main(String[] a) { try { long[] l = new long[1 << 30]; } catch (Throwable t) { } } }", "RE", "refused memory"),
    ("js", b"const l = []; while (true) l.push(new Array(1000).fill({ a: 1 }));", "MLE", ""),
    ("py", b"x = [0] * 10 ** 15", "RE", "refused memory"),
    ("cpp", b"#include <vector>\nint main(int n, char**) { std::vector<char> v(n * 1000000000000000LL); return v[5]; }", "RE", "refused memory"),
];

#[test]
fn deep_recursion_is_no_crash_and_a_lack_of_memory_is_told() {
    judged(LARGE);
}
