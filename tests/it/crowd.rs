//! Files that are rewritten, and students who never stop submitting.

use std::fs;

use serde_json::Value;

use crate::place::{Place, wait_until};
use crate::programs;
use crate::store::count;

/// Submits three programs under the same name, each as soon as the previous one is received;
/// nothing is judged meanwhile. The first one takes its time: on a busy machine, what is judged right
/// before it is in the log before it all the same.
fn three_attempts_that_wait(place: &Place) {
    let sound = place.read("problems/sum/problem.toml");
    place.write("problems/sum/problem.toml", "title = \n");
    let daemon = place.daemon();
    let slow = "import time\ntime.sleep(1)\nprint(7)\n";
    for (number, program) in [slow, "print(8)\n", programs::PYTHON]
        .into_iter()
        .enumerate()
    {
        place.write("submissions/alpha/sum.py", program);
        let is_received = || count(place, "submissions") == number + 1;
        wait_until("the attempt to be received", is_received);
    }
    place.write("submissions/beta/sum.py", programs::PYTHON);
    wait_until("the other student's", || count(place, "submissions") == 4);
    assert_eq!(daemon.stop().code, Some(0));
    place.write("problems/sum/problem.toml", sound);
}

#[test]
fn the_newest_attempt_comes_first_and_older_ones_may_be_skipped() {
    let place = Place::new().only(&["python3"]);
    let config = place.read("config.toml");
    let skip = |skip: bool| {
        let judge = format!("[judge]\nworkers = 1\nskip_superseded = {skip}\n");
        place.write("config.toml", judge + &config);
    };
    skip(true);
    three_attempts_that_wait(&place);
    let verdicts = place.serve_once();
    let names: Vec<_> = verdicts.keys().map(String::as_str).collect();
    assert_eq!(names, ["alpha/sum/3", "beta/sum/1"]);
    let told = place.status();
    assert_eq!(told["superseded"], 2);
    assert_eq!(told["faults"], 0);
    place.says(0, "status", &["0 waiting", "2 not judged"]);
    // Nothing is missing.
    place.says(0, "serve --once", &[]);
    // With the setting off, they are judged after all.
    skip(false);
    assert_eq!(place.serve_once().len(), 4);
    let mut lines = place.logged();
    lines.retain(|line| line["student"] == "alpha");
    let order: Vec<&Value> = lines.iter().map(|line| &line["attempt"]).collect();
    assert_eq!(order, [3, 2, 1], "the newest first");
}

#[test]
fn a_file_rewritten_endlessly_delays_nobody_and_its_last_version_is_judged() {
    let place = Place::new().only(&["python3"]);
    let daemon = place.daemon();
    fs::create_dir(place.path("submissions/alpha")).unwrap();
    // In place, like an editor that does not rename.
    let rewrite = |program: String| {
        fs::write(place.path("submissions/alpha/sum.py"), program).unwrap();
    };
    let slow = |number: usize| format!("import time\ntime.sleep(0.05)\nprint({number})\n");
    let mut number = 0;
    // A new version as soon as the one before is received: as many attempts as can be.
    wait_until("some attempts", || {
        if count(&place, "submissions") >= number {
            number += 1;
            rewrite(slow(number));
        }
        number > 10
    });
    place.write("submissions/beta/sum.py", programs::PYTHON);
    wait_until("the other student's verdict", || {
        number += 1;
        rewrite(slow(number));
        place.verdicts().contains_key("beta/sum/1")
    });
    rewrite(programs::PYTHON.to_owned());
    // Its last version is the newest attempt.
    let newest = || {
        let number = |name: &str| name.rsplit('/').next().unwrap().parse::<u32>().unwrap();
        let mut verdicts = place.verdicts();
        verdicts.retain(|name, _| name.starts_with("alpha/"));
        verdicts.into_iter().max_by_key(|(name, _)| number(name))
    };
    wait_until("the verdict of the last version", || {
        let is_right = newest().is_some_and(|(_, verdict)| verdict == "AC");
        is_right && count(&place, "submissions WHERE judged = 0") == 0
    });
    assert_eq!(daemon.stop().code, Some(0));
    assert_eq!(place.verdicts()["beta/sum/1"], "AC");
}
