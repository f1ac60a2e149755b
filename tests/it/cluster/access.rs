//! Who may connect to a server, and what each may do there: with the real server, because what is
//! written in its configuration is worth what it makes of it.

use std::fs;
use std::process::Command;
use std::time::Duration;

use async_nats::{Client, Subscriber};
use futures_util::StreamExt as _;
use verdictd::internals::cluster::subjects::{
    ALL_NEWS, all_requests, blob, direct_get, inbox, news, request, stream,
};
use verdictd::internals::cluster::{Blobs, Kind, Name, Role, connect, get};
use verdictd::internals::digest;

use super::run;
use super::secure::Secure;
use super::stage;
use crate::place::{PATIENCE, Place, binary, output, wait_until};
use crate::programs;

const KEEP: u64 = 256 << 20;
const TEXT: &[u8] = b"int main() {}\n";

/// A course, two workers, and what the server keeps for them.
struct Scene {
    course: Name,
    daemon: Client,
    thief: Client,
    other: Client,
}

impl Scene {
    async fn set(secure: &Secure) -> Self {
        let scene = Self {
            course: name("algorithms"),
            daemon: client(secure, "algorithms", Role::Course).await,
            thief: client(secure, "lab-07", Role::Worker).await,
            other: client(secure, "lab-08", Role::Worker).await,
        };
        let blobs = Blobs::new(&scene.daemon, &scene.course, KEEP);
        blobs.open().await.unwrap();
        blobs.put(&digest(TEXT), TEXT).await.unwrap();
        scene
    }

    /// Whether the server has done all that the thief asked for: what it may do comes last, and is
    /// answered.
    async fn settle(&self) {
        let kept = get(&self.thief, &self.course, &digest(TEXT), KEEP).await;
        assert_eq!(kept.unwrap().as_deref(), Some(TEXT));
    }

    /// How many messages the stream has, and how many consumers.
    async fn kept(&self) -> (u64, u64) {
        let subject = format!("$JS.API.STREAM.INFO.{}", stream(&self.course));
        let answer = self.daemon.request(subject, "".into()).await.unwrap();
        let answer: serde_json::Value = serde_json::from_slice(&answer.payload).unwrap();
        let count = |what: &str| answer["state"][what].as_u64().unwrap();
        (count("messages"), count("consumer_count"))
    }

    /// What the server keeps tells nothing without its digest. It takes the asterisk for any.
    async fn assert_kept_tells_nothing(&self) {
        let any = direct_get(&self.course, &format!("verdictd.blob.{}.*.0", self.course));
        let found = self.thief.request(any, "".into()).await.unwrap();
        let headers = found.headers.unwrap();
        let subject = headers.get("Nats-Subject").unwrap().to_string();
        assert_eq!(found.payload.len(), TEXT.len());
        assert_ne!(found.payload, TEXT);
        assert!(!subject.contains(&digest(TEXT).to_string()), "{subject}");
    }
}

async fn client(secure: &Secure, name: &str, role: Role) -> Client {
    let connected = connect(&secure.access(name, role)).await;
    connected.unwrap_or_else(|error| panic!("{error}"))
}

fn name(text: &str) -> Name {
    Name::new(text).unwrap()
}

async fn next(subscriber: &mut Subscriber) -> async_nats::Message {
    let next = tokio::time::timeout(PATIENCE, subscriber.next());
    next.await.expect("a message in time").unwrap()
}

/// Whether nothing has come so far.
async fn is_silent(subscriber: &mut Subscriber) -> bool {
    let timeout = tokio::time::timeout(Duration::ZERO, subscriber.next()).await;
    timeout.is_err()
}

fn secure() -> Option<Secure> {
    Secure::start(&["algorithms", "graphs"], &["lab-07", "lab-08"])
}

/// What one asks of the engine that keeps bytes.
fn calls_of_the_engine(stream: &str) -> Vec<String> {
    let calls = "INFO|STREAM.NAMES|STREAM.LIST|STREAM.INFO.IT|STREAM.DELETE.IT|STREAM.PURGE.IT|\
        STREAM.UPDATE.IT|STREAM.MSG.GET.IT|STREAM.MSG.DELETE.IT|CONSUMER.CREATE.IT|DIRECT.GET.IT";
    let call = |call: &str| format!("$JS.API.{}", call.replace("IT", stream));
    calls.split('|').map(call).collect()
}

