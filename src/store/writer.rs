//! The one thread that writes. Commands that wait together are committed together, and each caller
//! hears of its own after the commit. The failure of one is no other's.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use rusqlite::{Connection, Params, ffi};

use super::StoreError;

/// Commands that may wait for the writer; more callers wait for room in the queue.
const QUEUE_COMMANDS_MAX: usize = 1_024;
/// Commands of one transaction, after which no more are added to it.
const BATCH_COMMANDS_MAX: usize = 256;

/// Writes to the store from any thread. Every method returns after the commit: what it says is on
/// the disk.
#[derive(Debug, Clone)]
pub struct Writer {
    queue: SyncSender<Message>,
}

enum Message {
    /// One transaction holds all of these, unless it fails: then each has one of its own.
    Work(Vec<Box<dyn Command>>),
    Stop,
}

/// One caller's piece of a transaction.
trait Command: Send {
    /// Does the work, for another time where it was undone, and remembers its result.
    fn apply(&mut self, connection: &Connection, file: &Path) -> Result<(), StoreError>;
    /// Tells the caller, once it is known whether the transaction was committed.
    fn acknowledge(self: Box<Self>, committed: &Result<(), StoreError>);
}

struct Call<T, Work> {
    work: Work,
    result: Option<Result<T, StoreError>>,
    reply: SyncSender<Result<T, StoreError>>,
}

impl<T, Work> Command for Call<T, Work>
where
    T: Send,
    Work: Fn(&Connection) -> rusqlite::Result<T> + Send,
{
    fn apply(&mut self, connection: &Connection, file: &Path) -> Result<(), StoreError> {
        let result = in_savepoint(connection, &self.work);
        let result = result.map_err(|error| StoreError::sql(file, error));
        let failure = result.as_ref().err().cloned();
        self.result = Some(result);
        failure.map_or(Ok(()), Err)
    }

    fn acknowledge(self: Box<Self>, committed: &Result<(), StoreError>) {
        let result = match (committed, self.result) {
            (Ok(()), Some(result)) => result,
            (Ok(()), None) => Err(StoreError::Closed),
            // A command that failed by itself knows better why.
            (Err(_), Some(Err(own))) => Err(own),
            (Err(shared), _) => Err(shared.clone()),
        };
        // A caller that is gone needs no answer.
        let _ = self.reply.send(result);
    }
}

/// Runs one command so that its failure undoes its own work and no one else's.
fn in_savepoint<T>(
    connection: &Connection,
    work: impl Fn(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let step = |sql| connection.prepare_cached(sql)?.execute([]).map(drop);
    step("SAVEPOINT command")?;
    let result = work(connection);
    // After some failures, a full disk for one, SQLite has rolled the whole transaction back by
    // itself.
    if connection.is_autocommit() {
        let gone = rusqlite::Error::SqliteFailure(
            ffi::Error::new(ffi::SQLITE_ABORT_ROLLBACK),
            Some("the transaction was rolled back".to_owned()),
        );
        return result.and(Err(gone));
    }
    if result.is_err() {
        step("ROLLBACK TO command")?;
    }
    step("RELEASE command")?;
    result
}

impl Writer {
    /// Starts the thread. It owns the connection, and closes it after [`Writer::stop`].
    pub(super) fn start(
        connection: Connection,
        file: PathBuf,
    ) -> std::io::Result<(Self, JoinHandle<()>)> {
        let (queue, messages) = sync_channel(QUEUE_COMMANDS_MAX);
        let thread = std::thread::Builder::new()
            .name("store".to_owned())
            .spawn(move || serve(&connection, &file, &messages))?;
        Ok((Self { queue }, thread))
    }

    /// Ends the thread after the commands that are waiting now. Later ones are refused.
    pub(super) fn stop(&self) {
        // The thread may have ended already.
        let _ = self.queue.send(Message::Stop);
    }

    /// Has the thread do some work in a transaction, and returns after the commit.
    pub(super) fn call<T: Send + 'static>(
        &self,
        work: impl Fn(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let mut results = self.call_all([work]);
        results.pop().unwrap_or(Err(StoreError::Closed))
    }

    /// Has the thread do several pieces of work in one transaction where that works, and returns
    /// after the commit. The failure of one is no other's.
    pub(super) fn call_all<T: Send + 'static, Work>(
        &self,
        work: impl IntoIterator<Item = Work>,
    ) -> Vec<Result<T, StoreError>>
    where
        Work: Fn(&Connection) -> rusqlite::Result<T> + Send + 'static,
    {
        let mut commands: Vec<Box<dyn Command>> = Vec::new();
        let mut answers = Vec::new();
        for work in work {
            let (reply, answer) = sync_channel(1);
            commands.push(Box::new(Call {
                work,
                result: None,
                reply,
            }));
            answers.push(answer);
        }
        // Where the thread is gone, nobody answers.
        let _ = self.queue.send(Message::Work(commands));
        answers
            .into_iter()
            .map(|answer| answer.recv().map_err(|_| StoreError::Closed)?)
            .collect()
    }
}

/// Carries out a statement that changes rows; says how many.
pub(super) fn execute(
    connection: &Connection,
    statement: &str,
    bind: impl Params,
) -> rusqlite::Result<usize> {
    connection.prepare_cached(statement)?.execute(bind)
}

