//! Whether a process is what a definition starts. Wrappers change the words: `npx` becomes `npm exec …` and then `node`
//! with the package's file, `uvx` becomes `python` with a script.

/// Programs that fetch a package and run it; their child is the server.
const RUNNERS: &[&str] = &["npx", "bunx", "pnpx", "uvx"];

/// What a definition starts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Words {
    command: String,
    args: Vec<String>,
    /// Of a runner: the package without its version, and what follows it.
    package: Option<(String, Vec<String>)>,
}

/// The name of a program without folder and ending.
fn base(word: &str) -> &str {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    [".exe", ".cmd", ".bat"].into_iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

/// `@scope/name@1.2` → `@scope/name`.
fn without_version(package: &str) -> &str {
    match package.get(1..).and_then(|rest| rest.find('@')) {
        Some(at) => &package[..at + 1],
        None => package.split("==").next().unwrap_or(package),
    }
}

impl Words {
    /// Nothing where there is no command.
    pub(super) fn new(command: &str, args: &[&str]) -> Option<Words> {
        if command.trim().is_empty() {
            return None;
        }
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        let package = RUNNERS.contains(&base(command)).then(|| {
            let at = args.iter().position(|arg| !arg.starts_with('-'))?;
            Some((without_version(&args[at]).to_owned(), args[at + 1..].to_vec()))
        });
        Some(Words { command: base(command).to_owned(), args, package: package.flatten() })
    }

    /// Whether this command line is that of the definition, or of what it becomes.
    pub(super) fn fit(&self, argv: &[String]) -> bool {
        // An interpreter and its script may stand before.
        let direct =
            (0..argv.len().min(3)).any(|at| base(&argv[at]) == self.command && argv[at + 1..] == self.args);
        direct || self.package.as_ref().is_some_and(|(package, rest)| fits_package(package, rest, argv))
    }
}

fn fits_package(package: &str, rest: &[String], argv: &[String]) -> bool {
    // npm names its own process so, in one word.
    if let [title] = argv
        && let Some(words) = title.strip_prefix("npm exec ")
    {
        let mut words = words.split_whitespace().filter(|word| *word != "-y" && *word != "--yes");
        return words.next().is_some_and(|word| without_version(word) == package) && words.eq(rest.iter());
    }
    let name = package.rsplit('/').next().unwrap_or(package);
    (0..argv.len().min(3)).any(|at| {
        let file = argv[at].replace('\\', "/");
        let of_package = file.contains(&format!("/node_modules/{package}/"))
            || (at > 0 && is_interpreter(&argv[at - 1]) && base(&file) == name && file.contains('/'));
        of_package && argv[at + 1..] == *rest
    })
}

fn is_interpreter(word: &str) -> bool {
    let name = base(word);
    name.starts_with("python") || matches!(name, "node" | "bun" | "deno" | "ruby")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(command: &str, args: &[&str], argv: &[&str]) -> bool {
        let argv: Vec<String> = argv.iter().map(|word| (*word).to_owned()).collect();
        Words::new(command, args).is_some_and(|words| words.fit(&argv))
    }

    #[test]
    fn what_a_definition_becomes_is_recognised_and_nothing_else() {
        let npx = ["-y", "@modelcontextprotocol/server-filesystem@2026.1.1", "/home/u"];
        for (command, args, argv, want) in [
            ("node", &["/srv/a.js", "--x"][..], &["/usr/bin/node", "/srv/a.js", "--x"][..], true),
            ("node", &["/srv/a.js", "--x"], &["/usr/bin/node", "/srv/a.js"], false),
            ("/opt/tool", &[], &["/opt/tool"], true),
            ("my-server", &["a"], &["/usr/bin/python3", "/home/u/.local/bin/my-server", "a"], true),
            ("npx", &npx, &["npm exec @modelcontextprotocol/server-filesystem@2026.1.1 /home/u"], true),
            ("npx", &npx, &["npm exec @modelcontextprotocol/server-filesystem@2026.1.1 /home/other"], false),
            (
                "npx",
                &npx,
                &[
                    "node",
                    "/h/.npm/_npx/1/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js",
                    "/home/u",
                ],
                true,
            ),
            (
                "npx",
                &npx,
                &["node", "/h/node_modules/@modelcontextprotocol/server-everything/dist/index.js", "/home/u"],
                false,
            ),
            ("uvx", &["mcp-server-fetch==1.0"], &["/c/uv/bin/python", "/c/uv/bin/mcp-server-fetch"], true),
            ("uvx", &["mcp-server-fetch"], &["vim", "notes/mcp-server-fetch"], false),
            ("npx", &["-y", "pkg"], &["npx", "-y", "pkg"], true),
            ("", &[], &[""], false),
        ] {
            assert_eq!(fits(command, args, argv), want, "{command} {args:?} as {argv:?}");
        }
    }
}
