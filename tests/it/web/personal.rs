//! Personal links: what they lead to, that nothing of anybody else is there, and that they can be
//! revoked while the daemon runs.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::SocketAddr;

use super::client::{Answer, Stream, addresses, ask, get, get_with, shows, watched};
use super::{attributes, texts};
use crate::place::{Daemon, Place, assert_has, bearer, wait_until};
use crate::programs;
use crate::tidy::documents::beside;

/// Everybody in the course; no word of ours has these letters in a row.
const PEOPLE: [(&str, &str, &str); 4] = [
    ("ada", "Quuxlace", "Adaqq"),
    ("bobqx", "Peepqx", "Bobby"),
    ("cyrqx", "Youngqx", "Cyril"),
    ("zoeqx", "Zedqx", "Zoelle"),
];

/// A course in which everybody has submitted something, and some files were rejected.
fn course(public: &str) -> Place {
    let people = PEOPLE.map(|(student, last, first)| format!("{student},{last},{first}\n"));
    let place = Place::new()
        .only(&["lua"])
        .with_staff(&format!("public = \"{public}\""))
        .with_roster(&people.concat());
    place.edit("problems/sum/problem.toml", "Sum", "Two numbers");
    let statement = "# Sum\n\nAdd *two* numbers. <b>Not bold.</b>\n";
    place.write("problems/sum/statement.md", statement);
    place.write("problems/sum/problem.pdf", "%PDF-1.4 two\n");
    for (student, ..) in PEOPLE {
        place.write(&format!("submissions/{student}/sum.lua"), programs::LUA);
        place.write(&format!("submissions/{student}/notes.exe"), "x");
    }
    // What is nobody else's business.
    place.write(
        "course.toml",
        "title = \"Algorithms\"\ntime_zone = \"Europe/Oslo\"\nextensions = \"extensions.csv\"\n\
         [[assignments]]\nname = \"a1\"\ntitle = \"First sheet\"\ndue = \"2035-09-10 12:00\"\n\
         points = { sum = 10 }\n\
         [[assignments]]\nname = \"a2\"\ntitle = \"Second sheet\"\nopens = \"2035-10-01 08:00\"\n\
         points = { later = 5 }\n",
    );
    let extensions = "ada,a1,2036-01-02 10:00\nbobqx,a1,2037-03-04 11:00\n";
    let rows = format!("student,assignment,due\n{extensions}");
    place.write("extensions.csv", rows);
    place.copy_sum("later");
    let question = "A question of the examination.";
    place.write("problems/later/statement.md", question);
    place.write("problems/later/problem.pdf", question);
    // The same problem of the same student by two names, and files that are nobody's.
    place.write("submissions/zoeqx_sum.lua", "print(7)\n");
    place.write("submissions/ada_sum.lua", "print(7)\n");
    place.write("submissions/cyrqx.dat", "x");
    place.write("submissions/cyrqx.sum.bobqx.lua", "print(7)\n");
    place
}

/// The path of each student's link.
fn links(place: &Place) -> BTreeMap<String, String> {
    let text = String::from_utf8(place.run(&["links", "--csv"]).stdout).unwrap();
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let row = |record: csv::StringRecord| {
        let (_, path) = record[4].split_once("/me/").unwrap_or_default();
        (record[0].to_owned(), format!("/me/{path}"))
    };
    rows.records().map(|record| row(record.unwrap())).collect()
}

fn judged(place: &Place) {
    for (student, ..) in PEOPLE {
        place.wait_for(&format!("{student}/sum/1"));
    }
    place.wait_for("ada/sum/2");
    place.wait_for("zoeqx/sum/2");
}

/// The names of everybody but this student.
fn others(own: &str) -> Vec<&'static str> {
    let others = PEOPLE.into_iter().filter(|(student, ..)| *student != own);
    others.flat_map(<[&str; 3]>::from).collect()
}

