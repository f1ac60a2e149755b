//! Anything may fail in the middle: verdicts are those of one machine that nobody disturbs.

use super::proxy::Proxy;
use super::server::Server;
use super::stage::{Stage, Worker, course, home, status, worker};
use crate::place::{CRASH_AT, assert_has, rounds, shipped, wait_until};
use crate::programs;

#[test]
fn verdicts_stay_the_same_whatever_fails_in_the_middle() {
    let Some(server) = Server::new() else { return };
    let proxy = Proxy::to(server.port());
    let urls = vec![server.url(), proxy.url()];
    let mut stage = Stage::start(server, urls);
    for round in 0..rounds(1, 20) {
        let name = |what: &str| format!("{what}{round}");
        stage.round(&name("killed"), |stage| {
            // The next one uses its cache.
            stage.workers[0].kill();
            stage.workers[0] = stage.worker(0);
        });
        stage.round(&name("frozen"), |stage| stage.workers[0].signal("STOP"));
        stage.workers[0].signal("CONT");
        let cut = |is_cut| proxy.change(|state| state.is_cut = is_cut);
        stage.round(&name("cut"), |_| cut(true));
        cut(false);
        let hold = |is_frozen| proxy.change(|state| state.is_frozen = is_frozen);
        stage.round(&name("held"), |_| hold(true));
        hold(false);
        stage.round(&name("restarted"), |stage| stage.server.restart());
        stage.round(&name("emptied"), |stage| stage.server.empty());
        stage.round(&name("daemon"), |stage| {
            stage.daemon.as_ref().unwrap().signal("KILL");
            stage.daemon = None;
            stage.daemon = Some(stage.place.daemon());
        });
        // What they had taken before all that is no longer theirs.
        stage.round(&name("after"), |_| {});
    }
    let ended = stage.daemon.take().unwrap().stop();
    assert_eq!(ended.code, Some(0), "{:?}", ended.said);
}

/// What the daemon does with an order, step by step.
const STEPS: [&str; 3] = ["order given", "facts arrived", "facts handed on"];

#[test]
fn the_daemon_dies_at_each_step_of_an_order_and_nothing_is_lost() {
    let Some(server) = Server::new() else { return };
    let place = course(&server.url(), "algo");
    let home = home();
    let _worker = Worker::start(&server.url(), "lab-1", &home);
    for (number, step) in STEPS.into_iter().enumerate() {
        let daemon = place.daemon_to_kill_at(step);
        let source = format!("# {step}\n{}", programs::PYTHON);
        place.write(&format!("submissions/s{number}/sum.py"), source);
        assert_eq!(daemon.ended().code, None, "it is killed at `{step}`");
        let daemon = place.daemon();
        assert_eq!(place.wait_for(&format!("s{number}/sum/1")), "AC", "{step}");
        assert_eq!(daemon.stop().code, Some(0));
    }
}

#[test]
fn two_daemons_of_one_name_give_out_nothing_and_say_so_until_one_ends() {
    let Some(server) = Server::new() else { return };
    let [place, copy] = [(); 2].map(|()| course(&server.url(), "algo"));
    let (daemon, other) = (place.daemon(), copy.daemon());
    for place in [&place, &copy] {
        let is_heard = || status(place, &[]).contains("another daemon is called `algo`");
        wait_until("both hear of each other", is_heard);
    }
    let home = home();
    let _worker = Worker::start(&server.url(), "lab-1", &home);
    place.write("submissions/ada/sum.py", programs::PYTHON);
    drop(other);
    assert_eq!(place.wait_for("ada/sum/1"), "AC");
    let is_good = || !status(&place, &[]).contains("another daemon");
    wait_until("nothing is wrong any more", is_good);
    assert_eq!(daemon.stop().code, Some(0));
}

#[test]
fn a_program_on_which_three_workers_die_is_a_fault_that_status_shows() {
    let Some(server) = Server::new() else { return };
    let place = course(&server.url(), "algo");
    let daemon = place.daemon();
    place.write("submissions/ada/sum.py", programs::PYTHON);
    let home = home();
    let start = |number: usize| {
        let mut command = worker(&server.url(), &format!("lab-{number}"), &home);
        command.env(CRASH_AT, "order taken");
        Worker::started(command)
    };
    let mut workers = vec![start(0)];
    let mut shown = String::new();
    wait_until("a fault in `verdictd status`", || {
        shown = status(&place, &[]);
        if shown.contains("3 times in all") {
            return true;
        }
        // On a busy machine one may be gone for the daemon before it has died: that counts as well.
        if workers.last_mut().unwrap().has_ended() {
            workers.push(start(workers.len()));
        }
        false
    });
    let told = ["lab-0: it is gone", "lab-1: it is gone", "ada/sum"];
    assert_has(&shown, &told);
    drop(daemon);
}

#[test]
fn programs_talk_on_a_worker_as_on_the_daemons_own_machine() {
    let Some(server) = Server::new() else { return };
    let place = course(&server.url(), "algo").with_package("guessing");
    let daemon = place.daemon();
    let home = home();
    let worker = Worker::start(&server.url(), "lab-1", &home);
    let source = |name: &str| shipped(&format!("tests/packages/guessing/submissions/{name}"));
    let floods = "import os\nwhile True: os.write(1, b'1\\n' * 1000)\n".to_owned();
    for (student, program, verdict) in [
        ("ada", source("accepted/halves.py"), "AC"),
        ("bo", source("run_time_error/fails.py"), "RE"),
        ("cy", floods, "WA"),
    ] {
        place.write(&format!("submissions/{student}/guessing.py"), program);
        assert_eq!(place.wait_for(&format!("{student}/guessing/1")), verdict);
    }
    assert!(worker.done() >= 3);
    let report = place.read("reports/bo/guessing/1.txt");
    assert_has(&report, &["  < 10\n  > 2\n"]);
    assert_eq!(daemon.stop().code, Some(0));
    worker.signal("TERM");
    assert_eq!(worker.ended(), Some(0));
}

#[test]
fn without_a_server_the_daemon_judges_by_itself_and_says_so_once() {
    let Some(mut server) = Server::new() else {
        return;
    };
    server.kill();
    let place = course(&server.url(), "algo");
    let config = place.read("config.toml");
    place.write("config.toml", config.replace("\"none\"", "1"));
    let daemon = place.daemon();
    place.write("submissions/ada/sum.py", programs::PYTHON);
    assert_eq!(place.wait_for("ada/sum/1"), "AC");
    let said = |words: &str| {
        let said = daemon.said();
        said.iter().filter(|line| line.contains(words)).count()
    };
    wait_until("its word", || said("cannot be reached") == 1);
    server.restart();
    wait_until("its word that all is well", || said("can measure") == 1);
    server.kill();
    wait_until("its word of a loss", || said("cannot be reached") == 2);
    assert_eq!(said("can measure"), 1);
}
