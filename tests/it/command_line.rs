//! What scripts rely on: the documented exit codes of every command, also when something is wrong;
//! and that a problem that was not asked for is left alone.

use crate::place::{Place, output};
use crate::programs;

/// A place with one right and one wrong program, both judged.
fn judged() -> Place {
    let place = Place::new().only(&["lua"]);
    place.copy_sum("other");
    place.write("problems/sum/submissions/accepted/a.lua", programs::LUA);
    place.write("submissions/alpha/sum.lua", programs::LUA);
    place.write("submissions/alpha/other.lua", programs::LUA);
    place.write("submissions/beta/sum.lua", "print(7)\n");
    place.write("good.in", "2 1\n3 2\n0 0\n");
    place.write("bad.in", "x\n");
    place
}

/// Runs each command line, parted by `|`, with what it reads behind `<`, and compares its exit code,
/// and what it says with the words behind `=>`.
fn codes(place: &Place, expected: i32, lines: &str) {
    let mut wrong = Vec::new();
    for line in lines.split('|') {
        let (line, told) = line.split_once(" => ").unwrap_or((line, ""));
        let (words, input) = line.split_once(" < ").unwrap_or((line, ""));
        let arguments: Vec<&str> = words.split_whitespace().collect();
        let mut command = place.command(&arguments);
        if !input.is_empty() {
            command.stdin(std::fs::File::open(place.path(input)).unwrap());
        }
        let ended = output(&mut command);
        let said = [&ended.stdout[..], &ended.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        if ended.status.code() != Some(expected) || !said.contains(told) {
            wrong.push(format!("{line}: {:?} {said}", ended.status.code()));
        }
        // No failure is silent.
        let is_silent = ended.stdout.is_empty() && ended.stderr.is_empty();
        assert!(expected == 0 || !is_silent, "{line}");
    }
    assert!(wrong.is_empty(), "in place of {expected}: {wrong:#?}");
}

/// Commands that read the store, and commands that need it.
const STORE: &str = "report|rejudge|replay 1|report --rebuild";

#[test]
fn every_command_exits_with_its_documented_code() {
    let place = judged();
    // Before the first start there is nothing to show, and nothing to work with.
    codes(&place, 0, "status|hack list");
    codes(&place, 2, "links");
    codes(&place, 3, STORE);
    let good = "serve --once|judge submissions/alpha/sum.lua|status|report|report alpha sum 1|\
        report --rebuild|hack list sum|links|links --csv --revoke alpha|\
        links --new alpha --new beta|rejudge|\
        rejudge --problem SUM --student alpha => 0 verdicts have changed|rejudge --dry-run|\
        replay alpha/sum/1|solve curling < good.in|solve curling --check < good.in|\
        draw curling < good.in|validate curling good.in|generate curling --list|check sum|doctor|\
        --help|--version";
    codes(&place, 0, good);
    let no = "judge submissions/beta/sum.lua|validate curling good.in bad.in|\
        solve curling < bad.in|draw curling < bad.in|check other|hack add sum bad.in";
    codes(&place, 1, no);
    let usage = "nonsense => nonsense|status --nonsense|judge none.lua => No such file|\
        judge --problem nope submissions/beta/sum.lua => no problem `nope`; there are|\
        report nobody => nobody has submitted anything as `nobody`|\
        report alpha nothing => alpha has submitted nothing for `nothing`; there are|\
        report alpha sum 9 => no such attempt for sum; there are #1|\
        hack list nope => no problem `nope`; there are|\
        hack add nope good.in => no problem `nope`; there are|hack add sum none.in|\
        hack remove nope evil => no problem `nope`; there are|\
        hack remove sum nope => sum has no hack `nope`|links --revoke nobody|\
        rejudge --problem nope => no problem `nope`; there are other, sum|\
        rejudge --dry-run --problem sun => did you mean `sum`?|\
        rejudge --student alpho => did you mean `alpha`?|\
        replay nobody/sum/1 => nobody has submitted anything as `nobody`|\
        replay alpha/nope => alpha has submitted nothing for `nope`|\
        replay alpha/sum/9 => no such attempt for sum; there are #1|\
        replay alpha/sum/1 secret/9 => no test `secret/9`|solve nope => curling, other, regions|\
        draw nope|validate nope good.in => no problem `nope`; there are|validate curling none.in|\
        generate curling --family nope --seed 1 => random|\
        check nope => no problem `nope`; there are|cluster add-worker lab-07";
    codes(&place, 2, usage);
    in_trouble(&place);
}

/// The same commands after something has gone wrong around them.
fn in_trouble(place: &Place) {
    // Every command that reads config.toml, if that cannot be read.
    let readers = "serve|judge a.lua|status|report|hack list|rejudge|replay 1|check|doctor|";
    let config = place.read("config.toml");
    for text in [Some("[judge\n"), None] {
        std::fs::remove_file(place.path("config.toml")).unwrap();
        text.inspect(|text| place.write("config.toml", text));
        let lines = readers.replace('|', " => config.toml|");
        codes(place, 78, lines.trim_end_matches('|'));
    }
    place.write("config.toml", config);
    // One daemon per store.
    let daemon = place.daemon();
    assert_eq!(place.status()["running"], true);
    codes(place, 3, "serve --once");
    codes(place, 2, "report --rebuild");
    assert_eq!(daemon.stop().code, Some(0));
    // A folder named in config.toml that does not exist.
    std::fs::rename(place.path("problems"), place.path("elsewhere")).unwrap();
    codes(place, 2, "serve --once|status|rejudge");
    std::fs::rename(place.path("elsewhere"), place.path("problems")).unwrap();
    // Another program's file in place of the store.
    place.write("state/verdictd.db", "another program's file\n".repeat(500));
    codes(place, 3, STORE);
    codes(place, 3, "serve --once|status|hack list|doctor");
    // Commands that need no store still work.
    codes(place, 0, "judge submissions/alpha/sum.lua|check sum");
}

#[test]
fn rejudging_one_problem_judges_only_that_one_and_mentions_the_rest() {
    let place = judged();
    assert_eq!(place.serve_once()["alpha/sum/1"], "AC");
    for problem in ["sum", "other"] {
        place.write(&format!("problems/{problem}/data/secret/1.ans"), "7\n");
    }
    let changed = place.objects("rejudge --problem SUM --json");
    assert_eq!(changed.len(), 1, "{changed:?}");
    let what = (&changed[0]["problem"], &changed[0]["after"]);
    assert_eq!(what, (&"sum".into(), &"WA".into()));
    let after = place.verdicts();
    let of = |attempt: &str| after[attempt].clone();
    let found = [of("alpha/sum/1"), of("alpha/other/1")];
    assert_eq!(found, ["WA", "AC"], "the other problem's is as it was");
    // For one student: the problem's other submissions are brought up to date too, and it says so.
    place.write("submissions/gamma/other.lua", programs::LUA);
    place.write("problems/other/data/secret/1.ans", "6\n");
    place.serve_once();
    place.write("problems/other/data/secret/1.ans", "7\n");
    let told = "gamma/other #1|1 verdict has changed|\
        1 verdict outside this request changed too";
    place.says(0, "rejudge --student gamma", &[told]);
    assert_eq!(place.verdicts()["alpha/other/1"], "WA");
}
