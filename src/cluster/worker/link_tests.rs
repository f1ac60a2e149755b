//! What a worker says about an order, without a server that could hear it.

use std::sync::Arc;
use std::time::Duration;

use async_nats::ConnectOptions;
use tokio::time::timeout;

use super::{Ended, Fault, Link, OrderMessage};
use crate::cluster::subjects::Name;
use crate::cluster::wire::{About, Id, MESSAGE_BYTES_MAX};
use crate::places::tests::samples::order;

const BRIEFLY: Duration = Duration::from_millis(100);

#[test]
fn an_end_that_can_never_be_sent_is_given_up_at_once() {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build().unwrap();
    runtime.block_on(async {
        let options = ConnectOptions::new().retry_on_initial_connect();
        let client = options.connect("nats://127.0.0.1:1").await.unwrap();
        let [name, course] = ["lab", "algo"].map(|name| Name::new(name).unwrap());
        let server = (name, client, runtime.handle().clone());
        let life = Id("a".to_owned());
        let link = Link::new(server, life, About::sample(), None, Arc::new(|_| ()));
        let sent = OrderMessage {
            id: Id("order".to_owned()),
            order: order(&[None]),
            can_wait: false,
        };
        let taken = link.taken(&course, Id("daemon".to_owned()), &sent);
        let ends = |ended| timeout(BRIEFLY, link.end(&taken, 0, ended));
        // What nobody has heard is said again, and the order is named meanwhile.
        assert!(ends(Ok(Ended::Done)).await.is_err());
        assert_eq!(link.doing(&course).len(), 1);
        let long = Fault::new("measure", "x".repeat(MESSAGE_BYTES_MAX));
        assert!(ends(Err(long)).await.is_ok());
        assert!(link.doing(&course).is_empty());
    });
}
