//! The languages with the real compilers of this machine, as far as it has them.

use std::sync::Arc;

use super::direct::Direct;
use super::{build_limits, caps, id, toolchain};
use crate::domain::{Cause, End};
use crate::sandbox::{Collect, Job, Outcome, Room, Runner};
use crate::toolchain::{Build, FileDigests, Toolchain, Unresolved};
use crate::util::tests::skips::without_language;

struct Bench {
    toolchain: Toolchain,
    runner: Direct,
}

impl Bench {
    fn new() -> Self {
        Self {
            toolchain: toolchain(""),
            runner: Direct::new(),
        }
    }

    /// Whether the language is installed.
    fn has(&self, key: &str) -> bool {
        match self.toolchain.identify(&id(key)) {
            Ok(_) => true,
            Err(Unresolved::Missing(missing)) => {
                without_language(key, &missing.to_string());
                false
            }
            Err(Unresolved::Fault(fault)) => panic!("{key}: {fault}"),
        }
    }

    fn build(&mut self, key: &str, file_name: &str, source: &[u8]) -> Build {
        let language = self.toolchain.language(&id(key)).unwrap();
        self.toolchain
            .build(
                &mut self.runner,
                language,
                (file_name, source),
                &[],
                &build_limits(),
            )
            .unwrap()
    }

    fn run(&mut self, key: &str, source: &[u8], input: &[u8]) -> Outcome {
        let build = self.build(key, "x", source);
        let artifact = build.result.unwrap_or_else(|cause| {
            panic!(
                "{key}: {cause:?}: {}",
                String::from_utf8_lossy(&build.words)
            )
        });
        let language = self.toolchain.language(&id(key)).unwrap();
        let caps = caps();
        let start = self
            .toolchain
            .start(language, &artifact, caps.memory_bytes)
            .unwrap();
        self.runner
            .enter(&Room {
                shown: start.shown,
                app: artifact.files,
            })
            .unwrap();
        let outcome = self
            .runner
            .run(&Job {
                argv: start.argv,
                env: start.env,
                stdin: Arc::from(input),
                files: Vec::new(),
                collect: Collect::Nothing,
                caps,
                stderr_bytes_max: 1 << 16,
                disk_bytes: 1 << 20,
                stack_bytes: start.stack_bytes,
                alone: false,
            })
            .unwrap();
        let says_memory = start
            .memory_words
            .iter()
            .any(|words| String::from_utf8_lossy(&outcome.stderr).contains(words.as_str()));
        Outcome {
            memory_exceeded: says_memory,
            ..outcome
        }
    }

    fn prints(&mut self, key: &str, source: &[u8], expected: &[u8]) {
        let outcome = self.run(key, source, b"");
        let stderr = String::from_utf8_lossy(&outcome.stderr);
        assert_eq!(outcome.end, End::Exited(0), "{key}: {stderr}");
        assert_eq!(
            String::from_utf8_lossy(&outcome.stdout),
            String::from_utf8_lossy(expected),
            "{key}"
        );
    }

    fn refuses(&mut self, key: &str, source: &[u8], cause: &Cause, word: &str) {
        let build = self.build(key, "x", source);
        let words = String::from_utf8_lossy(&build.words).into_owned();
        assert_eq!(build.result.as_ref().err(), Some(cause), "{key}: {words}");
        assert!(words.contains(word), "{key}: {words}");
        assert!(
            !words.contains("/tmp") && !words.contains("/box"),
            "no folder of this machine is shown: {words}"
        );
    }
}

#[test]
fn every_installed_language_copies_its_input() {
    let mut bench = Bench::new();
    let ids: Vec<_> = bench
        .toolchain
        .languages()
        .map(|language| language.id().clone())
        .collect();
    let mut offered = 0;
    for id in ids {
        if !bench.has(id.as_str()) {
            continue;
        }
        let availability = bench
            .toolchain
            .probe(&id, &mut bench.runner, &caps(), &build_limits());
        assert!(availability.is_ok(), "{id}: {availability:?}");
        offered += 1;
    }
    assert!(
        offered > 0,
        "a machine that can build this has one compiler at least"
    );
}

