//! Jackfield's own settings.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::format::{self, Kind, Lines, Member, Node, Parsed};
use crate::host::Format;
use crate::registry;

/// What connects when a window or a gateway starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConnectAtStart {
    All,
    /// The servers named in [`Settings::chosen`].
    Chosen,
    None,
}

/// What becomes of definitions that came with a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    Ask,
    Always,
    Never,
}

/// Which servers are started when they are first used, and stopped when they are not used any more.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Lazy {
    /// All, but those named in `except`.
    pub all: bool,
    /// By name.
    pub servers: Vec<String>,
    pub except: Vec<String>,
    /// Seconds without use after which a lazy server is stopped; 0: never.
    pub stop_after: u32,
}

/// How long a lazy server stays up without use, where nothing else is said.
pub const STOP_AFTER: u32 = 600;

impl Lazy {
    /// Whether the server of this name is lazy.
    pub fn holds(&self, name: &str) -> bool {
        let named = |names: &[String]| names.iter().any(|one| one == name);
        named(&self.servers) || (self.all && !named(&self.except))
    }
}

/// Colours of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    System,
    Light,
    Dark,
}

/// The settings in force: what the file says, else the default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Settings {
    /// Host ids in the user's order of priority.
    pub hosts: Vec<String>,
    /// `None` until the question of the first start was answered.
    pub connect_at_start: Option<ConnectAtStart>,
    /// Names for [`ConnectAtStart::Chosen`].
    pub chosen: Vec<String>,
    pub enable_mcp: bool,
    pub enable_project_config: bool,
    pub trust: Trust,
    pub filter_exa: bool,
    pub auto_reconnect: bool,
    pub resolve_everywhere: bool,
    pub login_shell_env: bool,
    pub lazy: Lazy,
    pub theme: Theme,
    /// `None` is the system's language.
    pub language: Option<String>,
    pub notifications: bool,
    /// Where servers are looked for to be added.
    pub registry_url: String,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            hosts: Vec::new(),
            connect_at_start: None,
            chosen: Vec::new(),
            enable_mcp: true,
            enable_project_config: true,
            trust: Trust::Ask,
            filter_exa: true,
            auto_reconnect: true,
            resolve_everywhere: false,
            login_shell_env: true,
            lazy: Lazy { stop_after: STOP_AFTER, ..Lazy::default() },
            theme: Theme::System,
            language: None,
            notifications: true,
            registry_url: registry::OFFICIAL_REGISTRY.to_owned(),
        }
    }
}

/// Reads the settings. Unknown keys are ignored; a wrong value is told and its default holds.
pub fn parse(text: &str, path: &Path) -> (Settings, Vec<Diagnostic>) {
    let path = Arc::new(path.to_path_buf());
    let lines = Lines::new(text);
    let mut reader = Reader { path, lines: &lines, found: Vec::new() };
    let mut settings = Settings::default();
    match format::parse(text, Format::JSONC) {
        Ok(Parsed { root: None, .. }) => {}
        Ok(Parsed { root: Some(root), .. }) if root.as_object().is_some() => {
            reader.read(&root, &mut settings)
        }
        Ok(Parsed { root: Some(root), .. }) => {
            let title = format!("the settings must be an object, not {}", root.noun());
            reader.tell(
                Code::BadSetting,
                0,
                title,
                "All settings have their defaults. Write `{ … }`, or remove the file.".to_owned(),
            );
        }
        Err(error) => reader.tell(Code::OwnFileBroken, error.at, error.message, error.hint),
    }
    (settings, reader.found)
}

