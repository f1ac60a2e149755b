//! The flags of the default output validator, as the comparison that they ask for.

use crate::compare::{Flags, Mode, Tolerance};
use crate::config::suggestion;

const FLAGS: [&str; 5] = [
    "case_sensitive",
    "space_change_sensitive",
    "float_absolute_tolerance",
    "float_relative_tolerance",
    "float_tolerance",
];

/// How outputs are compared under these flags; the error: what is wrong with them, and the way
/// out.
pub fn mode_of(flags: &[String]) -> Result<Mode, (String, String)> {
    let mut said = Flags::default();
    let (mut absolute, mut relative) = (None, None);
    let mut rest = flags.iter();
    while let Some(flag) = rest.next() {
        match flag.as_str() {
            "case_sensitive" => said.case_sensitive = true,
            "space_change_sensitive" => said.space_change_sensitive = true,
            "float_absolute_tolerance" => absolute = Some(tolerance(flag, rest.next())?),
            "float_relative_tolerance" => relative = Some(tolerance(flag, rest.next())?),
            "float_tolerance" => {
                absolute = Some(tolerance(flag, rest.next())?);
                relative = absolute;
            }
            other => {
                return Err((
                    format!("the default output validator has no flag `{other}`"),
                    suggestion(other, &FLAGS),
                ));
            }
        }
    }
    // One that is not given allows nothing.
    said.tolerance = (absolute.is_some() || relative.is_some()).then(|| Tolerance {
        absolute: absolute.unwrap_or(0.0),
        relative: relative.unwrap_or(0.0),
    });
    Ok(said.mode())
}

/// The flags that ask for a comparison; none where there are none that do.
pub fn flags_of(mode: &Mode) -> Option<Vec<String>> {
    let sensitive = |space_change_sensitive, tolerance| Flags {
        case_sensitive: true,
        space_change_sensitive,
        tolerance,
    };
    let said = match *mode {
        Mode::Lines => return None,
        Mode::Exact => sensitive(true, None),
        Mode::Tokens => sensitive(false, None),
        Mode::Float { absolute, relative } => {
            sensitive(false, Some(Tolerance { absolute, relative }))
        }
        Mode::Icpc(flags) => flags,
    };
    let mut flags = Vec::new();
    flags.extend(said.case_sensitive.then(|| FLAGS[0].to_owned()));
    flags.extend(said.space_change_sensitive.then(|| FLAGS[1].to_owned()));
    if let Some(Tolerance { absolute, relative }) = said.tolerance {
        let numbers = [absolute, relative].map(|number| format!("{number:e}"));
        for (flag, number) in FLAGS[2..].iter().zip(numbers) {
            flags.extend([(*flag).to_owned(), number]);
        }
    }
    Some(flags)
}

fn tolerance(flag: &str, number: Option<&String>) -> Result<f64, (String, String)> {
    let parsed = number.and_then(|number| number.parse().ok());
    parsed
        .filter(|number: &f64| number.is_finite() && *number >= 0.0)
        .ok_or_else(|| {
            let found = number.map_or("nothing".to_owned(), |number| format!("`{number}`"));
            (
                format!("`{flag}` is followed by {found}"),
                format!("write a number that is not negative, as in `{flag} 1e-6`"),
            )
        })
}

#[cfg(test)]
mod tests {
    use super::{flags_of, mode_of};
    use crate::compare::{Flags, Mode, Tolerance};

    #[test]
    fn flags_are_read_as_the_default_validator_reads_them() {
        let near = |absolute, relative| Some(Tolerance { absolute, relative });
        let any_case = |tolerance| {
            Mode::Icpc(Flags {
                tolerance,
                ..Flags::default()
            })
        };
        for (flags, mode) in [
            ("", any_case(None)),
            ("case_sensitive", Mode::Tokens),
            ("case_sensitive space_change_sensitive", Mode::Exact),
            ("float_tolerance 1e-6", any_case(near(1e-6, 1e-6))),
            ("float_absolute_tolerance 0.5", any_case(near(0.5, 0.0))),
            ("float_relative_tolerance .5", any_case(near(0.0, 0.5))),
            // The later one counts.
            (
                "float_tolerance 1E-6 float_relative_tolerance 1",
                any_case(near(1e-6, 1.0)),
            ),
            (
                "float_relative_tolerance 1 float_tolerance 1e-6",
                any_case(near(1e-6, 1e-6)),
            ),
            (
                "float_tolerance 0 case_sensitive",
                Mode::Float {
                    absolute: 0.0,
                    relative: 0.0,
                },
            ),
            (
                "space_change_sensitive",
                Mode::Icpc(Flags {
                    space_change_sensitive: true,
                    ..Flags::default()
                }),
            ),
        ] {
            let words: Vec<String> = flags.split_whitespace().map(str::to_owned).collect();
            assert_eq!(mode_of(&words), Ok(mode), "{flags}");
            let written = flags_of(&mode).unwrap();
            assert_eq!(mode_of(&written), Ok(mode), "{flags}: {written:?}");
        }
        for (flags, words) in [
            ("case_sensitiv", "did you mean `case_sensitive`?"),
            ("float_tolerance", "is followed by nothing"),
            ("float_tolerance x", "is followed by `x`"),
            ("float_tolerance -1", "is followed by `-1`"),
            ("float_tolerance inf", "is followed by `inf`"),
            ("1e-6", "no flag `1e-6`"),
        ] {
            let given: Vec<String> = flags.split_whitespace().map(str::to_owned).collect();
            let (message, help) = mode_of(&given).unwrap_err();
            assert!(
                format!("{message}; {help}").contains(words),
                "{message}; {help}"
            );
        }
    }
}
