//! A TCP proxy on loopback between a machine and the server, which freezes and cuts.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A proxy; its connections end when it is dropped.
pub struct Proxy {
    port: u16,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a mode of its own")]
pub struct State {
    /// Nothing comes through, and no connection ends.
    pub is_frozen: bool,
    /// Each new connection ends at once.
    pub is_cut: bool,
    /// Whoever says how fast they are says that they are a hundred times faster.
    pub boasts: bool,
    has_ended: bool,
    connections: Vec<TcpStream>,
}

impl Proxy {
    /// A proxy to a port on loopback.
    pub fn to(target: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared::default());
        let listening = Arc::clone(&shared);
        std::thread::spawn(move || listening.accept(&listener, target));
        Self { port, shared }
    }

    /// Its address, without TLS.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Does something else from now on; where all is cut, connections end.
    pub fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.shared.state();
        change(&mut state);
        if state.is_cut || state.has_ended {
            for connection in state.connections.drain(..) {
                // The other end may have done so.
                let _ = connection.shutdown(Shutdown::Both);
            }
        }
        self.shared.changed.notify_all();
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.change(|state| state.has_ended = true);
        // Wakes the listener, which sees that it has ended.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn accept(self: &Arc<Self>, listener: &TcpListener, target: u16) {
        while let Ok((near, _)) = listener.accept() {
            let mut state = self.state();
            if state.has_ended {
                return;
            }
            // A connection that is dropped here ends.
            if state.is_cut {
                continue;
            }
            let Ok(far) = TcpStream::connect(("127.0.0.1", target)) else {
                continue;
            };
            for (from, to) in [(&near, &far), (&far, &near)] {
                let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                let shared = Arc::clone(self);
                std::thread::spawn(move || shared.pass(from, to));
            }
            state.connections.extend([near, far]);
        }
    }

    /// Passes on what one end sends until one of them ends.
    fn pass(&self, mut from: TcpStream, mut to: TcpStream) {
        let mut chunk = vec![0; 64 * 1024];
        while let Ok(length @ 1..) = from.read(&mut chunk) {
            let held = self.state();
            let is_held = |state: &mut State| state.is_frozen && !state.has_ended;
            let state = self.changed.wait_while(held, is_held);
            if state.is_ok_and(|state| state.boasts) {
                boast(&mut chunk[..length]);
            }
            if to.write_all(&chunk[..length]).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Both);
        let _ = from.shutdown(Shutdown::Both);
    }
}

/// Leaves the first digit of the time in nanoseconds that the worker's work is said to take.
fn boast(sent: &mut [u8]) {
    let key = b"\"least_ns\":";
    let found = sent.windows(key.len()).position(|window| window == key);
    if let Some(from) = found.map(|at| at + key.len()) {
        let digits = sent[from..].iter().take_while(|byte| byte.is_ascii_digit());
        let end = from + digits.count();
        sent[from + 1..end].fill(b' ');
    }
}
