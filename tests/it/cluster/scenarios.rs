//! Anything may fail in the middle: verdicts are those of one machine that nobody disturbs.

use std::process::Command;
use std::time::Duration;

use async_nats::jetstream;
use verdictd::internals::cluster::{Name, subjects};

use super::proxy::Proxy;
use super::run;
use super::secure::Secure;
use super::server::Server;
use super::stage::{LANGUAGES, Stage, Start, Worker, course, course_with, home};
use crate::place::{Place, binary, rounds, wait_until};
use crate::programs;
use crate::skips::skipped;

#[test]
fn verdicts_stay_the_same_whatever_fails_in_the_middle() {
    let Some(server) = Server::start("") else {
        return;
    };
    let proxy = Proxy::to(server.port());
    let urls = vec![server.url(), proxy.url()];
    let mut stage = Stage::start(server, urls);
    for round in 0..rounds(1, 20) {
        let name = |what: &str| format!("{what}{round}");
        stage.round(&name("calm"), |_| {});
        stage.round(&name("killed"), |stage| {
            // The next one uses its cache.
            stage.workers[0].kill();
            stage.workers[0] = stage.worker(0);
        });
        stage.round(&name("frozen"), |stage| stage.workers[0].signal("STOP"));
        stage.workers[0].signal("CONT");
        stage.round(&name("slow"), |_| proxy.delay(Duration::from_millis(100)));
        proxy.delay(Duration::ZERO);
        stage.round(&name("cut"), |_| proxy.cut());
        proxy.restore();
        stage.round(&name("dropped"), |_| proxy.drop_connections());
        stage.round(&name("held"), |_| proxy.freeze());
        proxy.thaw();
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
    let Some(server) = Server::start("") else {
        return;
    };
    let place = course(&server.url(), "algo");
    let home = home();
    let _worker = Start::new(&server.url(), "lab-1", &home.path("")).start();
    for (number, step) in STEPS.into_iter().enumerate() {
        let mut command = place.command(&["serve"]);
        command.env("VERDICTD_CRASH_AT", step);
        let daemon = Place::started(command);
        let source = format!("# {step}\n{}", programs::PYTHON);
        place.write(&format!("submissions/s{number}/sum.py"), source);
        assert_eq!(daemon.ended().code, None, "it is killed at `{step}`");
        let daemon = place.daemon();
        assert_eq!(place.wait_for(&format!("s{number}/sum/1")), "AC", "{step}");
        assert_eq!(daemon.stop().code, Some(0));
    }
}

#[test]
fn two_courses_share_a_server_and_a_worker() {
    let Some(server) = Server::start("") else {
        return;
    };
    let courses = [course(&server.url(), "algo"), course(&server.url(), "data")];
    let daemons = courses.each_ref().map(Place::daemon);
    for place in &courses {
        for student in ["ada", "bo", "cy"] {
            place.write(
                &format!("submissions/{student}/sum.py"),
                format!("# {student}\n{}", programs::PYTHON),
            );
        }
    }
    let home = home();
    let worker = Start::new(&server.url(), "lab-1", &home.path("")).start();
    for place in &courses {
        for student in ["ada", "bo", "cy"] {
            assert_eq!(place.wait_for(&format!("{student}/sum/1")), "AC");
        }
    }
    for course in ["algo", "data"] {
        let mut orders = worker.events("done").into_iter();
        assert!(orders.any(|order| order["course"] == course), "{course}");
    }
    // Its own programs are judged on: nobody is waited for at the end.
    for daemon in daemons {
        assert_eq!(daemon.stop().code, Some(0));
    }
    worker.signal("TERM");
    assert_eq!(worker.ended(), Some(0));
}

#[test]
fn two_daemons_of_one_name_give_out_nothing_and_say_so_until_one_ends() {
    let Some(server) = Server::start("") else {
        return;
    };
    let [place, copy] = [(); 2].map(|()| course(&server.url(), "algo"));
    let (daemon, other) = (place.daemon(), copy.daemon());
    let shown = |place: &Place| String::from_utf8(place.run(&["status"]).stdout).unwrap();
    for place in [&place, &copy] {
        wait_until("both hear of each other", || {
            shown(place).contains("another daemon is called `algo`")
        });
    }
    let home = home();
    let _worker = Start::new(&server.url(), "lab-1", &home.path("")).start();
    place.write("submissions/ada/sum.py", programs::PYTHON);
    drop(other);
    assert_eq!(place.wait_for("ada/sum/1"), "AC");
    wait_until("nothing is wrong any more", || {
        !shown(&place).contains("another daemon")
    });
    assert_eq!(daemon.stop().code, Some(0));
}

#[test]
fn a_stream_that_cannot_be_changed_is_shown_and_stops_no_order() {
    let Some(server) = Server::start("") else {
        return;
    };
    run(async {
        let client = async_nats::connect(server.url()).await.unwrap();
        let name = Name::new("algo").unwrap();
        let other = jetstream::stream::Config {
            name: subjects::stream(&name),
            subjects: vec![subjects::all_blobs(&name)],
            storage: jetstream::stream::StorageType::Memory,
            allow_direct: true,
            ..Default::default()
        };
        let made = jetstream::new(client).create_stream(other).await;
        made.unwrap();
    });
    let home = home();
    let place = course(&server.url(), "algo");
    place.write("submissions/ada/sum.py", programs::PYTHON);
    let daemon = place.daemon();
    let is_shown = || {
        let status = String::from_utf8(place.run(&["status"]).stdout).unwrap();
        status.contains("the server cannot keep bytes for workers")
    };
    wait_until("the trouble in `verdictd status`", is_shown);
    let _worker = Start::new(&server.url(), "lab-1", &home.path("")).start();
    assert_eq!(place.wait_for("ada/sum/1"), "AC");
    assert!(is_shown());
    assert_eq!(daemon.stop().code, Some(0));
}

#[test]
fn a_program_on_which_three_workers_die_is_a_fault_that_status_shows() {
    let Some(server) = Server::start("") else {
        return;
    };
    let place = course(&server.url(), "algo");
    let daemon = place.daemon();
    place.write("submissions/ada/sum.py", programs::PYTHON);
    let home = home();
    let start = |number: usize| {
        let worker = Start {
            url: &server.url(),
            name: &format!("lab-{number}"),
            home: &home.path(""),
            dies_at: Some("order taken"),
            credentials: None,
        };
        worker.start()
    };
    let mut workers = vec![start(0)];
    let mut shown = String::new();
    wait_until("a fault in `verdictd status`", || {
        shown = String::from_utf8(place.run(&["status"]).stdout).unwrap();
        if shown.contains("3 times in all") {
            return true;
        }
        // On a busy machine one may be gone for the daemon before it has died: that counts as well.
        if workers.last_mut().unwrap().has_ended() {
            workers.push(start(workers.len()));
        }
        false
    });
    for words in ["lab-0: it is gone", "lab-1: it is gone", "ada/sum"] {
        assert!(shown.contains(words), "{shown}");
    }
    drop(daemon);
}

#[test]
fn a_worker_whose_disk_is_full_goes_on() {
    let possible = Command::new("unshare")
        .args(["--mount", "mount", "-t", "tmpfs", "none", "/mnt"])
        .output()
        .is_ok_and(|output| output.status.success());
    if !possible {
        skipped("no full disk: mounting a small one needs root and unshare(1)");
        return;
    }
    let Some(server) = Server::start("") else {
        return;
    };
    let place = course(&server.url(), "algo");
    let _daemon = place.daemon();
    let home = home();
    std::fs::create_dir_all(home.path("cache")).unwrap();
    let script = "mount -t tmpfs -o size=64k small \"$1\" \
                  && head -c 70000 /dev/zero > \"$1/$(printf %064d 0)\"; shift && exec \"$@\"";
    let start = Start {
        url: &server.url(),
        name: "lab-1",
        home: &home.path(""),
        dies_at: None,
        credentials: None,
    };
    let mut command = Command::new("unshare");
    command
        .args([
            "--mount",
            "--propagation",
            "private",
            "sh",
            "-c",
            script,
            "sh",
        ])
        .arg(home.path("cache"))
        .arg(binary())
        .args(start.command().get_args());
    let worker = Worker::started(command);
    place.write("submissions/ada/sum.c", programs::C);
    assert_eq!(place.wait_for("ada/sum/1"), "AC");
    assert!(!worker.events("trouble").is_empty(), "it says so");
}

#[test]
fn the_sample_problems_are_judged_by_two_workers() {
    let Some(server) = Server::start("") else {
        return;
    };
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("submissions");
    let submit = |place: &Place| {
        for file in [
            "team-01/curling.py",
            "team-02/TheGame.py",
            "team-03/regions.py",
            "team-04_thegame.c",
        ] {
            let text = std::fs::read(root.join(file)).unwrap();
            place.write(&format!("submissions/{file}"), text);
        }
    };
    let with_samples = |place: Place| {
        ["curling", "regions", "thegame"]
            .into_iter()
            .fold(place, Place::with_problem)
    };
    let alone = with_samples(Place::new().only(&LANGUAGES));
    submit(&alone);
    let expected = alone.serve_once();
    assert_eq!(expected.len(), 4, "{expected:?}");

    let place = with_samples(course(&server.url(), "algo"));
    let _daemon = place.daemon();
    submit(&place);
    let homes = [home(), home()];
    let start = |number: usize| {
        Start::new(
            &server.url(),
            &format!("lab-{number}"),
            &homes[number].path(""),
        )
        .start()
    };
    let _workers = [start(0), start(1)];
    for (attempt, verdict) in &expected {
        assert_eq!(&place.wait_for(attempt), verdict, "{attempt}");
    }
    // Reports name the machine.
    let (attempt, _) = expected.first_key_value().unwrap();
    let student = attempt.split('/').next().unwrap();
    let found = place.run(&["report", student, "--json"]).stdout;
    let found = String::from_utf8_lossy(&found);
    assert!(
        found.contains("lab-0 (") || found.contains("lab-1 ("),
        "{found}"
    );
}

#[test]
fn with_credentials_and_encryption_it_is_the_same() {
    let Some(server) = Secure::start(&["algo"], &["lab-1"]) else {
        return;
    };
    let lines = format!(
        "credentials = \"{}\"\n",
        server.credentials("algo").display()
    );
    let place = course_with(&server.url(), "algo", &lines);
    let _daemon = place.daemon();
    let (home, credentials) = (home(), server.credentials("lab-1"));
    let _worker = Start {
        url: &server.url(),
        name: "lab-1",
        home: &home.path(""),
        dies_at: None,
        credentials: Some(&credentials),
    }
    .start();
    // A static program is long: its bytes come in parts.
    place.write("submissions/ada/sum.c", programs::C);
    assert_eq!(place.wait_for("ada/sum/1"), "AC");
}

#[test]
fn without_a_server_the_daemon_judges_by_itself_and_says_so_once() {
    let Some(mut server) = Server::start("") else {
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
