//! What a server keeps for workers: put by digest, fetched by digest, and put again after a loss.

use verdictd::internals::cluster::{Blobs, Name, get};
use verdictd::internals::digest;

use super::run;
use super::server::Server;

const KEEP: u64 = 256 << 20;
const MIB: usize = 1 << 20;

#[test]
fn bytes_of_any_length_come_back_until_the_server_loses_them() {
    let Some(mut server) = Server::start() else {
        return;
    };
    let course = Name::new("algorithms").unwrap();
    run(async {
        let client = async_nats::connect(server.url()).await.unwrap();
        let blobs = Blobs::new(&client, &course, KEEP);
        blobs.open().await.unwrap();
        let lengths = [0, 1, 512 * 1024, 512 * 1024 + 1, 3 * MIB];
        let all = lengths.map(|length| vec![u8::try_from(length % 251).unwrap(); length]);
        for bytes in &all {
            let name = digest(bytes);
            let found = get(&client, &course, &name, KEEP).await.unwrap();
            assert_eq!(found, None);
            blobs.put(&name, bytes).await.unwrap();
            blobs.put(&name, bytes).await.unwrap();
            let found = get(&client, &course, &name, KEEP).await.unwrap();
            assert_eq!(found.as_ref(), Some(bytes));
        }
        let long = get(&client, &course, &digest(&all[4]), MIB as u64).await;
        assert!(long.unwrap_err().to_string().contains("longer"));
        let other = digest(b"other");
        blobs.put(&other, &all[1]).await.unwrap();
        let wrong = get(&client, &course, &other, KEEP).await;
        assert!(wrong.unwrap_err().to_string().contains("other bytes"));

        // The oldest goes first, and only part of it: it is as good as gone.
        let small = Blobs::new(&client, &course, 2 * MIB as u64);
        small.open().await.unwrap();
        let found = get(&client, &course, &digest(&all[4]), KEEP).await;
        assert_eq!(found.unwrap(), None);

        server.empty();
        let name = digest(&all[3]);
        let again = async {
            while blobs.put(&name, &all[3]).await.is_err() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(crate::place::PATIENCE, again)
            .await
            .unwrap();
        let found = get(&client, &course, &name, KEEP).await.unwrap();
        assert_eq!(found.as_ref(), Some(&all[3]));
    });
}
