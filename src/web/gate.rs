//! What every request passes first, and every response last: only GET and HEAD, only under a name
//! of this machine, only with the token where there is one; and headers that let a page do nothing
//! but show itself.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Query, Request, State};
use axum::http::header::{
    ALLOW, AUTHORIZATION, COOKIE, HOST, HeaderMap, HeaderName, LOCATION, SET_COOKIE,
};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::answer::{TEXT, answer, asks_token, later, message};
use super::serve::{Local, Peer};
use super::state::Dashboard;
use super::token::Token;
use crate::config::{host_address, host_name, is_loopback};

/// The longest target of a request, in bytes.
const TARGET_BYTES_MAX: usize = 2 * 1024;

/// The style of the pages.
pub const STYLE_PATH: &str = "/style.css";

/// What a page of ours may load: its style, its script and its events, from here alone.
const PAGE_POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// The same with the form in which staff enter their token.
const STAFF_POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
/// What a report may do: it has its style in itself, runs nothing, and loads nothing. It stays of
/// this origin so that its links take the cookie along.
pub const REPORT_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-same-origin";

/// Headers of every response that does not have them already.
const ALWAYS: [(&str, &str); 8] = [
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("x-frame-options", "DENY"),
    ("cache-control", "no-store"),
    ("x-robots-tag", "noindex, nofollow, noarchive"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    (
        "permissions-policy",
        "camera=(), geolocation=(), microphone=()",
    ),
];

/// What somebody is told who does not ask this machine.
type Refused = (StatusCode, &'static str);

/// No `Host`, more than one, or one that is neither a host name nor an IP address.
const UNREADABLE: Refused = (
    StatusCode::BAD_REQUEST,
    "the request does not say under which name it asks\n",
);
/// A name that is not this machine's.
const FOREIGN: Refused = (
    StatusCode::MISDIRECTED_REQUEST,
    "this dashboard is not known under that name; the address under which it is opened is `url` under [web] of config.toml\n",
);

/// Lets a request in, or says why not.
pub async fn gate(
    State(dashboard): State<Arc<Dashboard>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match refusal(&dashboard, &request) {
        Some(refusal) => refusal,
        None => next.run(request).await,
    };
    let policy = if dashboard.is_staff() {
        STAFF_POLICY
    } else {
        PAGE_POLICY
    };
    let headers = response.headers_mut();
    for (name, value) in ALWAYS
        .into_iter()
        .chain([("content-security-policy", policy)])
    {
        let value = HeaderValue::from_static(value);
        headers
            .entry(HeaderName::from_static(name))
            .or_insert(value);
    }
    response
}

fn refusal(dashboard: &Dashboard, request: &Request) -> Option<Response> {
    let target = request.uri();
    let whole = target.path_and_query().map_or("", |whole| whole.as_str());
    if whole.len() > TARGET_BYTES_MAX {
        let words = "the address is too long\n";
        return Some(answer(StatusCode::URI_TOO_LONG, TEXT, words));
    }
    if let Err((status, words)) = check_host(dashboard, request) {
        return Some(answer(status, TEXT, words));
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let words = "the dashboard only shows: GET and HEAD\n";
        let response = answer(StatusCode::METHOD_NOT_ALLOWED, TEXT, words);
        return Some(([(ALLOW, "GET, HEAD")], response).into_response());
    }
    let token = dashboard.token.as_ref()?;
    // The page that asks for the token has a style too.
    if target.path() == STYLE_PATH {
        return None;
    }
    check_token(token, request, Instant::now())
}

fn check_host(dashboard: &Dashboard, request: &Request) -> Result<(), Refused> {
    let local = request.extensions().get::<Local>().ok_or(UNREADABLE)?;
    let mut named = request.headers().get_all(HOST).iter();
    let (Some(host), None) = (named.next(), named.next()) else {
        return Err(UNREADABLE);
    };
    let host = host.to_str().map_err(|_| UNREADABLE)?;
    let known = dashboard.host.as_deref();
    check_name(host, local.0, known)?;
    match request.uri().authority() {
        Some(authority) => check_name(authority.as_str(), local.0, known),
        None => Ok(()),
    }
}

/// What is right is looked for first: whoever has it is let in, whatever else was shown and whoever
/// has guessed before.
fn check_token(token: &Token, request: &Request, now: Instant) -> Option<Response> {
    let headers = request.headers();
    // A page elsewhere cannot use the browser here to guess, and lets nobody in by a link of its
    // own.
    let asked = Query::<BTreeMap<String, String>>::try_from_uri(request.uri()).ok();
    let asked = asked.and_then(|mut asked| asked.0.remove("token"));
    let asked = asked.filter(|_| !is_cross_site(headers));
    if asked.as_deref().is_some_and(|shown| token.is(shown)) {
        return Some(welcome(token));
    }
    let bearer = bearer(headers);
    if cookies(headers).any(|cookie| token.has_cookie(cookie))
        || bearer.is_some_and(|shown| token.is(shown))
    {
        return None;
    }
    if asked.is_none() && bearer.is_none() {
        return Some(asks_token(
            StatusCode::UNAUTHORIZED,
            "Enter the token from the file that config.toml names as [web] staff_token_file.",
        ));
    }
    let peer = request.extensions().get::<Peer>();
    let is_too_many = peer.is_none_or(|peer| token.count_wrong(peer.0, now));
    Some(refused_token(is_too_many))
}

fn is_cross_site(headers: &HeaderMap) -> bool {
    let mut sites = headers.get_all("sec-fetch-site").iter();
    sites.any(|site| site == "cross-site")
}

/// Has the browser keep what lets it in, and takes the token out of the address.
fn welcome(token: &Token) -> Response {
    let response = message(
        StatusCode::SEE_OTHER,
        "Welcome",
        "The token is right. Go on to the board.",
    );
    let headers = [(LOCATION, "/".to_owned()), (SET_COOKIE, token.set_cookie())];
    (headers, response).into_response()
}

fn refused_token(is_too_many: bool) -> Response {
    if is_too_many {
        return later(asks_token(
            StatusCode::TOO_MANY_REQUESTS,
            "There were many wrong tokens; wait a minute before the next one.",
        ));
    }
    asks_token(
        StatusCode::UNAUTHORIZED,
        "This token is not the one of the file that config.toml names as [web] staff_token_file; a new one there takes effect when the daemon starts, or reads its configuration again.",
    )
}

fn cookies(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let all = headers.get_all(COOKIE).into_iter();
    all.filter_map(|cookie| cookie.to_str().ok())
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Whether a `Host` header, or the authority of a request's target, means this machine: any
/// loopback name, the address that was connected to, or the host of `url` in config.toml. Nobody else
/// is answered: a page elsewhere can point a name of its own at this machine and look through a
/// browser here. Ports are not compared, because a tunnel may have another one.
fn check_name(host: &str, local: IpAddr, known: Option<&str>) -> Result<(), Refused> {
    let name = host_name(host).ok_or(UNREADABLE)?;
    let is_own = host_address(&name).is_some_and(|address| address == local.to_canonical());
    if is_own || is_loopback(&name) || known == Some(name.as_str()) {
        Ok(())
    } else {
        Err(FOREIGN)
    }
}

#[cfg(test)]
mod tests {
    use super::{FOREIGN, UNREADABLE, check_name};

    #[test]
    fn only_names_of_this_machine_are_answered() {
        let known = Some("grader.example");
        let (foreign, unreadable) = (Err(FOREIGN), Err(UNREADABLE));
        let own = "127.0.0.1:7878|127.0.0.1|localhost:9000|LOCALHOST|localhost.|a.localhost:1|\
                   [::1]:7878|127.8.9.1|localhost:";
        let foreigners = "evil.example|localhost.evil.example|127.0.0.1.evil.example|\
                          grader.example.evil|notlocalhost|2130706433";
        let nonsense = "|:80|localhost:80:80|localhost:x|localhost:123456|user@localhost|local host|\
                        [::1|[::1]x|localhost/x";
        for (hosts, local, expected) in [
            (own, "127.0.0.1", Ok(())),
            ("[::1]", "::1", Ok(())),
            ("192.0.2.7:7878", "192.0.2.7", Ok(())),
            ("[::ffff:192.0.2.7]|Grader.Example:80", "192.0.2.7", Ok(())),
            ("192.0.2.8", "192.0.2.7", foreign),
            (foreigners, "127.0.0.1", foreign),
            (nonsense, "127.0.0.1", unreadable),
        ] {
            for host in hosts.split('|') {
                let found = check_name(host, local.parse().unwrap(), known);
                assert_eq!(found, expected, "{host}");
            }
        }
    }
}
