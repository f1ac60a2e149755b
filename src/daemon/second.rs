//! Has some orders measured on a second machine, and says where two machines differ.

use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

use tokio::sync::mpsc::Sender;

use super::message::Message;
use super::readers::Readers;
use super::shared::Shared;
use crate::fleet::{Agreement, Orders, Second};

/// Orders that wait to be measured a second time, with their bytes; others are left out.
const SECONDS_MAX: usize = 4;

/// Starts the thread. It ends when the last sender is gone.
pub fn start(
    shared: &Arc<Shared>,
    orders: &Arc<Orders>,
    messages: &Sender<Message>,
) -> std::io::Result<(SyncSender<Second>, JoinHandle<()>)> {
    let (seconds, queue) = sync_channel::<Second>(SECONDS_MAX);
    let (shared, orders, messages) = (Arc::clone(shared), Arc::clone(orders), messages.clone());
    let thread = Builder::new().name("second".to_owned()).spawn(move || {
        let readers = Readers::new(&shared);
        for second in queue {
            let Some(agreement) = second.measure(&orders, &readers) else {
                continue;
            };
            let differs = !agreement.differences.is_empty();
            shared.machines.count_second(differs);
            if differs {
                let _ = messages.blocking_send(Message::Said(words(&agreement)));
            }
        }
    })?;
    Ok((seconds, thread))
}

fn words(agreement: &Agreement) -> String {
    let Agreement {
        what,
        workers: [first, second],
        differences,
    } = agreement;
    let differences = differences.join("; ");
    tracing::warn!(
        what = &**what,
        first = &**first,
        second = &**second,
        differences,
        "machines differ"
    );
    format!(
        "{what} was measured on {first} and, to compare, on {second}, and they differ: {differences}; what counts is {first}'s. See docs/cluster.md for what to do"
    )
}
