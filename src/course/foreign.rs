//! Lists of platforms as rosters: Moodle's participants and grades, Canvas's gradebook, GitHub
//! Classroom's roster.
//!
//! Such a list has no column `student`: the surest name of each row is taken, a user name before a
//! number before a mail address. Moodle's headers are in the site's language.

use crate::domain::Key;

/// What columns are called, in lower case, each in the languages that it was seen in.
pub const LOGINS: [&str; 9] = [
    "username",
    "anmeldename",
    "nombre de usuario",
    "nom d'utilisateur",
    "nom d’utilisateur",
    "gebruikersnaam",
    "nom d'usuari",
    "nome utente",
    "sis login id",
];
pub const NUMBERS: [&str; 9] = [
    "id number",
    "id-nummer",
    "número de id",
    "número id",
    "número de identificación",
    "numéro d'identification",
    "numéro d’identification",
    "codice identificativo",
    "sis user id",
];
pub const GROUPS: [&str; 14] = [
    "group", "groups", "gruppe", "gruppen", "grupo", "grupos", "groupe", "groupes", "grup",
    "gruppo", "gruppi", "groep", "groepen", "grupp",
];
const MAILS: [&str; 10] = [
    "email address",
    "e-mail-adresse",
    "dirección de correo",
    "dirección email",
    "correo electrónico",
    "adresse de courriel",
    "adreça electrònica",
    "e-mailadres",
    "indirizzo email",
    "endereço de email",
];
const FIRST_NAMES: [&str; 8] = [
    "first name",
    "firstname",
    "vorname",
    "nombre",
    "prénom",
    "voornaam",
    "nome",
    "nom de pila",
];
const LAST_NAMES: [&str; 12] = [
    "last name",
    "lastname",
    "surname",
    "nachname",
    "apellido(s)",
    "apellidos",
    "nom",
    "nom de famille",
    "achternaam",
    "cognome",
    "cognoms",
    "apelido",
];
const FULL_NAMES: [&str; 8] = [
    "full name",
    "vollständiger name",
    "nombre completo",
    "nom complet",
    "volledige naam",
    "nome completo",
    "student",
    "name",
];
/// How Canvas begins the row of the points that are possible, and what it calls its test student.
const NOBODY: [&str; 2] = ["Points Possible", "Student, Test"];

/// Where a list of a platform has what a roster says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Foreign {
    /// What somebody may be called by, the surest first.
    pub student: Vec<usize>,
    pub last_name: Option<usize>,
    pub first_name: Option<usize>,
    /// `Last, First`, or in the order in which people speak.
    pub full_name: Option<usize>,
    pub section: Option<usize>,
    pub group: Option<usize>,
    pub keys: Vec<(Key, usize)>,
}

impl Foreign {
    /// What a header is; `None` if it is no platform's.
    pub fn of<'h>(header: impl Iterator<Item = &'h str>) -> Option<Self> {
        let header: Vec<String> = header.map(|name| name.trim().to_lowercase()).collect();
        let at = |names: &[&str]| {
            header
                .iter()
                .position(|name| names.contains(&name.as_str()))
        };
        let mut list = Self {
            last_name: at(&LAST_NAMES),
            first_name: at(&FIRST_NAMES),
            full_name: at(&FULL_NAMES),
            section: at(&["section"]),
            group: at(&GROUPS),
            ..Self::default()
        };
        let classroom = at(&["identifier"]).zip(at(&["github_username"]));
        if let Some((identifier, github)) = classroom {
            list.student.push(identifier);
            list.keys.push((Key::Github, github));
            return Some(list);
        }
        // An instructor's own roster may have `student` and `id` too, but nothing of a "SIS".
        let is_canvas = header.iter().any(|name| name.starts_with("sis "));
        if at(&["student"]).is_some() && !is_canvas {
            return None;
        }
        let canvas = at(&["id"]).filter(|_| is_canvas);
        let keys = [
            (Key::Login, at(&LOGINS)),
            (Key::Id, at(&NUMBERS)),
            (Key::Email, at(&MAILS)),
            (Key::Canvas, canvas),
        ];
        list.keys = keys
            .into_iter()
            .filter_map(|(key, at)| Some((key, at?)))
            .collect();
        list.student = list.keys.iter().map(|(_, at)| *at).collect();
        let has_names = list.full_name.is_some() || list.last_name.and(list.first_name).is_some();
        (has_names && !list.student.is_empty()).then_some(list)
    }

    /// Whether a row is of the list itself and nobody's.
    pub fn is_nobody(first: &str) -> bool {
        let first = first.trim();
        NOBODY.iter().any(|start| first.starts_with(start)) || first == "Muted"
    }

    /// Family name and given name of a full name.
    pub fn parts(name: &str) -> (&str, &str) {
        match name.split_once(',') {
            Some((last, first)) => (last.trim(), first.trim()),
            None => match name.trim().rsplit_once(' ') {
                Some((first, last)) => (last, first.trim()),
                None => (name.trim(), ""),
            },
        }
    }
}
