//! cluster.toml: which courses and workers there are, and how the server is reached. The server's
//! configuration is written from it alone. It has public keys only.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};

use nkeys::KeyPair;
use serde::{Deserialize, Serialize};

use super::credentials::Role;
use crate::cluster::subjects::Name;

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
pub struct Members {
    /// What the machine with the server is called, the first one in the addresses of credentials.
    pub hosts: Vec<String>,
    /// The address at which the server listens.
    #[serde(default = "everywhere")]
    pub listen: IpAddr,
    /// The port at which the server listens.
    pub port: u16,
    /// By name.
    #[serde(default)]
    pub courses: BTreeMap<Name, Course>,
    /// By name.
    #[serde(default)]
    pub workers: BTreeMap<Name, Worker>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Course {
    /// The public key.
    pub key: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Worker {
    /// The public key.
    pub key: String,
    /// The courses that it works for; all of them where it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub courses: Option<Vec<Name>>,
    /// The number of the spare account that it was given; none where its account has its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<usize>,
}

/// Where the server of a folder listens that says nothing of it.
fn everywhere() -> IpAddr {
    Ipv4Addr::UNSPECIFIED.into()
}

/// Somebody who may connect from now on.
#[derive(Debug, Clone)]
pub struct Newcomer {
    pub role: Role,
    pub name: Name,
    /// The courses of a worker; all of them where it does not say.
    pub courses: Option<Vec<Name>>,
}

impl Worker {
    /// Its account on the server.
    pub(super) fn account(&self, name: &Name) -> String {
        self.account.map_or_else(|| format!("worker-{name}"), spare)
    }
}

impl Members {
    /// Nobody may connect yet.
    pub fn nobody(hosts: Vec<String>, listen: IpAddr, port: u16) -> Self {
        Self {
            hosts,
            listen,
            port,
            courses: BTreeMap::new(),
            workers: BTreeMap::new(),
        }
    }

    /// Whether all of it can stand in the server's configuration, which has hosts and keys as they
    /// are; why not.
    pub(super) fn checked(self) -> Result<Self, String> {
        if self.hosts.is_empty() {
            return Err("`hosts` is empty".to_owned());
        }
        if let Some(wrong) = self.hosts.iter().find(|host| !is_host(host)) {
            let wrong = wrong.escape_debug();
            return Err(format!(
                "`{wrong}` is not the name or address of a machine; write it without a port, as `grader` or `192.0.2.7`"
            ));
        }
        let keys = self.courses.values().map(|course| &course.key);
        let mut keys = keys.chain(self.workers.values().map(|worker| &worker.key));
        let is_key = |key: &str| nkeys::from_public_key(key).is_ok() && key.starts_with('U');
        if let Some(wrong) = keys.find(|key| !is_key(key)) {
            return Err(format!(
                "`{}` is not a user's public key",
                wrong.escape_debug()
            ));
        }
        if self.courses.len().max(self.workers.len()) > MEMBERS_MAX {
            return Err(format!(
                "a server has at most {MEMBERS_MAX} courses and as many workers"
            ));
        }
        for (name, worker) in &self.workers {
            let mut courses = worker.courses.iter().flatten();
            if let Some(missing) = courses.find(|course| !self.courses.contains_key(*course)) {
                return Err(format!(
                    "the worker `{name}` is for the course `{missing}`, which is not there; add it first, with `verdictd cluster add-course`"
                ));
            }
        }
        Ok(self)
    }

    /// The file's text.
    pub(super) fn text(&self) -> Result<String, toml::ser::Error> {
        let head = "# Who may connect to the server. Change it with `verdictd cluster`, which writes nats-server.conf\n\
                    # from it: add-worker, add-course, remove.\n";
        Ok(head.to_owned() + &toml::to_string(self)?)
    }

    /// The server's address, for credentials.
    pub(super) fn url(&self) -> String {
        let host = self.hosts.first().map_or("localhost", String::as_str);
        if host.contains(':') {
            format!("tls://[{host}]:{}", self.port)
        } else {
            format!("tls://{host}:{}", self.port)
        }
    }

    /// The courses that a worker works for.
    pub(super) fn courses_of<'a>(&'a self, worker: &'a Worker) -> impl Iterator<Item = &'a Name> {
        let chosen = worker.courses.as_ref();
        let courses = self.courses.keys();
        courses.filter(move |course| chosen.is_none_or(|chosen| chosen.contains(course)))
    }

    /// Accounts that nobody has yet.
    pub(super) fn spare_accounts(&self) -> impl Iterator<Item = String> {
        (self.next_account()..).take(SPARE_ACCOUNTS).map(spare)
    }

    fn next_account(&self) -> usize {
        let accounts = self.workers.values().filter_map(|worker| worker.account);
        accounts.max().unwrap_or_default() + 1
    }

    /// Adds newcomers, and says their secret keys; why not, where that cannot be. Workers get the
    /// accounts that the server has already. A course and a worker cannot have one name: nobody has
    /// to ask which of them is meant.
    pub(super) fn with(mut self, newcomers: &[Newcomer]) -> Result<(Self, Vec<KeyPair>), String> {
        let mut keys = Vec::new();
        for Newcomer {
            role,
            name,
            courses,
        } in newcomers
        {
            for (taken, is_taken) in [
                (Role::Worker, self.workers.contains_key(name)),
                (Role::Course, self.courses.contains_key(name)),
            ] {
                if is_taken {
                    return Err(format!("there is a {} `{name}` already", taken.word()));
                }
            }
            let pair = KeyPair::new_user();
            let key = pair.public_key();
            match role {
                Role::Course => drop(self.courses.insert(name.clone(), Course { key })),
                Role::Worker => {
                    let worker = Worker {
                        key,
                        courses: courses.clone(),
                        account: Some(self.next_account()),
                    };
                    self.workers.insert(name.clone(), worker);
                }
            }
            keys.push(pair);
        }
        Ok((self.checked()?, keys))
    }

    /// Removes a worker or a course.
    pub(super) fn remove(&mut self, name: &str) -> Result<Role, String> {
        let nobody = || format!("there is no worker or course `{}`", name.escape_debug());
        let name = Name::new(name).ok_or_else(nobody)?;
        if self.workers.remove(&name).is_some() {
            return Ok(Role::Worker);
        }
        self.courses.remove(&name).ok_or_else(nobody)?;
        for courses in self
            .workers
            .values_mut()
            .filter_map(|worker| worker.courses.as_mut())
        {
            courses.retain(|course| *course != name);
        }
        Ok(Role::Course)
    }
}

fn spare(number: usize) -> String {
    format!("spare-{number}")
}

/// Whether a name or an address can stand in a certificate and in an address.
fn is_host(host: &str) -> bool {
    let may = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.';
    let is_part = |part: &str| !part.is_empty() && !part.starts_with('-');
    let is_name = host.len() <= 253 && host.bytes().all(may) && host.split('.').all(is_part);
    is_name || host.parse::<IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use nkeys::KeyPair;

    use super::{Members, Newcomer};
    use crate::cluster::access::Role;
    use crate::cluster::subjects::Name;

    fn read(text: &str) -> Result<Members, String> {
        let read: Members = toml::from_str(text).map_err(|error| error.to_string())?;
        read.checked()
    }

    fn with(all: Members, role: Role, name: &str, course: Option<&str>) -> Result<Members, String> {
        let newcomer = Newcomer {
            role,
            name: Name::new(name).unwrap(),
            courses: course.map(|course| vec![Name::new(course).unwrap()]),
        };
        Ok(all.with(&[newcomer])?.0)
    }

    fn members() -> Members {
        let mut members = read("hosts = [\"grader\"]\nport = 4222\n").unwrap();
        for (role, name, course) in [
            (Role::Course, "algo", None),
            (Role::Worker, "lab-07", None),
            (Role::Worker, "lab-08", Some("algo")),
        ] {
            members = with(members, role, name, course).unwrap();
        }
        for (name, course, says) in [
            ("lab-07", None, "a worker `lab-07` already"),
            ("algo", None, "a course `algo` already"),
            ("lab-09", Some("aglo"), "`aglo`, which is not there"),
        ] {
            let refused = with(members.clone(), Role::Worker, name, course).unwrap_err();
            assert!(refused.contains(says), "{refused}");
        }
        members
    }

    #[test]
    fn a_worker_that_is_added_later_gets_an_account_that_the_server_has() {
        let account = |members: &Members, name: &str| {
            let name = Name::new(name).unwrap();
            members.workers[&name].account(&name)
        };
        let before = members();
        let spare: Vec<String> = before.spare_accounts().collect();
        let mut members = with(before, Role::Worker, "lab-09", None).unwrap();
        assert_eq!(account(&members, "lab-09"), spare[0]);
        assert_eq!(members.spare_accounts().count(), spare.len());
        let own = ["lab-07", "lab-08", "lab-09"].map(|name| account(&members, name));
        members.remove("lab-07").unwrap();
        let members = read(&members.text().unwrap()).unwrap();
        assert_eq!(account(&members, "lab-09"), own[2]);
        let mut spare = members.spare_accounts();
        assert!(!spare.any(|spare| own[1..].contains(&spare)));
        // A folder of an older version has accounts by name.
        let key = KeyPair::new_user().public_key();
        let old = format!("hosts = [\"grader\"]\nport = 1\n[workers.lab-07]\nkey = \"{key}\"\n");
        assert_eq!(account(&read(&old).unwrap(), "lab-07"), "worker-lab-07");
    }

    #[test]
    fn what_could_break_the_configuration_is_refused() {
        let text = members().text().unwrap();
        let key = members().courses[&Name::new("algo").unwrap()].key.clone();
        assert!(read(&text).is_ok());
        for (from, to) in [
            ("grader", "grader\\\" }"),
            ("[courses.algo]", "[courses.\"a } b\"]"),
            ("4222", "99999"),
            ("key = \"", "key = \"}"),
            ("hosts = [\"grader\"]", "hosts = []"),
        ] {
            let changed = text.replace(from, to);
            assert!(changed != text && read(&changed).is_err(), "{to}");
        }
        let seed = KeyPair::new_user().seed().unwrap();
        assert!(read(&text.replace(&key, &seed)).is_err() || !text.contains(&key));
    }
}
