//! `verdictd explain`: each reason that it names is earned by a program.

use serde_json::Value;

use crate::explaining::explain;
use crate::place::{Place, shipped};

/// Programs with wrong outputs: what each makes of the words of a right one, in Lua, and its cause.
#[rustfmt::skip]
const OUTPUTS: [(&str, &str); 8] = [
    ("{}", "no-output"),
    ("{w[1], w[2]}", "missing-output"),
    ("table.move({'7'}, 1, 1, #w + 1, w)", "extra-output"),
    ("each(function(i) return w[#w + 1 - i] end)", "wrong-order"),
    ("each(function(i) return w[i] + 1 end)", "off-by-one"),
    ("each(function() return 5 end)", "constant"),
    ("each(function(i) return w[math.max(i - 1, 1)] end)", "previous-answer"),
    ("each(function(i) return w[math.min(i + 1, #w)] end)", "shifted"),
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

/// A right Lua program with other words: `text`, where `t` is what it prints, `w` are the words of
/// that, and `each` makes a list of something for each.
pub fn changed(right: &str, text: &str) -> String {
    let right = example(right);
    format!(
        "local t, w = '', {{}}\n\
         local function each(f) local all = {{}} for i = 1, #w do all[i] = f(i) end return all end\n\
         local real = io.write\n\
         io.write = function(...) t = t .. table.concat({{...}}) end\n\
         print = function(...) t = t .. table.concat({{...}}, '\\t') .. '\\n' end\n\
         do\n{right}\nend\n\
         for x in t:gmatch('%S+') do w[#w + 1] = x end\n\
         real({text})\n"
    )
}

fn codes(object: &Value) -> Vec<&str> {
    let causes = object["causes"].as_array().unwrap().iter();
    let causes = causes.map(|cause| cause["code"].as_str().unwrap());
    causes.collect()
}

#[test]
fn wrong_outputs_have_their_causes() {
    let place = Place::new().only(&["lua"]).with_problem("curling");
    let place = place.with_searches("idle = false\ncpu_s = 1.0");
    let place = place.with_problem("thegame");
    let found = |slug: &str, right: &str, programs: &[(&str, String)]| {
        let write = |(code, words): &(&str, String)| {
            let file = format!("{code}.lua");
            let right = format!("{slug}/submissions/accepted/{right}");
            place.write(&file, changed(&right, words));
            file
        };
        let files: Vec<String> = programs.iter().map(write).collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        explain(&place, slug, &files).0
    };
    let outputs = OUTPUTS.map(|(all, code)| (code, format!("table.concat({all}, '\\n')")));
    let objects = found("curling", "dfs.lua", &outputs);
    for (_, code) in OUTPUTS {
        let object = &objects[&format!("{code}.lua")];
        assert!(codes(object).contains(&code), "{object:#}");
        let [summary, evidence] = ["summary", "evidence"].map(|key| &object["causes"][0][key]);
        assert!(summary.as_str().unwrap().ends_with('.'), "{object:#}");
        assert!(!evidence.as_str().unwrap().is_empty(), "{object:#}");
    }
    let first_only = &objects["missing-output.lua"];
    assert_eq!(codes(first_only), ["missing-output", "reads-less"]);
    let numbers = "(t:gsub('Pair 2:', 'Pair 0:'):gsub('Pair 1:', 'Pair 2:'))";
    let layouts = [
        ("layout", "table.concat(w, ' '), '\\n'"),
        ("case-numbers", numbers),
    ];
    let layouts = layouts.map(|(code, words)| (code, words.to_owned()));
    let objects = found("thegame", "slides.lua", &layouts);
    for (code, _) in layouts {
        let object = &objects[&format!("{code}.lua")];
        assert_eq!(codes(object), [code], "{object:#}");
    }
}

#[test]
fn rules_and_formats_are_blamed_only_where_answers_depend_on_them() {
    let place = Place::new().only(&["cpp", "java", "python3"]);
    let place = place.with_searches("idle = false\ncpu_s = 1.0");
    let place = place.with_problem("curling");
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
