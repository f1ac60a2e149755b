//! Who can read what on the dashboard, in sentences.

use crate::config::{Public, Web};

/// Who reads what, as config.toml has it.
pub fn sentences(web: &Web) -> Vec<String> {
    if !web.enabled {
        return vec!["The dashboard is off: nobody reads anything in a browser.".to_owned()];
    }
    let home = web.home();
    let who = if web.is_local() {
        format!("Whoever has an account on this machine, and nobody else, opens {home} and reads")
    } else if web.url.is_none() && web.students.ip().is_unspecified() {
        let port = web.students.port();
        format!("Whoever can connect to port {port} of this machine reads")
    } else {
        format!("Whoever opens {home} reads")
    };
    let what = match web.public() {
        Public::Reports => "the names, verdicts and reports of all students",
        Public::Names => {
            "the names and verdicts of all students; reports are read at personal links alone"
        }
        Public::Pseudonyms => "verdicts under pseudonyms; reports are read at personal links alone",
        Public::Nothing => "nothing about any student; reports are read at personal links alone",
    };
    let proxy = if web.is_local() && web.public() == Public::Reports {
        " If a proxy lets others in, set `url` under [web] to the address that they open."
    } else {
        ""
    };
    let staff = match &web.staff_token_file {
        Some(file) => format!(
            "Whoever opens http://{} with the token in {} reads everything.",
            web.staff,
            file.display()
        ),
        None => "There are no staff pages: `staff_token_file` under [web] is not set.".to_owned(),
    };
    vec![format!("{who} {what}.{proxy}"), staff]
}
