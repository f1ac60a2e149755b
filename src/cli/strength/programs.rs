//! The programs that a problem's tests are tried with: the package's examples, and programs of this
//! course that were not accepted; and what comes of running them.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use crate::cli::check::pieces;
use crate::cli::measured::{Runs, with_program};
use crate::cli::progress::Progress;
use crate::cli::session::{Piece, Session, store_if_any};
use crate::cli::slot::{Recalled, WorkerSlot};
use crate::domain::{Digest, Fault, LanguageId};
use crate::explain::{Attacked, Budget, Inputs, Scope, attack};
use crate::package::Package;
use crate::store::Reader;
use crate::strength::{CourseSearch, Hit, Kind, Trials, Tried, by_weight};
use crate::util::excerpt::spelled;
use crate::util::pool::side_by_side;

/// Programs of the course, the latest ones.
const REJECTED_MAX: usize = 60;
/// The folders of example submissions; what does not build meets no test.
const FOLDERS: [(&str, Kind); 6] = [
    ("accepted", Kind::Intended),
    ("partially_accepted", Kind::Wrong),
    ("wrong_answer", Kind::Wrong),
    ("run_time_error", Kind::Wrong),
    ("rejected", Kind::Wrong),
    ("time_limit_exceeded", Kind::Slow),
];

/// A program, and what it is there for.
struct Program {
    name: String,
    kind: Kind,
    piece: Piece,
}

impl Program {
    fn not_run(&self) -> Tried {
        let Piece {
            submission,
            package,
            ..
        } = &self.piece;
        Tried::new(self.kind, &self.name, &submission.language, package)
    }

    /// The program for another package of the same problem.
    fn on(&self, package: Arc<Package>) -> Piece {
        Piece {
            submission: self.piece.submission.clone(),
            source: self.piece.source.clone(),
            package,
        }
    }
}

/// Runs all programs, and attacks each accepted example for so long.
pub fn try_programs(
    session: &Session,
    package: &Arc<Package>,
    hacks_cpu: Duration,
) -> anyhow::Result<Trials> {
    let mut trials = Trials::default();
    let reader = store_if_any(&session.config)?;
    let programs = programs(session, package, reader.as_ref(), &mut trials.untried)?;
    let progress = Progress::new(programs.len(), "programs tried");
    let (slow, others): (Vec<Program>, Vec<Program>) = programs
        .into_iter()
        .partition(|program| program.kind == Kind::Slow);
    measure(session, &others, &progress, &mut trials, |slot, program| {
        let tried = program.not_run();
        tried.on_every_test(package, &mut |package| slot.judge(&program.on(package)))
    });
    let weight = by_weight(&trials.programs, package.tests.len());
    measure(session, &slow, &progress, &mut trials, |slot, program| {
        let tried = program.not_run();
        tried.on_the_heaviest(package, &weight, &mut |package| {
            slot.judge(&program.on(package))
        })
    });
    if let Some(reader) = reader {
        let hacks = reader.hack_yield(&package.slug)?;
        let found = hacks.found();
        trials.hack_search.course = Some(CourseSearch { hacks, found });
    }
    let was_run = |program: &&Program| {
        let same = |tried: &Tried| tried.kind == program.kind && tried.name == program.name;
        program.kind == Kind::Intended && trials.programs.iter().any(same)
    };
    let intended: Vec<&Program> = others.iter().filter(was_run).collect();
    if !hacks_cpu.is_zero() {
        search(session, &intended, hacks_cpu, &mut trials);
    }
    Ok(trials)
}

/// The programs, each once; those that cannot be tried join `untried`, each with its reason.
fn programs(
    session: &Session,
    package: &Arc<Package>,
    reader: Option<&Reader>,
    untried: &mut Vec<String>,
) -> anyhow::Result<Vec<Program>> {
    let mut programs = Vec::new();
    for (folder, kind) in FOLDERS {
        for (name, piece) in pieces(session, package, folder) {
            match piece {
                Ok(piece) => programs.push(Program { name, kind, piece }),
                Err(reason) => untried.push(format!("{name}: {reason}")),
            }
        }
    }
    if let Some(reader) = reader {
        for entry in reader.failing(&package.slug, false, REJECTED_MAX)? {
            let Some(found) = reader.submission(entry.submission.id)? else {
                continue;
            };
            let submission = &found.0;
            let name = format!("{} #{}", submission.student, submission.attempt);
            let language = session.toolchain.language(&submission.language);
            if let Some(Err(reason)) = language.map(|language| session.usable(language)) {
                // Its language has gone since.
                untried.push(format!("{name}: {reason}"));
                continue;
            }
            let piece = Piece::of(found, Arc::clone(package));
            let kind = Kind::Wrong;
            programs.push(Program { name, kind, piece });
        }
    }
    // The same bytes may be a program in two languages.
    let mut seen: HashSet<(Digest, LanguageId)> = HashSet::new();
    programs.retain(|program| {
        let piece = &program.piece;
        seen.insert((piece.source.digest, piece.submission.language.clone()))
    });
    Ok(programs)
}

/// Runs programs side by side; one that cannot be judged is named.
fn measure(
    session: &Session,
    programs: &[Program],
    progress: &Progress,
    trials: &mut Trials,
    work: impl Fn(&mut WorkerSlot<'_>, &Program) -> Result<Option<Tried>, Fault> + Sync,
) {
    side_by_side(
        session.config.judge.workers.count(),
        programs.len(),
        |number| WorkerSlot::new(session, number, Recalled::OfThisCommand),
        |slot, at| work(slot, &programs[at]),
        |at, result| {
            progress.program();
            let name = &programs[at].name;
            match result {
                Ok(Some(tried)) => trials.programs.push(tried),
                Ok(None) => trials.untried.push(format!("{name}: it does not build")),
                Err(fault) => trials.faults.push(format!("{name}: {fault}")),
            }
        },
    );
}

/// Searches for inputs that break these programs, each for so long.
fn search(session: &Session, programs: &[&Program], cpu: Duration, trials: &mut Trials) {
    side_by_side(
        session.config.judge.workers.count(),
        programs.len(),
        |number| number,
        |number, at| attacked(session, programs[at], *number, cpu),
        |at, result| {
            let name = programs[at].name.clone();
            match result {
                Err(fault) => {
                    let fault = format!("inputs that break {name}: {fault}");
                    trials.faults.push(fault);
                }
                Ok(attacked) => {
                    let search = &mut trials.hack_search;
                    search.examples += 1;
                    search.inputs += attacked.inputs;
                    search.hits.extend(attacked.broken.map(|broken| Hit {
                        input: spelled(&broken.input),
                        name,
                        verdict: broken.verdict,
                    }));
                }
            }
        },
    );
}

fn attacked(
    session: &Session,
    program: &Program,
    number: usize,
    cpu: Duration,
) -> Result<Attacked, Fault> {
    let runs = Runs {
        number,
        store: None,
        watch: &|| {},
    };
    let budget = Budget {
        cpu,
        ..Budget::default()
    };
    with_program(session, &program.piece, &runs, |program| {
        session.with_oracle(|oracle| {
            let package = program.about.package;
            let inputs = Inputs { package, oracle };
            attack(program, inputs, budget, Vec::new(), Scope::Everything)
        })
    })
}