#[test]
fn a_stolen_worker_credential_is_no_other_worker_and_no_daemon() {
    let Some(secure) = secure() else { return };
    run(async {
        let scene = Scene::set(&secure).await;
        let course = &scene.course;
        let mut asked = scene.daemon.subscribe(all_requests(course)).await.unwrap();
        let mut told = scene.other.subscribe(ALL_NEWS).await.unwrap();
        let private = format!("{}.>", inbox(&name("lab-08")));
        let mut answered = scene.other.subscribe(private.clone()).await.unwrap();
        let (requests, own) = (all_requests(course), inbox(course));
        let all = format!(">|verdictd.>|{requests}|{private}|{own}.>|_R_.>|verdictd.blob.>|$JS.>");
        let mut stolen = Vec::new();
        for subject in all.split('|') {
            stolen.push(scene.thief.subscribe(subject.to_owned()).await.unwrap());
        }
        scene.kept().await;
        scene.settle().await;

        let own = inbox(&name("lab-07")) + ".loot";
        let kept = blob(course, &digest(TEXT), 0);
        let calls = calls_of_the_engine(&stream(course));
        let others = [
            request(&name("lab-08"), course, Kind::Here),
            news(course),
            kept.clone(),
            inbox(&name("lab-08")) + ".x",
            inbox(course) + ".x",
        ];
        // By its own hand, and by having the server answer there with bytes that it keeps.
        for subject in others.iter().chain(&calls) {
            let thief = &scene.thief;
            let asked = thief.publish_with_reply(subject.clone(), own.clone(), "{}".into());
            asked.await.unwrap();
            let fetch = direct_get(course, &kept);
            let sent = thief.publish_with_reply(fetch, subject.clone(), "".into());
            sent.await.unwrap();
        }
        scene.settle().await;
        // Nothing is lost, nothing consumes.
        assert_eq!(scene.kept().await, (1, 0));

        // What it may say comes after all that, and is the first that anybody hears.
        let ask = request(&name("lab-07"), course, Kind::Take);
        scene.thief.publish(ask.clone(), "".into()).await.unwrap();
        assert_eq!(next(&mut asked).await.subject.as_str(), ask);
        let said = scene.daemon.publish(news(course), "news".into());
        said.await.unwrap();
        assert_eq!(next(&mut told).await.payload, "news");
        assert!(is_silent(&mut answered).await);
        for subscriber in &mut stolen {
            assert!(is_silent(subscriber).await, "{subscriber:?}");
        }
        let kept = get(&scene.other, course, &digest(TEXT), KEEP).await;
        assert_eq!(kept.unwrap().as_deref(), Some(TEXT));
        scene.assert_kept_tells_nothing().await;
    });
}