#[test]
fn a_language_is_the_same_at_every_look() {
    let mut bench = Bench::new();
    let files = FileDigests::default();
    for (key, parts) in [
        (
            "cpp",
            &["g++", "self-test: program", "self-test: output"][..],
        ),
        ("java", &["javac", "java", "self-test: program"]),
        ("perl", &["perl", "self-test: output"]),
    ] {
        if !bench.has(key) {
            continue;
        }
        let mut look = || {
            let (caps, limits) = (caps(), build_limits());
            bench
                .toolchain
                .identity(&id(key), &mut bench.runner, &files, &caps, &limits)
                .unwrap()
        };
        let (identity, again) = (look(), look());
        assert_eq!(identity, again, "{key}");
        for part in parts {
            let digest = identity.parts.get(*part);
            assert!(digest.is_some_and(Option::is_some), "{part}: {identity:?}");
        }
    }
}

/// Language, source, words of its compiler.
#[rustfmt::skip]
const REFUSED: &[(&str, &str, &str)] = &[
    ("c", "int main(void) { return x; }", "main.c:1"),
    ("cpp", "int main() { return x; }", "main.cpp:1"),
    ("python3", "print(1", "main.py"),
    ("java", "class A { public static void main(String[] a) { x } }", "A.java:1"),
    ("java", "public class A { } public class B { public static void main(String[] a) { } }", "class B is public"),
    ("java", "class A { int f() { return } }", "Main.java:1"),
    ("javascript", "let a = ;", "main.js:1"),
    ("rust", "fn main() { x }", "main.rs:1"),
    ("pascal", "begin writeln(x) end.", "main.pas(1,"),
    ("lua", "print(", "main.lua:1"),
    ("perl", "my $x = ;", "main.pl line 1"),
    ("ruby", "def f(", "main.rb:1"),
];

#[test]
fn a_compile_error_has_the_compilers_words_and_the_files_name() {
    let mut bench = Bench::new();
    for &(key, source, word) in REFUSED {
        if bench.has(key) {
            bench.refuses(key, source.as_bytes(), &Cause::Compiler, word);
        }
    }
}

#[test]
fn a_source_with_nothing_to_start_is_a_compile_error() {
    let mut bench = Bench::new();
    for (key, source, cause, word) in [
        (
            "java",
            "class A { void run() { } }",
            Cause::NoEntryPoint,
            "static void main",
        ),
        (
            "pascal",
            "unit main; interface implementation end.",
            Cause::NoEntryPoint,
            "no program",
        ),
        ("c", "int f(void) { return 0; }", Cause::Compiler, "main"),
        ("rust", "pub fn f() { }", Cause::Compiler, "main"),
    ] {
        if bench.has(key) {
            bench.refuses(key, source.as_bytes(), &cause, word);
        }
    }
}

/// Language, source with a comment in CP1251 or GBK, output.
#[rustfmt::skip]
const BYTES: &[(&str, &[u8], &[u8])] = &[
    ("c", b"// \xcf\xf0\xe8\n#include <stdio.h>\nint main(void) { puts(\"\xd6\xd0\"); }", b"\xd6\xd0\n"),
    ("cpp", b"// \xcf\xf0\xe8\n#include <iostream>\nint main() { std::cout << \"\xd6\xd0\\n\"; }", b"\xd6\xd0\n"),
    ("pascal", b"{ \xcf\xf0\xe8 } begin writeln('\xd6\xd0') end.", b"\xd6\xd0\n"),
    ("java", b"// \xcf\xf0\xe8\nclass A { public static void main(String[] a) { System.out.println(1); } }", b"1\n"),
    ("javascript", b"// \xcf\xf0\xe8\nconsole.log(1)", b"1\n"),
    ("python3", b"# -*- coding: gbk -*-\n# \xd6\xd0\xce\xc4\nprint(1)", b"1\n"),
    ("python3", b"# -*- coding: cp1251 -*-\n# \xcf\xf0\xe8\nprint(1)", b"1\n"),
];

