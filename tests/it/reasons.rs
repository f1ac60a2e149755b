//! `verdictd explain`: each reason that it names is earned by a program.

use serde_json::Value;

use crate::explaining::explain;
use crate::place::{Place, shipped};

/// Programs with wrong outputs: what each makes of the words of a right one, and its cause.
const OUTPUTS: [(&str, &str); 8] = [
    ("[]", "no-output"),
    ("w[:2]", "missing-output"),
    ("w + ['7']", "extra-output"),
    ("w[::-1]", "wrong-order"),
    ("[int(x) + 1 for x in w]", "off-by-one"),
    ("['5' for x in w]", "constant"),
    ("w[:1] + w[:-1]", "previous-answer"),
    ("w[1:] + w[-1:]", "shifted"),
];

/// Programs for `sum` whose runs show why they fail.
const RUNS: [(&str, &str, &str); 6] = [
    (
        "deep.c",
        "#include <stdio.h>\n\
         static int depth(int n) { volatile char room[1000]; room[n % 1000] = 1; \
         return n < 0 ? 0 : depth(n + 1) + room[n % 1000]; }\n\
         int main(void) { printf(\"%d\\n\", depth(0)); }\n",
        "stack-overflow",
    ),
    (
        "local.c",
        "#include <stdio.h>\n\
         int main(void) { volatile char t[100000000]; int a, b; t[0] = 0; scanf(\"%d%d\", &a, &b); \
         printf(\"%d\\n\", a + b + t[0]); }\n",
        "stack-overflow",
    ),
    (
        "deep.py",
        "def f(n): return f(n + 1)\nf(0)\n",
        "stack-overflow",
    ),
    (
        "slow.c",
        "#include <stdio.h>\n#include <time.h>\n\
         int main(void) { long long a, b; scanf(\"%lld%lld\", &a, &b); \
         while (clock() < 3 * CLOCKS_PER_SEC / 2) {} printf(\"%lld\\n\", a + b); }\n",
        "too-slow",
    ),
    ("null.c", "int main(void) { *(volatile int *)0 = 1; }\n", ""),
    (
        "heap.c",
        "#include <stdlib.h>\n#include <string.h>\n\
         int main(void) { for (;;) memset(malloc(1 << 20), 1, 1 << 20); }\n",
        "",
    ),
];

fn example(path: &str) -> String {
    shipped(&format!("problems/{path}"))
}

/// The words of a right Python program, changed.
pub fn changed(right: &str, words: &str) -> String {
    let right = example(right);
    format!(
        "import atexit, io, sys\n\
         real, sys.stdout = sys.stdout, io.StringIO()\n\
         def last():\n    \
             t = sys.stdout.getvalue()\n    \
             w = t.split()\n    \
             real.write({words})\n    \
             real.flush()\n\
         atexit.register(last)\n{right}"
    )
}

fn codes(object: &Value) -> Vec<&str> {
    let causes = object["causes"].as_array().unwrap().iter();
    causes
        .map(|cause| cause["code"].as_str().unwrap())
        .collect()
}

#[test]
fn wrong_outputs_have_their_causes() {
    let place = Place::new()
        .only(&["python3"])
        .with_problem("curling")
        .with_problem("thegame")
        .with_searches("idle = false\ncpu_s = 1.0");
    let files = OUTPUTS.map(|(expression, code)| {
        let file = format!("{code}.py");
        let words = format!("'\\n'.join(map(str, {expression}))");
        place.write(
            &file,
            changed("curling/submissions/accepted/dfs.py", &words),
        );
        file
    });
    let found = explain(&place, "curling", &files.each_ref().map(String::as_str)).0;
    for (_, code) in OUTPUTS {
        let object = &found[&format!("{code}.py")];
        assert!(codes(object).contains(&code), "{object:#}");
        let [summary, evidence] = ["summary", "evidence"].map(|key| &object["causes"][0][key]);
        assert!(summary.as_str().unwrap().ends_with('.'), "{object:#}");
        assert!(!evidence.as_str().unwrap().is_empty(), "{object:#}");
    }
    let first_only = &found["missing-output.py"];
    assert_eq!(codes(first_only), ["missing-output", "reads-less"]);
    let layouts = [
        ("layout", "' '.join(w) + '\\n'"),
        (
            "case-numbers",
            "t.replace('Pair 2:', 'Pair 0:').replace('Pair 1:', 'Pair 2:')",
        ),
    ];
    let files = layouts.map(|(code, words)| {
        let file = format!("{code}.py");
        place.write(
            &file,
            changed("thegame/submissions/accepted/slides.py", words),
        );
        file
    });
    let found = explain(&place, "thegame", &files.each_ref().map(String::as_str)).0;
    for (code, _) in layouts {
        let object = &found[&format!("{code}.py")];
        assert_eq!(codes(object), [code], "{object:#}");
    }
}

#[test]
fn rules_and_formats_are_blamed_only_where_answers_depend_on_them() {
    let place = Place::new()
        .only(&["cpp", "java", "python3"])
        .with_problem("curling")
        .with_searches("idle = false\ncpu_s = 1.0");
    for (file, wanted) in [
        // What fails it is answered alike in both formats.
        ("eleventh_throw_if_beside.cpp", &[][..]),
        ("Swapped.java", &["format"]),
        ("best_carried_over.py", &["rule", "carried-over"]),
    ] {
        let path = format!("curling/submissions/wrong_answer/{file}");
        place.write(file, example(&path));
        let object = &explain(&place, "curling", &[file]).0[file];
        assert_eq!(codes(object), wanted, "{object:#}");
    }
}

#[test]
fn runs_show_what_an_output_does_not() {
    let place = Place::new().only(&["c", "python3"]);
    place.configure("[judge]\nrepeat_near_limit = false\n");
    let files = RUNS.map(|(file, text, _)| {
        place.write(file, text);
        file
    });
    let found = explain(&place, "sum", &files).0;
    for (file, _, code) in RUNS {
        let wanted: Vec<&str> = [code].into_iter().filter(|code| !code.is_empty()).collect();
        assert_eq!(codes(&found[file]), wanted, "{:#}", found[file]);
    }
}