struct Reader<'a> {
    path: Arc<PathBuf>,
    lines: &'a Lines<'a>,
    found: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn tell(&mut self, code: Code, at: usize, title: String, detail: String) {
        self.found.push(Diagnostic {
            code,
            severity: Severity::Error,
            title,
            detail,
            path: Some(Arc::clone(&self.path)),
            position: Some(self.lines.position(at)),
            server: None,
            fixes: Vec::new(),
        });
    }

    fn read(&mut self, root: &Node, settings: &mut Settings) {
        for member in root.as_object().unwrap_or_default() {
            match member.key.as_str() {
                "hosts" => self.names(member, &mut settings.hosts),
                "chosen" => self.names(member, &mut settings.chosen),
                "connect_at_start" => {
                    let words = [
                        ("all", Some(ConnectAtStart::All)),
                        ("chosen", Some(ConnectAtStart::Chosen)),
                        ("none", Some(ConnectAtStart::None)),
                    ];
                    self.word(member, &words, &mut settings.connect_at_start);
                }
                "trust" => {
                    let words = [("ask", Trust::Ask), ("always", Trust::Always), ("never", Trust::Never)];
                    self.word(member, &words, &mut settings.trust);
                }
                "theme" => {
                    let words = [("system", Theme::System), ("light", Theme::Light), ("dark", Theme::Dark)];
                    self.word(member, &words, &mut settings.theme);
                }
                "enable_mcp" => self.flag(member, &mut settings.enable_mcp),
                "enable_project_config" => self.flag(member, &mut settings.enable_project_config),
                "filter_exa" => self.flag(member, &mut settings.filter_exa),
                "auto_reconnect" => self.flag(member, &mut settings.auto_reconnect),
                "resolve_everywhere" => self.flag(member, &mut settings.resolve_everywhere),
                "login_shell_env" => self.flag(member, &mut settings.login_shell_env),
                "notifications" => self.flag(member, &mut settings.notifications),
                "lazy" => self.lazy(member, &mut settings.lazy),
                "language" => match member.value.as_str() {
                    Some("system" | "") => settings.language = None,
                    Some(language) => settings.language = Some(language.to_owned()),
                    None if matches!(member.value.kind, Kind::Null) => settings.language = None,
                    None => self.wrong(member, "a language such as `\"de\"`, or `\"system\"`"),
                },
                "registry_url" => match member.value.as_str().map(|url| (url, registry::registry_url(url))) {
                    Some((url, Ok(_))) => settings.registry_url = url.trim().trim_end_matches('/').to_owned(),
                    Some((_, Err(accepted))) => self.wrong(member, accepted),
                    None => self.wrong(member, "an https url"),
                },
                _ => {}
            }
        }
    }

    fn wrong(&mut self, member: &Member, accepted: &str) {
        let title = format!("`{}` must be {accepted}, not {}", member.key, shown(&member.value));
        self.tell(
            Code::BadSetting,
            member.value.span.start,
            title,
            format!("Its default holds. Write {accepted}, or remove the key."),
        );
    }

    fn flag(&mut self, member: &Member, target: &mut bool) {
        match member.value.kind {
            Kind::Bool(flag) => *target = flag,
            Kind::Null | Kind::Number(_) | Kind::String(_) | Kind::Array(_) | Kind::Object(_) => {
                self.wrong(member, "`true` or `false`");
            }
        }
    }

    /// `true`, the names of servers, or an object that says all of it.
    fn lazy(&mut self, member: &Member, target: &mut Lazy) {
        match &member.value.kind {
            Kind::Bool(all) => target.all = *all,
            Kind::Array(_) => self.names(member, &mut target.servers),
            Kind::Object(members) => {
                for member in members {
                    match member.key.as_str() {
                        "all" => self.flag(member, &mut target.all),
                        "servers" => self.names(member, &mut target.servers),
                        "except" => self.names(member, &mut target.except),
                        "stop_after" => match &member.value.kind {
                            Kind::Number(text) if text.parse::<u32>().is_ok() => {
                                target.stop_after = text.parse().unwrap_or(STOP_AFTER);
                            }
                            _ => self.wrong(member, "a whole number of seconds, 0 for never"),
                        },
                        _ => {}
                    }
                }
            }
            Kind::Null | Kind::Number(_) | Kind::String(_) => {
                self.wrong(member, "`true`, an array of names, or an object");
            }
        }
    }

    fn word<T: Clone>(&mut self, member: &Member, words: &[(&str, T)], target: &mut T) {
        let written = member.value.as_str();
        match words.iter().find(|(word, _)| Some(*word) == written) {
            Some((_, value)) => *target = value.clone(),
            None => {
                let accepted: Vec<String> = words.iter().map(|(word, _)| format!("`\"{word}\"`")).collect();
                self.wrong(member, &accepted.join(" or "));
            }
        }
    }

    fn names(&mut self, member: &Member, target: &mut Vec<String>) {
        match member.value.as_array() {
            Some(items) if items.iter().all(|item| item.as_str().is_some()) => {
                *target = member.value.strings()
            }
            Some(_) | None => self.wrong(member, "an array of strings only"),
        }
    }
}

