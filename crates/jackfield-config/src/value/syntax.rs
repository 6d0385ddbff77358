//! Which forms of variables each family of hosts evaluates, as a table.

use super::Role;

/// Which forms of variables a dialect evaluates. Forms that are not listed are literals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableSyntax {
    /// `${VAR}` and `${VAR:-default}` (xcsh, the bare files, Claude Code, Factory).
    Braces,
    /// `${VAR}` (Kiro).
    PlainBraces,
    /// `$VAR`, `${VAR}`, `${VAR:-default}`, and in variables and headers `%VAR%` (Gemini, Qwen).
    Shell,
    /// `$VAR`, `${VAR}`, `${VAR:-default}`, and in variables and headers `$(command)` (Crush).
    Crush,
    /// `$VAR`, `${VAR}` (GitHub Copilot CLI).
    PlainShell,
    /// `${VAR}`, `${VAR:-default}`, `$env:VAR` (mcporter).
    Porter,
    /// `${env:VAR}`, `${workspaceFolder}`, `${userHome}`, `${input:id}` and others of the editor (VS Code).
    VsCode,
    /// `${env:VAR}`, `${userHome}`, `${workspaceFolder}`, `${workspaceFolderBasename}`, `${pathSeparator}`, `${/}` (Cursor).
    Cursor,
    /// `${env:VAR}`, `${workspaceFolder}` (Roo Code, the old Kilo Code).
    Roo,
    /// `${env:VAR}`, `${file:/path}` (Windsurf).
    Windsurf,
    /// `{env:VAR}`, `{file:path}` (opencode).
    OpenCode,
    /// `${{ secrets.VAR }}` (Continue).
    Secrets,
    /// Nothing is evaluated (Claude Desktop, Codex, Zed, Cline).
    None,
}

/// The forms of one syntax.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Forms {
    /// `${VAR}`
    pub(crate) braces: bool,
    /// `${VAR:-default}`
    pub(crate) defaults: bool,
    /// `$VAR`
    pub(crate) bare: bool,
    /// `${env:VAR}`
    pub(crate) env_braces: bool,
    /// `{env:VAR}` and `{file:path}`
    pub(crate) plain: bool,
    /// `$env:VAR`
    pub(crate) power_shell: bool,
    /// `${file:path}`
    pub(crate) file: bool,
    /// `${input:id}`
    pub(crate) input: bool,
    /// `${workspaceFolder}`
    pub(crate) folder: bool,
    /// `${userHome}`
    pub(crate) home: bool,
    /// `${workspaceFolderBasename}`, `${pathSeparator}`, `${/}`
    pub(crate) more: bool,
    /// `${{ secrets.VAR }}`
    pub(crate) secrets: bool,
    /// `%VAR%`
    pub(crate) percent: bool,
    /// `${config:x}`, `${file}` and what else only a running editor knows
    pub(crate) editor: bool,
    /// `$(command)`
    pub(crate) commands: Commands,
}

/// What becomes of a `$(command)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Commands {
    Text,
    Run,
    /// The host runs it, we do not: commands are for variables and headers only.
    Refused,
}

const NOTHING: Forms = Forms {
    braces: false,
    defaults: false,
    bare: false,
    env_braces: false,
    plain: false,
    power_shell: false,
    file: false,
    input: false,
    folder: false,
    home: false,
    more: false,
    secrets: false,
    percent: false,
    editor: false,
    commands: Commands::Text,
};

const SHELL: Forms = Forms { braces: true, defaults: true, bare: true, ..NOTHING };

impl Forms {
    /// The forms at a place: some are for the values of variables and headers only.
    pub(crate) const fn at(self, role: Role) -> Forms {
        match (role, self.commands) {
            (Role::Env | Role::Header, _) => self,
            (Role::Other, Commands::Run) => Forms { percent: false, commands: Commands::Refused, ..self },
            (Role::Other, Commands::Text | Commands::Refused) => Forms { percent: false, ..self },
        }
    }
}

impl VariableSyntax {
    pub(crate) const fn forms(self) -> Forms {
        match self {
            VariableSyntax::Braces => Forms { braces: true, defaults: true, ..NOTHING },
            VariableSyntax::PlainBraces => Forms { braces: true, ..NOTHING },
            VariableSyntax::Shell => Forms { percent: true, ..SHELL },
            VariableSyntax::Crush => Forms { commands: Commands::Run, ..SHELL },
            VariableSyntax::PlainShell => Forms { braces: true, bare: true, ..NOTHING },
            VariableSyntax::Porter => Forms { braces: true, defaults: true, power_shell: true, ..NOTHING },
            VariableSyntax::VsCode => {
                let own = Forms { input: true, editor: true, ..NOTHING };
                Forms { env_braces: true, folder: true, home: true, more: true, ..own }
            }
            VariableSyntax::Cursor => {
                Forms { env_braces: true, folder: true, home: true, more: true, ..NOTHING }
            }
            VariableSyntax::Roo => Forms { env_braces: true, folder: true, ..NOTHING },
            VariableSyntax::Windsurf => Forms { env_braces: true, file: true, ..NOTHING },
            VariableSyntax::OpenCode => Forms { plain: true, ..NOTHING },
            VariableSyntax::Secrets => Forms { secrets: true, ..NOTHING },
            VariableSyntax::None => NOTHING,
        }
    }

    /// The variable of this name as it is written here; `None` where none is evaluated.
    pub fn variable(self, name: &str) -> Option<String> {
        let forms = self.forms();
        if forms.braces {
            Some(format!("${{{name}}}"))
        } else if forms.env_braces {
            Some(format!("${{env:{name}}}"))
        } else if forms.plain {
            Some(format!("{{env:{name}}}"))
        } else if forms.secrets {
            Some(format!("${{{{ secrets.{name} }}}}"))
        } else {
            None
        }
    }

    /// How a variable is written, for a message; nothing where none is evaluated.
    pub fn example(self) -> Option<String> {
        self.variable("NAME")
    }

    /// The form for the user's home folder, where one is understood in every field.
    pub fn home_folder(self) -> Option<&'static str> {
        if self.forms().home {
            return Some("${userHome}");
        }
        (self == VariableSyntax::Braces).then_some("${HOME}")
    }

    /// All forms, for people: `${NAME}`, `${NAME:-default}`, ….
    pub fn examples(self) -> Vec<&'static str> {
        let forms = self.forms();
        [
            (forms.braces, "${NAME}"),
            (forms.defaults, "${NAME:-default}"),
            (forms.env_braces, "${env:NAME}"),
            (forms.plain, "{env:NAME}"),
            (forms.secrets, "${{ secrets.NAME }}"),
            (forms.bare, "$NAME"),
            (forms.power_shell, "$env:NAME"),
            (forms.file, "${file:/path}"),
            (forms.plain, "{file:path}"),
            (forms.input, "${input:id}"),
            (forms.folder, "${workspaceFolder}"),
            (forms.home, "${userHome}"),
            (forms.percent, "%NAME%"),
            (matches!(forms.commands, Commands::Run), "$(command)"),
        ]
        .into_iter()
        .filter(|(has, _)| *has)
        .map(|(_, form)| form)
        .collect()
    }
}