#[test]
fn sources_are_compiled_as_the_bytes_they_are() {
    let mut bench = Bench::new();
    for &(key, source, expected) in BYTES {
        if bench.has(key) {
            bench.prints(key, source, expected);
        }
    }
    if bench.has("java") {
        let wrong = b"class A { public static void main(String[] a) { f(\"\xd6\xd0\"); } }";
        let build = bench.build("java", "A.java", wrong);
        let quoted = build
            .words
            .windows(4)
            .any(|window| window == b"\"\xd6\xd0\"");
        assert!(
            build.result.is_err() && quoted,
            "the compiler quotes the source's own bytes"
        );
    }
}

/// Language, source that prints 1.
#[rustfmt::skip]
const ONES: &[(&str, &str)] = &[
    ("c", "#include <stdio.h>\nint main(void) { puts(\"1\"); }"),
    ("cpp", "#include <iostream>\nint main() { std::cout << \"1\\n\"; }"),
    ("python3", "print(1)"),
    ("java", "public class Größe { public static void main(String[] a) { System.out.println(1); } }"),
    ("javascript", "console.log(1)"),
    ("rust", "fn main() { println!(\"1\"); }"),
    ("pascal", "program p; begin writeln(1) end."),
    ("lua", "print(1)"),
    ("perl", "print \"1\\n\";"),
    ("ruby", "puts 1"),
];

#[test]
fn byte_order_marks_and_carriage_returns_do_no_harm() {
    let mut bench = Bench::new();
    for &(key, source) in ONES {
        if bench.has(key) {
            let source = format!("\u{feff}{}", source.replace('\n', "\r\n"));
            bench.prints(key, source.as_bytes(), b"1\n");
        }
    }
}

#[test]
fn java_programs_start_wherever_their_main_is() {
    let mut bench = Bench::new();
    if !bench.has("java") {
        return;
    }
    for source in [
        "package a.b; public class M { public static void main(String... a) { System.out.println(1); } }",
        "class H { } class S { static class I { static public void main(final String a[]) { System.out.println(1); } } }",
        "public class P { } class Q { public static void main(String[] a) { System.out.println(1); } }",
        "class Ж { public static void main(String[] a) { System.out.println(1); } }",
        "interface I { static void main(String[] a) { System.out.println(1); } }",
        "enum E { X; public static void main(String[] a) { System.out.println(1); } }",
        "record R(int x) { public static void main(String[] a) { System.out.println(new R(1).x()); } }",
    ] {
        bench.prints("java", source.as_bytes(), b"1\n");
    }
}

#[test]
fn warnings_of_an_accepted_source_are_kept() {
    let mut bench = Bench::new();
    for (key, source, word) in [
        (
            "c",
            "int main(void) { int x = \"a\"; return 0 * x; }",
            "warning",
        ),
        ("rust", "fn main() { let x = 1; }", "unused"),
        (
            "pascal",
            "var x, y: integer; procedure p; var z: integer; begin y := z end; begin p end.",
            "Warning",
        ),
        ("perl", "print 1;", ""),
    ] {
        if bench.has(key) {
            let build = bench.build(key, "x", source.as_bytes());
            let words = String::from_utf8_lossy(&build.words).into_owned();
            assert!(
                build.result.is_ok() && words.contains(word),
                "{key}: {words}"
            );
            assert!(!word.is_empty() || words.is_empty(), "{key}: {words}");
        }
    }
}

/// Language, source that calls itself 100,000 times.
#[rustfmt::skip]
const DEEP: &[(&str, &str)] = &[
    ("c", "#include <stdio.h>\nint f(volatile int n) { return n ? 1 + f(n - 1) : 0; } int main(void) { printf(\"%d\\n\", f(100000)); }"),
    ("cpp", "#include <cstdio>\nint f(volatile int n) { return n ? 1 + f(n - 1) : 0; } int main() { printf(\"%d\\n\", f(100000)); }"),
    ("java", "class A { static int f(int n) { return n == 0 ? 0 : 1 + f(n - 1); } public static void main(String[] a) { System.out.println(f(100000)); } }"),
    ("javascript", "function f(n) { return n ? 1 + f(n - 1) : 0; } console.log(f(100000));"),
    ("rust", "fn f(n: u32) -> u32 { if std::hint::black_box(n) == 0 { 0 } else { 1 + f(n - 1) } } fn main() { println!(\"{}\", f(100000)); }"),
    ("pascal", "function f(n: longint): longint; begin if n = 0 then f := 0 else f := 1 + f(n - 1) end; begin writeln(f(100000)) end."),
    ("python3", "import sys\nsys.setrecursionlimit(200000)\ndef f(n): return 1 + f(n - 1) if n else 0\nprint(f(100000))"),
];