fn shown(node: &Node) -> String {
    match &node.kind {
        Kind::String(text) => format!("`\"{text}\"`"),
        Kind::Array(_) => "this array".to_owned(),
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Object(_) => node.noun().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> String {
        let (settings, found) = parse(text, Path::new("settings.json"));
        let found: Vec<String> = found
            .iter()
            .map(|finding| {
                let at = finding.position.map(|at| format!("{}:{}", at.line, at.column)).unwrap_or_default();
                format!("{} {at} {}", finding.code, finding.title)
            })
            .collect();
        format!("{settings:#?}\n{}", found.join("\n"))
    }

    #[test]
    fn everything_set() {
        insta::assert_snapshot!(check(
            r#"{
              // mine
              "hosts": ["cursor", "xcsh"], "connect_at_start": "chosen", "chosen": ["a"], "enable_mcp": false,
              "enable_project_config": false, "trust": "never", "filter_exa": false, "auto_reconnect": false,
              "resolve_everywhere": true, "login_shell_env": false, "theme": "dark", "language": "pt",
              "notifications": false, "registry_url": "http://127.0.0.1:8080/mirror/", "later": { "x": 1 },
              "lazy": { "all": true, "except": ["b"], "stop_after": 60 },
            }"#
        ));
    }

    #[test]
    fn wrong_values_leave_defaults() {
        insta::assert_snapshot!(check(
            r#"{ "hosts": [1], "connect_at_start": "some", "enable_mcp": "yes", "trust": 3, "theme": null, "language": 5,
                "registry_url": "http://registry.example.com", "lazy": { "servers": "a", "stop_after": -1 } }"#
        ));
    }

    #[test]
    fn who_is_lazy() {
        for (text, lazy) in [
            ("{}", &[][..]),
            (r#"{"lazy": true}"#, &["a", "b"]),
            (r#"{"lazy": ["a"]}"#, &["a"]),
            (r#"{"lazy": {"all": true, "except": ["a"]}}"#, &["b"]),
            (r#"{"lazy": {"servers": ["b"], "except": ["b"]}}"#, &["b"]),
        ] {
            let (settings, found) = parse(text, Path::new("settings.json"));
            assert!(found.is_empty(), "{found:?}");
            let holds: Vec<&str> = ["a", "b"].into_iter().filter(|name| settings.lazy.holds(name)).collect();
            assert_eq!(holds, lazy, "{text}");
            assert_eq!(settings.lazy.stop_after, STOP_AFTER);
        }
    }

    #[test]
    fn files_that_are_no_settings() {
        for (text, code) in
            [("", None), ("  \n", None), ("[]", Some("bad-setting")), ("{", Some("own-file-broken"))]
        {
            let (settings, found) = parse(text, Path::new("settings.json"));
            assert_eq!(settings, Settings::default(), "{text}");
            assert_eq!(found.first().map(|finding| finding.code.as_str()), code, "{text}");
        }
    }
}
