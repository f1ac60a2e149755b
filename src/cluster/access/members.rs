//! cluster.toml: which courses and workers there are, and how the server is reached. The server's
//! configuration is written from it alone. It has public keys only.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};

use serde::{Deserialize, Serialize};

use super::credentials::Role;
use crate::cluster::subjects::Name;
use crate::util::nearest::nearest;

/// The largest file.
pub(super) const BYTES_MAX: u64 = 4 << 20;
/// Courses and workers of one server, each.
const MEMBERS_MAX: usize = 2_000;
/// Accounts that the server has in advance for workers that are added later. A server that reads its
/// configuration again connects accounts with each other that it has already; a new one stays alone
/// until the next time.
const SPARE_ACCOUNTS: usize = 32;

/// What is in the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Members {
    /// What the machine with the server is called, the first one in the addresses of credentials.
    pub hosts: Vec<String>,
    /// The address at which the server listens.
    #[serde(default = "everywhere")]
    pub listen: IpAddr,
    /// The port at which the server listens.
    pub port: u16,
    /// By name.
    #[serde(default)]
    pub courses: BTreeMap<String, Course>,
    /// By name.
    #[serde(default)]
    pub workers: BTreeMap<String, Worker>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Course {
    /// The public key.
    pub key: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Worker {
    /// The public key.
    pub key: String,
    /// The courses that it works for; all of them where it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub courses: Option<Vec<String>>,
    /// The number of the spare account that it was given; none where its account has its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<usize>,
}

/// Where the server of a folder listens that says nothing of it.
fn everywhere() -> IpAddr {
    Ipv4Addr::UNSPECIFIED.into()
}

impl Members {
    /// Reads and checks a file.
    pub fn read(text: &str) -> Result<Self, String> {
        let read: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        if read.hosts.is_empty() {
            return Err("`hosts` is empty".to_owned());
        }
        for host in &read.hosts {
            check_host(host)?;
        }
        let names = || read.courses.keys().chain(read.workers.keys());
        if let Some(wrong) = names().find(|name| Name::new(name).is_none()) {
            return Err(not_a_name(wrong));
        }
        let keys = read.courses.values().map(|course| &course.key);
        let keys = keys.chain(read.workers.values().map(|worker| &worker.key));
        for key in keys {
            // It stands in the server's configuration as it is.
            let is_key = nkeys::from_public_key(key).is_ok() && key.starts_with('U');
            if !is_key {
                return Err(format!("`{}` is no user's public key", key.escape_debug()));
            }
        }
        if read.courses.len().max(read.workers.len()) > MEMBERS_MAX {
            return Err(format!("more than {MEMBERS_MAX} courses or workers"));
        }
        read.check_courses()?;
        Ok(read)
    }

    /// The file's text.
    pub fn text(&self) -> Result<String, toml::ser::Error> {
        let head = "# Who may connect to the server. Change it with `verdictd cluster`, which writes nats-server.conf\n\
                    # from it: add-worker, add-course, remove.\n";
        Ok(head.to_owned() + &toml::to_string(self)?)
    }

    /// The server's address, for credentials.
    pub fn url(&self) -> String {
        let host = self.hosts.first().map_or("localhost", String::as_str);
        if host.contains(':') {
            format!("tls://[{host}]:{}", self.port)
        } else {
            format!("tls://{host}:{}", self.port)
        }
    }

    /// The account of a worker.
    pub fn account(name: &Name, worker: &Worker) -> String {
        worker
            .account
            .map_or_else(|| format!("worker-{name}"), spare)
    }

    /// Accounts that nobody has yet.
    pub fn spare_accounts(&self) -> impl Iterator<Item = String> {
        self.free_numbers().take(SPARE_ACCOUNTS).map(spare)
    }

    fn free_numbers(&self) -> impl Iterator<Item = usize> {
        let is_free = |number: &usize| {
            let mut workers = self.workers.values();
            workers.all(|worker| worker.account != Some(*number))
        };
        (1..).filter(is_free)
    }

    /// Gives a worker one of the accounts that the server has already.
    pub fn give_spare_account(&mut self, name: &Name) {
        let number = self.free_numbers().next();
        if let Some(worker) = self.workers.get_mut(name.as_str()) {
            worker.account = number;
        }
    }

    /// Adds somebody new. A course and a worker cannot have one name: nobody has to ask which of
    /// them is meant.
    pub fn add(
        &mut self,
        role: Role,
        name: &Name,
        key: String,
        courses: Option<&[String]>,
    ) -> Result<(), String> {
        let known = name.as_str();
        if self.workers.contains_key(known) {
            return Err(format!("there is a worker `{name}` already"));
        }
        if self.courses.contains_key(known) {
            return Err(format!("there is a course `{name}` already"));
        }
        let name = name.to_string();
        let courses = courses.map(<[String]>::to_vec);
        match role {
            Role::Course => {
                self.courses.insert(name, Course { key });
            }
            Role::Worker => {
                let worker = Worker {
                    key,
                    courses,
                    account: None,
                };
                self.workers.insert(name, worker);
            }
        }
        if self.courses.len().max(self.workers.len()) > MEMBERS_MAX {
            return Err(format!(
                "a server has at most {MEMBERS_MAX} {}s",
                role.word()
            ));
        }
        self.check_courses()
    }

    /// Removes a worker or a course.
    pub fn remove(&mut self, name: &str) -> Result<Role, String> {
        if self.workers.remove(name).is_some() {
            return Ok(Role::Worker);
        }
        if self.courses.remove(name).is_some() {
            for worker in self.workers.values_mut() {
                if let Some(courses) = &mut worker.courses {
                    courses.retain(|course| course != name);
                }
            }
            return Ok(Role::Course);
        }
        let known = self.workers.keys().chain(self.courses.keys());
        let known = nearest(name, known.map(String::as_str));
        let meant = known.map(|known| format!("; did you mean `{known}`?"));
        Err(format!(
            "there is no worker or course `{}`{}",
            name.escape_debug(),
            meant.unwrap_or_default()
        ))
    }

    fn check_courses(&self) -> Result<(), String> {
        for (worker, courses) in &self.workers {
            for course in courses.courses.iter().flatten() {
                if !self.courses.contains_key(course) {
                    let known = nearest(course, self.courses.keys().map(String::as_str));
                    let way_out = known.map_or_else(
                        || "add it first, with `verdictd cluster add-course`".to_owned(),
                        |known| format!("did you mean `{known}`?"),
                    );
                    return Err(format!(
                        "the worker `{worker}` is for the course `{}`, which is not there; {way_out}",
                        course.escape_debug()
                    ));
                }
            }
        }
        Ok(())
    }
}

fn spare(number: usize) -> String {
    format!("spare-{number}")
}

/// What is wrong with a name.
pub(super) fn not_a_name(name: &str) -> String {
    format!(
        "`{}` is no name: a name has 1 to {} small letters, digits and hyphens",
        name.escape_debug(),
        Name::BYTES_MAX
    )
}

/// Whether a name or an address can stand in a certificate and in an address.
pub(super) fn check_host(host: &str) -> Result<(), String> {
    let is_address = host.parse::<std::net::IpAddr>().is_ok();
    let may = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.';
    let is_name = (1..=253).contains(&host.len())
        && host.bytes().all(may)
        && host
            .split('.')
            .all(|part| !part.is_empty() && !part.starts_with('-'));
    if is_address || is_name {
        Ok(())
    } else {
        Err(format!(
            "`{}` is no name or address of a machine; without a port, as `grader` or `192.0.2.7`",
            host.escape_debug()
        ))
    }
}

#[cfg(test)]
mod tests {
    use nkeys::KeyPair;

    use super::{Members, check_host};
    use crate::cluster::access::credentials::Role;
    use crate::cluster::subjects::Name;

    fn members() -> Members {
        let mut members = Members::read("hosts = [\"grader\"]\nport = 4222\n").unwrap();
        let add = |members: &mut Members, role, name, courses: Option<&[String]>| {
            let key = KeyPair::new_user().public_key();
            members.add(role, &Name::new(name).unwrap(), key, courses)
        };
        add(&mut members, Role::Course, "algo", None).unwrap();
        add(&mut members, Role::Worker, "lab-07", None).unwrap();
        let (only, wrong) = (["algo".to_owned()], ["aglo".to_owned()]);
        add(&mut members, Role::Worker, "lab-08", Some(&only)).unwrap();
        for (role, name, courses, says) in [
            (Role::Worker, "lab-07", None, "a worker `lab-07` already"),
            (Role::Worker, "algo", None, "a course `algo` already"),
            (
                Role::Worker,
                "lab-09",
                Some(&wrong[..]),
                "did you mean `algo`?",
            ),
        ] {
            let refused = add(&mut members.clone(), role, name, courses).unwrap_err();
            assert!(refused.contains(says), "{refused}");
        }
        members
    }

    #[test]
    fn what_is_written_is_read() {
        let mut members = members();
        let text = members.text().unwrap();
        assert_eq!(Members::read(&text).unwrap(), members);
        let refused = members.remove("lab-7").unwrap_err();
        assert!(refused.contains("did you mean `lab-07`?"), "{refused}");
        assert_eq!(members.remove("algo"), Ok(Role::Course));
        let text = members.text().unwrap();
        assert_eq!(
            Members::read(&text).unwrap(),
            members,
            "no worker waits for it"
        );
    }

    #[test]
    fn a_worker_that_is_added_later_gets_an_account_that_the_server_has() {
        let mut members = members();
        let [seven, eight] = ["lab-07", "lab-08"].map(|name| Name::new(name).unwrap());
        let account = |members: &Members, name: &Name| {
            Members::account(name, &members.workers[name.as_str()])
        };
        assert_eq!(account(&members, &seven), "worker-lab-07");
        for name in [&seven, &eight] {
            let spare: Vec<String> = members.spare_accounts().collect();
            members.give_spare_account(name);
            assert_eq!(account(&members, name), spare[0]);
            assert_eq!(members.spare_accounts().count(), spare.len());
        }
        assert_ne!(account(&members, &seven), account(&members, &eight));
        let before = account(&members, &eight);
        members.remove("lab-07").unwrap();
        let members = Members::read(&members.text().unwrap()).unwrap();
        assert_eq!(account(&members, &eight), before);
        assert!(members.spare_accounts().all(|spare| spare != before));
    }

    #[test]
    fn what_could_break_the_configuration_is_refused() {
        let text = members().text().unwrap();
        let key = members().courses["algo"].key.clone();
        assert!(Members::read(&text).is_ok());
        for (from, to) in [
            ("grader", "grader\\\" }"),
            ("[courses.algo]", "[courses.\"a } b\"]"),
            ("4222", "99999"),
            ("key = \"", "key = \"}"),
            ("hosts = [\"grader\"]", "hosts = []"),
        ] {
            let changed = text.replace(from, to);
            assert!(changed != text && Members::read(&changed).is_err(), "{to}");
        }
        let seed = KeyPair::new_user().seed().unwrap();
        assert!(Members::read(&text.replace(&key, &seed)).is_err() || !text.contains(&key));
    }

    #[test]
    fn hosts() {
        for (host, is_one) in [
            ("grader", true),
            ("lab.example.org", true),
            ("192.0.2.7", true),
            ("2001:db8::7", true),
            ("grader:4222", false),
            ("tls://grader", false),
            ("a..b", false),
            ("-x", false),
            ("", false),
        ] {
            assert_eq!(check_host(host).is_ok(), is_one, "{host}");
        }
    }
}