fn serve(connection: &Connection, file: &Path, messages: &Receiver<Message>) {
    let mut stopping = false;
    while !stopping && let Ok(first) = messages.recv() {
        let batch;
        (batch, stopping) = gather(first, messages);
        commit(connection, file, batch);
    }
    // Leaves one tidy file behind. Where that fails the next start does it.
    let tidied = connection.execute_batch("PRAGMA optimize; PRAGMA wal_checkpoint(TRUNCATE);");
    if let Err(error) = tidied {
        tracing::warn!(%error, file = %file.display(), "the store was closed without a checkpoint");
    }
}

/// The commands of one transaction, and whether they are the last ones.
fn gather(first: Message, messages: &Receiver<Message>) -> (Vec<Box<dyn Command>>, bool) {
    let mut batch = Vec::new();
    let mut next = Some(first);
    while let Some(message) = next {
        match message {
            Message::Work(commands) => batch.extend(commands),
            Message::Stop => return (batch, true),
        }
        if batch.len() >= BATCH_COMMANDS_MAX {
            break;
        }
        next = messages.try_recv().ok();
    }
    (batch, false)
}

/// Commits what waits together. Where that fails, each is tried by itself: one of them may have
/// been too much for the disk, and there is room for the others.
fn commit(connection: &Connection, file: &Path, mut batch: Vec<Box<dyn Command>>) {
    let begun = run(connection, file, "BEGIN IMMEDIATE");
    let has_begun = begun.is_ok();
    let committed = begun.and_then(|()| apply_all(connection, file, &mut batch));
    if has_begun && committed.is_err() && batch.len() > 1 {
        for command in batch {
            commit(connection, file, vec![command]);
        }
        return;
    }
    for command in batch {
        command.acknowledge(&committed);
    }
}

/// Does the work of a transaction that has begun, and ends it.
fn apply_all(
    connection: &Connection,
    file: &Path,
    batch: &mut [Box<dyn Command>],
) -> Result<(), StoreError> {
    for command in batch {
        let applied = command.apply(connection, file);
        if connection.is_autocommit() {
            // The transaction is gone, and the work of the commands before this one with it.
            return applied.and(Err(StoreError::Closed));
        }
    }
    let committed = run(connection, file, "COMMIT");
    if committed.is_err() && !connection.is_autocommit() {
        // Where this fails too, the next BEGIN does and says so to its callers.
        let _ = run(connection, file, "ROLLBACK");
    }
    committed
}

fn run(connection: &Connection, file: &Path, sql: &str) -> Result<(), StoreError> {
    let done = connection.execute_batch(sql);
    done.map_err(|error| StoreError::sql(file, error))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use rusqlite::{Connection, Row};

    use crate::store::StoreError;
    use crate::store::tests::opened;

    #[test]
    fn a_failing_command_takes_no_other_with_it() {
        let (_folder, store) = opened();
        let writer = store.writer();
        // Holds the thread for a while: what waits behind it meanwhile shares one transaction.
        let (go, wait) = channel::<()>();
        std::thread::scope(|scope| {
            let held = writer.clone();
            scope.spawn(move || held.call(move |_| Ok(wait.recv().is_ok())).unwrap());
            let good = writer.clone();
            let one = scope.spawn(move || good.set_marks(vec![("one", 1)]));
            let bad = writer.clone();
            let two = scope.spawn(move || {
                bad.call(|connection| {
                    connection.execute("INSERT INTO marks VALUES ('half', 1)", [])?;
                    connection.execute("INSERT INTO nowhere VALUES (1)", [])
                })
            });
            let other = writer.clone();
            let three = scope.spawn(move || other.set_marks(vec![("three", 3)]));
            go.send(()).unwrap();
            one.join().unwrap().unwrap();
            assert!(matches!(two.join().unwrap(), Err(StoreError::Sql { .. })));
            three.join().unwrap().unwrap();
        });
        let reader = store.reader().unwrap();
        let marks = ["one", "half", "three"].map(|name| reader.mark(name).unwrap());
        assert_eq!(marks, [Some(1), None, Some(3)]);
    }

    #[test]
    fn what_is_too_large_for_the_disk_fails_alone() {
        let (_folder, store) = opened();
        let writer = store.writer();
        let pages = |connection: &Connection| -> rusqlite::Result<()> {
            let count = |row: &Row<'_>| row.get::<_, u32>(0);
            let pages = connection.pragma_query_value(None, "page_count", count)?;
            connection.pragma_update_and_check(None, "max_page_count", pages + 16, |_| Ok(()))
        };
        writer.call(pages).unwrap();
        let put = |(digest, bytes): (u8, u32)| {
            move |connection: &Connection| {
                let put = "INSERT INTO sources VALUES (?1, zeroblob(?2))";
                connection.execute(put, ([digest; 32], bytes))
            }
        };
        let stored = writer.call_all([(1, 10), (2, 1 << 20), (3, 10)].map(put));
        let [Ok(1), Err(StoreError::DiskFull { .. }), Ok(1)] = &stored[..] else {
            panic!("{stored:?}");
        };
    }
}
