//! Forgets a student while nobody judges: what they handed in, what was measured and said of it, and
//! what tells of them beside others.
//!
//! Every step can be repeated, and the request for it stays until the last one is done: after a
//! sudden end the next start, or the same command, does the rest. What tells of everybody is
//! removed here, and written again without the student from the store.

mod rows;
mod trees;

use std::io;
use std::path::{Path, PathBuf};

use crate::access::LinksError;
use crate::config::Config;
use crate::course::Terms;
use crate::course::take_turn;
use crate::domain::Student;
use crate::hack::{self, HackError};
use crate::import::{ManifestError, keep_out};
use crate::package::HACKS_FOLDER;
use crate::report::{Audience, EXPORTS_FOLDER, Reports};
use crate::store::{self, Reader, StoreError};
use crate::util::crash::point;
use crate::util::excerpt::visible_line;
use crate::util::files::{remove, sweep};
use crate::util::words::amount;

/// Why a student could not be forgotten; what is done stays done.
#[derive(Debug, thiserror::Error)]
pub enum ForgetError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Hack(#[from] HackError),
    #[error(transparent)]
    Links(#[from] LinksError),
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    #[error("{}: {source}", .path.display())]
    File { path: PathBuf, source: io::Error },
}

/// What there was of a student.
#[derive(Debug, Default)]
pub struct Forgotten {
    /// What is gone now, one line each; with a dry run what would be.
    pub removed: Vec<String>,
    /// What goes with it, whoever is forgotten: it tells nothing of whether there is such a student.
    pub of_everybody: Vec<String>,
    /// Where the name still stands, in what an instructor has written.
    pub left: Vec<String>,
    /// Logs into which nobody has looked, because they are compressed.
    pub unread: Vec<String>,
}

fn failed(path: &Path) -> impl Fn(io::Error) -> ForgetError + '_ {
    move |source| ForgetError::File {
        path: path.to_owned(),
        source,
    }
}

/// What [`forget`] would remove.
pub fn look_for(config: &Config, student: &Student) -> Result<Forgotten, ForgetError> {
    let store = match Reader::open(&config.folders.state) {
        Ok(reader) => Some(reader),
        Err(StoreError::Missing { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let traces = store.map(|reader| reader.traces(student)).transpose()?;
    let mut forgotten = Forgotten::default();
    forgotten.tell_store(&traces.unwrap_or_default());
    forgotten.files(config, student, true)?;
    Ok(forgotten)
}

/// Removes everything. Nobody else may have the store open.
pub fn forget(config: &Config, student: &Student) -> Result<Forgotten, ForgetError> {
    let mut forgotten = Forgotten::default();
    // Before the store: what is handed in comes back as long as it is there.
    trees::submissions(config, student, false)
        .map(|told| forgotten.removed.extend(told))
        .map_err(failed(&config.folders.submissions))?;
    point("submissions forgotten");
    forgotten.tell_store(&store::forget(&config.folders.state, student)?);
    forgotten.files(config, student, false)?;
    point("files forgotten");
    results(config, student)?;
    for path in trees::of_everybody(config) {
        remove(&path).map_err(failed(&path))?;
    }
    point("overviews forgotten");
    Ok(forgotten)
}

impl Forgotten {
    fn tell_store(&mut self, traces: &store::Traces) {
        for (count, what) in [
            (traces.submissions, "submission"),
            (traces.verdicts, "verdict"),
            (traces.builds, "build"),
            (traces.runs, "run"),
            (traces.events, "event"),
            (traces.rejected, "rejected file"),
        ] {
            if count > 0 {
                let count = usize::try_from(count).unwrap_or(usize::MAX);
                self.removed
                    .push(format!("{} in the store", amount(count, what)));
            }
        }
    }

    fn files(
        &mut self,
        config: &Config,
        student: &Student,
        is_dry: bool,
    ) -> Result<(), ForgetError> {
        if is_dry {
            let told = trees::submissions(config, student, true);
            let told = told.map_err(failed(&config.folders.submissions))?;
            self.removed.extend(told);
        }
        let reports = Reports::new(&config.folders.reports, &config.folders.staff);
        for audience in [Audience::Student, Audience::Staff] {
            let folder = reports.student_folder(audience, student);
            let told = trees::tree(&folder, is_dry).map_err(failed(&folder))?;
            self.removed.extend(told);
        }
        // Filled files of platforms and reports for them, which `verdictd export` makes again.
        let exports = config.folders.staff.join(EXPORTS_FOLDER);
        let told = trees::tree(&exports, is_dry).map_err(failed(&exports))?;
        self.of_everybody.extend(told);
        for copy in store::copies(&config.folders.state) {
            if !is_dry {
                remove(&copy).map_err(failed(&copy))?;
            }
            self.of_everybody
                .push(format!("{} from before an upgrade", copy.display()));
        }
        let base = config.file.parent().unwrap_or(Path::new("/"));
        let (mut turn, mut imports) = (None, None);
        if !is_dry {
            // Whoever adds lines to these files does so before or afterwards.
            turn = Some(take_turn(base).map_err(failed(base))?);
            imports = keep_out(&config.folders.staff)?;
            // What a command that was killed has left half written: whole copies of what is
            // changed here.
            for folder in [base, &config.folders.staff, &config.folders.state] {
                sweep(folder);
            }
        }
        for file in rows::files_with_rows(config) {
            let told = rows::strike(&file, student, is_dry).map_err(failed(&file))?;
            self.removed.extend(told);
        }
        drop((turn, imports));
        let link = rows::strike_link(&config.folders.state, student, is_dry)?;
        self.removed.extend(link);
        self.left = rows::mentions(config, student, is_dry);
        let compressed = trees::old_logs(config, trees::Logs::Compressed).into_iter();
        self.unread = compressed
            .map(|file| visible_line(&file.to_string_lossy()))
            .collect();
        Ok(())
    }
}

/// Writes the results of hacks again that name the student.
fn results(config: &Config, student: &Student) -> Result<(), ForgetError> {
    let reader = match Reader::open(&config.folders.state) {
        Err(StoreError::Missing { .. }) => return Ok(()),
        opened => opened?,
    };
    let zone = Terms::zone_in(config.file.parent().unwrap_or(Path::new("/")));
    for row in reader.open_hacks(None)? {
        let folder = config.folders.problems.join(row.problem.as_str());
        let hack = folder.join(HACKS_FOLDER).join(&row.file_name);
        let result = crate::package::result_file(&hack);
        if rows::names(&result, student) {
            let report = hack::report(&reader, &row)?;
            hack::write_result(&hack, &report, &zone).map_err(failed(&result))?;
        }
    }
    Ok(())
}