#[test]
fn deep_recursion_is_no_crash() {
    let mut bench = Bench::new();
    for &(key, source) in DEEP {
        if bench.has(key) {
            bench.prints(key, source.as_bytes(), b"100000\n");
        }
    }
    if bench.has("java") {
        let endless = "class A { static int f(int n) { return 1 + f(n); } public static void main(String[] a) { System.out.println(f(0)); } }";
        let outcome = bench.run("java", endless.as_bytes(), b"");
        let stderr = String::from_utf8_lossy(&outcome.stderr).into_owned();
        assert!(stderr.contains("StackOverflowError"), "{stderr}");
        assert_eq!(
            (outcome.end, outcome.memory_exceeded),
            (End::Exited(1), false)
        );
    }
    if bench.has("javascript") {
        let endless =
            "function f(a) { return 1 + f([a]); } try { f(0) } catch (e) { console.log(e.name) }";
        bench.prints("javascript", endless.as_bytes(), b"RangeError\n");
    }
}

/// Language, source that needs more memory than there is.
#[rustfmt::skip]
const GREEDY: &[(&str, &str)] = &[
    ("java", "import java.util.*; class A { public static void main(String[] a) { List<long[]> l = new ArrayList<>(); while (true) l.add(new long[1 << 17]); } }"),
    ("java", "class A { public static void main(String[] a) { try { long[] l = new long[1 << 30]; } catch (Throwable t) { } } }"),
    ("javascript", "const l = []; while (true) l.push(new Array(1000).fill({ a: 1 }));"),
    ("python3", "x = [0] * 10 ** 15"),
    ("cpp", "#include <vector>\nint main(int n, char**) { std::vector<char> v(n * 1000000000000000LL); return v[5]; }"),
];

#[test]
fn run_time_systems_that_run_out_of_memory_say_so() {
    let mut bench = Bench::new();
    for &(key, source) in GREEDY {
        if bench.has(key) {
            let outcome = bench.run(key, source.as_bytes(), b"");
            let stderr = String::from_utf8_lossy(&outcome.stderr);
            assert!(outcome.memory_exceeded, "{key}: {:?} {stderr}", outcome.end);
            assert_ne!(outcome.end, End::Exited(0));
            assert!(
                outcome.stdout.is_empty(),
                "{key}: nothing of it is mistaken for output"
            );
        }
    }
}

#[test]
fn modules_of_node_run_under_each_extension() {
    let mut bench = Bench::new();
    if !bench.has("javascript") {
        return;
    }
    let module = b"import fs from 'fs';\nconsole.log(typeof fs.readFileSync);";
    let build = bench.build("javascript", "a.MJS", module);
    assert_eq!(build.result.unwrap().files[0].name, "main.mjs");
    let classic = b"const fs = require('fs');\nconsole.log(typeof fs.readFileSync);";
    let build = bench.build("javascript", "a.cjs", classic);
    assert_eq!(build.result.unwrap().files[0].name, "main.cjs");
    bench.prints("javascript", classic, b"function\n");
}

#[test]
fn programs_of_c_are_linked_statically_where_the_libraries_are() {
    let mut bench = Bench::new();
    for key in ["c", "cpp", "rust"] {
        if !bench.has(key) {
            continue;
        }
        let version = bench.toolchain.identify(&id(key)).unwrap();
        let source = if key == "rust" {
            "fn main() {}"
        } else {
            "int main() { return 0; }"
        };
        let artifact = bench.build(key, "x", source.as_bytes()).result.unwrap();
        assert_eq!(artifact.files.len(), 1, "nothing but the program is kept");
        let has_interpreter = artifact.files[0]
            .bytes
            .windows(10)
            .any(|window| window == b"/ld-linux-");
        assert_eq!(
            has_interpreter,
            version.contains("linked dynamically"),
            "{key}: {version}"
        );
    }
}