/// What somebody may try who knows the others' names.
const TRIED: &str = "/|/students/bobqx|/reports/bobqx/sum/1|/problems/sum|/projector|/metrics|\
    /healthz|/reports/index.html|HOME/reports/../../bobqx/sum/1|\
    HOME/reports/sum/..%2F..%2Fbobqx%2Fsum%2F1.html|HOME/students/bobqx";

/// Where a page leads to.
fn leads(page: &str, at: &str) -> Vec<String> {
    let named = ["href", "src", "data-events"].into_iter();
    let all = named.flat_map(|name| attributes(page, &format!("[{name}]"), name));
    let at = at.split('?').next().unwrap();
    let absolute = |link: String| match link.split('#').next().unwrap() {
        link if link.starts_with('/') => link.to_owned(),
        link => beside(at, link),
    };
    let led = all.filter(|link| !link.starts_with('#') && !link.contains(':'));
    led.map(absolute).collect()
}

/// Everything that can be reached from an address, with what was answered; streams of events are
/// only named.
fn crawl(to: SocketAddr, begin: &str) -> (BTreeMap<String, Answer>, BTreeSet<String>) {
    let mut streams = BTreeSet::new();
    let mut answers = BTreeMap::new();
    let mut waiting = VecDeque::from([begin.to_owned()]);
    while let Some(path) = waiting.pop_front() {
        if answers.contains_key(&path) {
            continue;
        }
        if path.ends_with("/events") {
            streams.insert(path);
            continue;
        }
        let answer = get(to, &path);
        if answer.header("content-type").starts_with("text/html") {
            waiting.extend(leads(&answer.body, &path));
        }
        answers.insert(path, answer);
    }
    (answers, streams)
}

/// The student's own page has what is theirs.
fn assert_own(to: SocketAddr, home: &str) {
    let page = get(to, home);
    assert_eq!(texts(&page.body, "h1"), ["ada"]);
    let told = ["Accepted|Wrong answer|notes.exe|lua|10 of 10 points|2036-01-02 10:00"];
    assert_has(&texts(&page.body, "main").concat(), &told);
    assert_eq!(page.header("referrer-policy"), "no-referrer");
    assert_eq!(page.header("cache-control"), "no-store");
    assert!(page.header("x-robots-tag").contains("noindex"));
}

/// What listeners hear while others do something, and then the student does.
fn heard(place: &Place, to: SocketAddr, streams: &BTreeSet<String>) -> Vec<String> {
    let open = streams.iter().map(|path| Stream::open(to, path, ""));
    let mut open: Vec<Stream> = open.collect();
    place.write("submissions/bobqx/sum.lua", "print(8)\n");
    place.wait_for("bobqx/sum/2");
    place.write("submissions/ada/sum.lua", "print(9)\n");
    place.wait_for("ada/sum/3");
    let twice = |stream: &mut Stream| [(); 2].map(|()| format!("{:?}", stream.next_change()));
    open.iter_mut().flat_map(twice).collect()
}

