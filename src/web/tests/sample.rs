//! A dashboard without a daemon, for tests: a board, an empty store, and a course that can be
//! reloaded.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::HOST;
use axum::response::Response;
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use tempfile::TempDir;
use tokio::sync::watch;

use crate::config::{self, Config};
use crate::daemon;
use crate::overview::Scoreboard;
use crate::report::Audience;
use crate::store::Store;
use crate::web::listener::Listener;
use crate::web::serve::Local;
use crate::web::state::{AppState, Dashboard};
use crate::web::token::Token;

/// What the views of a test look at.
pub struct Sample {
    pub state: Arc<AppState>,
    config: Config,
    _store: Store,
    _folder: TempDir,
}

impl Sample {
    pub fn new(board: Scoreboard) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let config = config::parse("", Path::new("config.toml")).unwrap();
        let view = daemon::View::sample(folder.path().to_owned(), board);
        // The sender is gone, which stops what waits for it.
        let (_, stopped) = watch::channel(false);
        Self {
            state: Arc::new(AppState::new(view, stopped)),
            config,
            _store: store,
            _folder: folder,
        }
    }

    /// A view.
    pub fn dashboard(&self, audience: Audience) -> Arc<Dashboard> {
        let listener = Listener {
            audience,
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            key: "test",
            token: None::<Token>,
        };
        Arc::new(Dashboard::new(listener, &self.config, Arc::clone(&self.state)).unwrap())
    }
}

/// What is answered to somebody on this machine.
pub async fn get(router: &Router, target: &str) -> Response {
    let request = Request::get(target).header(HOST, "localhost");
    let request = request.extension(Local(Ipv4Addr::LOCALHOST.into()));
    let request = request.body(Body::empty()).unwrap();
    let service = TowerToHyperService::new(router.clone());
    service.call(request).await.unwrap()
}
