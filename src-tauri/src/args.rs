//! The few words the window can be started with.

use std::ffi::OsString;
use std::path::PathBuf;

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Start {
    Window {
        project: Option<PathBuf>,
    },
    /// Text to print instead.
    Told(String),
}

/// Reads the command line: at most one folder.
pub(crate) fn parse(words: impl Iterator<Item = OsString>) -> Result<Start, String> {
    let mut project = None;
    for word in words {
        match word.to_str() {
            Some("--help" | "-h") => {
                return Ok(Start::Told(
                    "Usage: jackfield-desktop [FOLDER]\n\nOpens the window of Jackfield, with FOLDER as the current project."
                        .to_owned(),
                ));
            }
            Some("--version" | "-V") => {
                return Ok(Start::Told(format!("jackfield-desktop {}", env!("CARGO_PKG_VERSION"))));
            }
            Some(flag) if flag.starts_with('-') => return Err(format!("unknown option `{flag}`")),
            Some(_) | None => {
                if project.replace(PathBuf::from(word)).is_some() {
                    return Err("only one folder can be opened".to_owned());
                }
            }
        }
    }
    Ok(Start::Window { project })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Result<Start, String> {
        parse(words.iter().map(OsString::from))
    }

    #[test]
    fn at_most_one_folder() {
        assert_eq!(words(&[]), Ok(Start::Window { project: None }));
        assert_eq!(words(&["a b"]), Ok(Start::Window { project: Some("a b".into()) }));
        assert!(words(&["a", "b"]).is_err());
        assert!(words(&["--frob"]).is_err());
        assert!(matches!(words(&["--version"]), Ok(Start::Told(_))));
    }
}