#[test]
fn workers_and_courses_come_and_go_while_the_server_runs() {
    let Some(secure) = secure() else { return };
    run(async {
        let scene = Scene::set(&secure).await;
        let anybody = async_nats::ConnectOptions::new()
            .add_root_certificates(secure.folder().join("ca.pem"))
            .connect(secure.url());
        assert!(anybody.await.is_err(), "credentials are needed");

        secure.change(&["add-worker", "lab-09", "--courses", "graphs"]);
        scene.settle().await;
        let graphs = client(&secure, "graphs", Role::Course).await;
        let only = client(&secure, "lab-09", Role::Worker).await;
        let mut heard = only.subscribe(ALL_NEWS).await.unwrap();
        // It is answered, or not, when the server has the subscription.
        let fetched = get(&only, &scene.course, &digest(TEXT), KEEP).await;
        assert!(fetched.is_ok_and(|found| found.is_none()), "not its course");
        let course = news(&scene.course);
        scene.daemon.publish(course, "others".into()).await.unwrap();
        scene.kept().await;
        let own = name("graphs");
        graphs.publish(news(&own), "own".into()).await.unwrap();
        assert_eq!(next(&mut heard).await.payload, "own");
        let mut asked = graphs.subscribe(all_requests(&own)).await.unwrap();
        let here = request(&name("lab-09"), &own, Kind::Here);
        let heard = async {
            // The subscription may reach the server after the message.
            let briefly = Duration::from_millis(50);
            while tokio::time::timeout(briefly, asked.next()).await.is_err() {
                only.publish(here.clone(), "here".into()).await.unwrap();
            }
        };
        let heard = tokio::time::timeout(PATIENCE, heard).await;
        assert!(heard.is_ok(), "a worker is heard after one reload");

        let lost = secure.access("lab-07", Role::Worker);
        secure.change(&["remove", "lab-07"]);
        let refused = connect(&lost).await.err().map(|error| error.to_string());
        let refused = refused.unwrap_or_default();
        assert!(refused.contains("does not accept `lab-07`"), "{refused}");
        let gone = async {
            while scene.thief.connection_state() == async_nats::connection::State::Connected {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let gone = tokio::time::timeout(PATIENCE, gone).await;
        assert!(gone.is_ok(), "its connection ends");
        let kept = get(&scene.other, &scene.course, &digest(TEXT), KEEP).await;
        assert_eq!(kept.unwrap().as_deref(), Some(TEXT), "others stay");
    });
}

#[test]
fn doctor_says_which_step_fails() {
    let Some(mut secure) = secure() else { return };
    let place = Place::new();
    fs::copy(secure.credentials("algorithms"), place.path("a.creds")).unwrap();
    let stops = |url: &str, at: &str, says: &str| {
        let config = format!("[cluster]\nnats = \"{url}\"\ncredentials = \"a.creds\"\n");
        place.write("config.toml", config);
        let said = place.objects("doctor --cluster --json").remove(0);
        let last = said["steps"].as_array().unwrap().last().unwrap();
        let text = |key: &str| last[key].as_str().unwrap();
        assert!(text("step") == at && text("found").contains(says), "{said}");
        assert_eq!(said["good"] == true, at == "workers", "{said}");
    };
    let url = secure.url();
    stops(&url, "workers", "");
    let unknown = url.replace("localhost", "nowhere.invalid");
    stops(&unknown, "name", "not known");
    let open = url.replace("tls://localhost", "nats://192.0.2.1");
    stops(&open, "address", "not encrypted");
    place.says(0, "cluster init other --course algorithms", &[]);
    let own = place.path("a.creds");
    fs::copy(place.path("other/credentials/algorithms.creds"), &own).unwrap();
    stops(&url, "connection", "another server");
    fs::copy(secure.credentials("algorithms"), own).unwrap();
    let words = ["those of a worker are needed"];
    place.says(2, "doctor --cluster --credentials a.creds", &words);
    secure.change(&["remove", "algorithms"]);
    stops(&url, "connection", "does not accept");
    secure.server.kill();
    stops(&url, "network", "nothing listens");
}

#[test]
fn a_course_and_a_worker_meet_over_a_secure_server() {
    let Some(secure) = secure() else { return };
    let place = stage::course(&secure.url(), "algorithms").with_problem("regions");
    fs::copy(secure.credentials("algorithms"), place.path("a.creds")).unwrap();
    place.configure("credentials = \"a.creds\"\n");
    let home = stage::home();
    let mut command = home.command(&["worker", "--places", "1", "--json", "--credentials"]);
    command.arg(secure.credentials("lab-07"));
    command.arg("--cache").arg(home.path("cache"));
    let worker = stage::Worker::started(command);
    let asked = |name: &str| {
        let mut doctor = Command::new(binary());
        doctor.args(["doctor", "--cluster", "--json", "--credentials"]);
        String::from_utf8(output(doctor.arg(secure.credentials(name))).stdout).unwrap()
    };
    let said = asked("lab-07");
    assert!(said.contains("no daemon is heard"), "{said}");
    let is_alone = || !worker.events("alone").is_empty();
    wait_until("the worker's word that no daemon is heard", is_alone);
    let _daemon = place.daemon();
    let is_known = || stage::status(&place, &["--json"]).contains("lab-07");
    wait_until("a worker that the course knows", is_known);
    let said = asked("lab-07");
    assert!(said.contains("algorithms answers"), "{said}");
    // A static program is long: its bytes come in parts.
    place.write("submissions/ada/sum.c", programs::C);
    assert_eq!(place.wait_for("ada/sum/1"), "AC");
    // Programs of a package that is shipped, which may read and write files.
    for (student, example, verdict) in [
        ("bo", "accepted/bellman_ford.c", "AC"),
        ("cy", "wrong_answer/wraps_around.c", "WA"),
    ] {
        let program = place.read(&format!("problems/regions/submissions/{example}"));
        place.write(&format!("submissions/{student}/regions.c"), program);
        let judged = place.wait_for(&format!("{student}/regions/1"));
        assert_eq!(judged, verdict, "{example}");
    }
    // A server that does not let this worker be heard.
    let configuration = secure.folder().join("nats-server.conf");
    let text = fs::read_to_string(&configuration).unwrap();
    let heard = "verdictd.from.lab-08.algorithms.";
    let deaf = text.replace(&format!("\"{heard}*\""), &format!("\"{heard}x\""));
    assert_ne!(text, deaf);
    fs::write(&configuration, deaf).unwrap();
    secure.server.signal("HUP");
    let is_deaf = || asked("lab-08").contains("does not hear this worker");
    wait_until("the doctor's word that nobody answers", is_deaf);
}
