//! One order through the server and back, and the same order in the daemon.

use std::sync::Arc;
use std::time::Duration;

use verdictd::internals::cluster::{
    Access, Admission, Borrower, Ended, Hub, LanguageId, Machine, Name, Order, Pool, ProblemSlug,
    Setup, Source, Student, Submission, Ticket, Worker as Measures,
};
use verdictd::internals::{Fault, SandboxRunner, Sink, Station, SubmissionId};

use super::NAME;
use super::stage::{Server, Worker};
use crate::common::{Course, Judge, MACHINE, Row, Size, accepted_program, in_turns, only_c};

/// Runs of the order.
const TESTS: usize = 20;
/// Turns; the medians count.
const TURNS: usize = 41;
const RATIO_MAX: f64 = 1.15;

pub fn rows(size: Size, server: &Server) -> Vec<Row> {
    let course = Course::new(&only_c());
    course.add_problem("curling", TESTS);
    let judge = Arc::new(Judge::open(&course.folder, 1));
    let (own, remote) = (Arc::new(Pool::default()), Arc::new(Pool::default()));
    let place = Local {
        runner: judge.sandbox.runner(0),
        judge: Arc::clone(&judge),
    };
    own.open(Machine::local(&MACHINE.into(), 1), vec![Box::new(place)]);
    let hub = hub(server, &remote);
    let worker = Worker::start(server, "lab-0");
    worker.joined();
    let submission = Submission {
        id: SubmissionId(1),
        student: Student::new("ada").expect("a name"),
        problem: ProblemSlug::new("curling").expect("a name"),
        language: LanguageId::new("c").expect("a name"),
        attempt: 1,
        received_ms: 0,
    };
    let text = accepted_program();
    let order = |pool: &Pool| {
        let ticket = Ticket::Submission(1);
        let mut borrower = Borrower::new(pool, ticket, &submission, &judge.toolchain);
        let judged = judge.judge(&mut borrower, &text).expect("a judgement");
        assert_eq!((judged.verdict, judged.runs), ("AC", 20));
    };
    // It is built once, and the worker fetches what it needs.
    order(&own);
    order(&remote);
    let pair = in_turns(size.pick(TURNS, 1), || order(&remote), || order(&own));
    own.close();
    remote.close();
    hub.join();
    vec![Row::times(NAME, "remote-order", pair).ratio_at_most(RATIO_MAX)]
}

/// The daemon's end of the server. What is compared of a worker is no part of an order.
fn hub(server: &Server, pool: &Arc<Pool>) -> Hub {
    let c = LanguageId::new("c").expect("a name");
    let setup = Setup {
        access: access(server, NAME),
        keep_bytes: 256 * 1024 * 1024,
        silent: Duration::from_secs(15),
        pool: Arc::clone(pool),
        admit: Arc::new(move |_, _| Admission {
            languages: [c.clone()].into(),
            ..Admission::default()
        }),
        has_own_places: false,
        say: Box::new(|_| ()),
    };
    Hub::start(setup).expect("the hub")
}

/// What somebody of this name needs to connect.
pub fn access(server: &Server, name: &str) -> Access {
    Access {
        url: Some(server.url.clone()),
        name: Name::new(name).expect("a name"),
        credentials: None,
        is_insecure: false,
    }
}

/// A place of the daemon.
struct Local {
    judge: Arc<Judge>,
    runner: SandboxRunner,
}

impl Measures for Local {
    fn measure(
        &mut self,
        order: &Order,
        source: &dyn Source,
        sink: &mut dyn Sink,
    ) -> Result<Ended, Fault> {
        let mut station = Station::new(&mut self.runner, &self.judge.toolchain, MACHINE.into());
        station.measure(order, source, sink)
    }
}