#[test]
fn a_personal_link_reaches_ones_own_things_and_no_byte_of_anybody_else() {
    for public in ["pseudonyms", "nothing"] {
        let place = course(public);
        let (_daemon, to) = watched(&place);
        judged(&place);
        assert_statement(to, public);
        let links = links(&place);
        assert_eq!(links.len(), PEOPLE.len());
        let home = &links["ada"];
        wait_until("the reports", || {
            let status = |attempt| get(to, &format!("{home}reports/sum/{attempt}")).status;
            // The page may follow a moment later.
            let main = || texts(&get(to, home).body, "main").concat();
            status(1) == 200 && status(2) == 200 && !main().contains("waiting")
        });
        assert_own(to, home);
        let (mut answers, streams) = crawl(to, home);
        for (path, told) in [
            ("reports/sum/1", "Accepted"),
            ("reports/sum/1.json", "\"AC\""),
            ("reports/sum/2.txt", "ada"),
            ("reports/index.html", "notes.exe"),
            ("problems/sum", "<em>two</em>"),
            ("problems/sum/statement.pdf", "%PDF-1.4 two"),
        ] {
            let answer = &answers[&format!("{home}{path}")];
            assert!(answer.body.contains(told), "{path}: {answer:?}");
        }
        for page in ["", "/statement.pdf"] {
            let later = format!("{home}problems/later{page}");
            assert_eq!(get(to, &later).status, 404, "it opens later");
        }
        let is_off = public == "nothing";
        // The help leads to the board, where there is one.
        assert_eq!(answers["/"].body.contains("There is no board here"), is_off);
        let tried = TRIED.split('|').map(|path| path.replace("HOME/", home));
        answers.extend(tried.map(|path| (path.clone(), get(to, &path))));
        let heard = heard(&place, to, &streams);
        assert_eq!(streams.len(), if is_off { 1 } else { 2 }, "{streams:?}");
        let answers = answers.iter();
        let answers = answers.map(|(path, answer)| (path.as_str(), format!("{answer:?}")));
        let mut forbidden = others("ada");
        forbidden.extend(["2037-", "of the examination", "Second sheet"]);
        for (path, text) in answers.chain(heard.into_iter().map(|event| ("a stream", event))) {
            for word in &forbidden {
                assert!(!text.contains(word), "{public}: {word} at {path}: {text}");
            }
        }
    }
}

#[test]
fn a_link_that_is_revoked_leads_nowhere_at_once_and_is_like_any_wrong_address() {
    let place = course("nothing");
    let mut command = place.command(&["serve"]);
    let log = place.path("everything.log");
    command.env("RUST_LOG", "trace");
    command.stderr(std::fs::File::create(&log).unwrap());
    let daemon = Place::started(command);
    let (to, _) = addresses(&daemon);
    judged(&place);
    let before = links(&place);
    let home = &before["ada"];
    assert_eq!(get(to, home).status, 200);
    assert_eq!(ask(to, "HEAD", home).status, 200);
    let mut stream = Stream::open(to, &format!("{home}events"), "");
    assert_eq!(stream.next_change().id, None, "it counts nothing");
    let answered = |path: &str| {
        let mut answer = get(to, path);
        answer.headers.remove("date");
        (answer.status, answer.headers, answer.body)
    };
    let nothing = answered("/nothing");
    place.says(0, "links --revoke ada", &["revoked\n"]);
    let zeros = "0".repeat(64);
    let gone = format!(
        "{home}|{home}problems/sum|{home}reports/sum/1|{home}events|/me/{zeros}/|/me/|/me/x/y/z"
    );
    for path in gone.split('|') {
        assert_eq!(answered(path), nothing, "{path}");
    }
    assert_eq!(stream.next(), None, "who listens hears no more");
    assert!(links(&place)["ada"].len() < 10, "it has no link");
    place.says(0, "links --new ada", &[]);
    let after = links(&place);
    assert_ne!(after["ada"], *home);
    assert_eq!(get(to, &after["ada"]).status, 200);
    assert_eq!(answered(home), nothing);
    let [now, then] = [&after, &before].map(|links| &links["bobqx"]);
    assert_eq!(now, then, "the others' stay as they are");
    place.says(2, "links --revoke adda", &["did you mean `ada`?"]);
    drop(daemon);
    let log = std::fs::read_to_string(log).unwrap();
    for link in before.values().chain(after.values()) {
        let token = link.trim_start_matches("/me/").trim_end_matches('/');
        let is_told = !token.is_empty() && log.contains(token);
        assert!(!is_told, "a link is in the log");
    }
}

/// Whether people read the course's clock, and programs an offset.
fn assert_course_clock(place: &Place, to: SocketAddr, daemon: Daemon) {
    let zone = jiff::tz::TimeZone::get("Europe/Oslo").unwrap();
    let board = get(to, "/").body;
    let machine = attributes(&board, "#latest time", "datetime");
    let shown = texts(&board, "#latest time");
    assert!(!shown.is_empty(), "{board}");
    for (machine, shown) in machine.iter().zip(&shown) {
        let at: jiff::Timestamp = machine.parse().unwrap();
        let clock = at.to_zoned(zone.clone()).strftime("%H:%M:%S").to_string();
        assert_eq!(*shown, clock);
    }
    let note = place.read("reports/bobqx/rejected/notes.exe.note.txt");
    assert_has(&note, &[" CE"]);
    place.shows("staff/gradebook.csv", "+0");
    let lines = daemon.stop().lines;
    let told: Vec<&str> = lines.iter().filter_map(|line| line.get(..8)).collect();
    for clock in &shown {
        assert!(told.contains(&clock.as_str()), "{clock}: {lines:#?}");
    }
}

/// The problem's page has its statement, whoever is on the board.
fn assert_statement(to: SocketAddr, public: &str) {
    let (names_somebody, lists_attempts) = (public == "names", public != "nothing");
    let mut page = get(to, "/problems/sum");
    // The page is there a moment after the verdicts.
    wait_until("the problem's page", || {
        page = get(to, "/problems/sum");
        let is_named = page.body.contains("bobqx") || !names_somebody;
        let is_listed = !texts(&page.body, ".list").is_empty() || !lists_attempts;
        page.status == 200 && is_named && is_listed
    });
    assert_eq!(texts(&page.body, "h1"), ["Two numbers (sum)"]);
    let statement = texts(&page.body, ".statement").concat();
    assert_has(&statement, &["Add two numbers. <b>Not bold.</b>"]);
    assert_eq!(!texts(&page.body, ".list").is_empty(), lists_attempts);
    assert_eq!(page.body.contains("bobqx"), names_somebody);
    let pdf = get(to, "/problems/sum/statement.pdf");
    for (header, told) in [
        ("content-type", "application/pdf"),
        ("content-disposition", "attachment; filename=\"sum.pdf\""),
        ("x-content-type-options", "nosniff"),
    ] {
        assert_eq!(pdf.header(header), told);
    }
    assert_eq!(pdf.body, "%PDF-1.4 two\n");
    let later = get(to, "/problems/later/statement.pdf");
    assert_eq!(later.status, 404, "{public}");
}

#[test]
fn a_board_with_names_has_the_statement_and_the_clock_of_the_course() {
    let place = course("names");
    let (daemon, to) = watched(&place);
    judged(&place);
    assert_statement(to, "names");
    let people = PEOPLE.map(|(student, ..)| student).join("|");
    place.shows("staff/problems/sum.html", &format!("<em>two</em>|{people}"));
    // Staff read the roster's names, and nobody else does.
    let named = "Quuxlace, Adaqq (ada)";
    for page in ["index.html", "ada/index.html", "problems/sum.html"] {
        place.shows(&format!("staff/{page}"), named);
    }
    let staff = addresses(&daemon).1.unwrap();
    for page in ["/", "/projector", "/students/ada", "/problems/sum"] {
        assert_has(&get_with(staff, page, &bearer()).body, &[named]);
        let body = get(to, page).body;
        assert!(body.contains("ada") && !body.contains("Quux"), "{page}");
    }
    assert!(!place.read("reports/ada/index.html").contains("Quux"));
    // Instructors go on writing it.
    place.write("problems/sum/statement.md", "Add *three* numbers.\n");
    shows(to, "/problems/sum", "<em>three</em>");
    assert_course_clock(&place, to, daemon);
}

#[test]
fn a_mistake_in_course_toml_shows_no_problem_early() {
    let place = course("names");
    let right = place.read("course.toml");
    place.write("course.toml", right.replace("opens = ", "openz = "));
    let (_daemon, to) = watched(&place);
    let page = |problem: &str| get(to, &format!("/problems/{problem}"));
    // Nobody knows which problems are open.
    for problem in ["later", "sum"] {
        assert_eq!(page(problem).status, 404, "{problem}");
    }
    place.write("course.toml", right);
    shows(to, "/problems/sum", "<em>two</em>");
    assert_eq!(page("later").status, 404);
}
