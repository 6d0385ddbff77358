//! What fake-mcp is told to do wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::process::exit;

const HELP: &str = "fake-mcp [flags]
  --name NAME  --version V  --protocol V   what it says it is; the protocol is the client's wish unless set
  --modern              speaks 2026-07-28: answers server/discover, refuses initialize
  --tools N             lists tool_0 to tool_(N-1) instead of its own tools, which can still be called
  --page SIZE           lists tools in pages
  --loop-cursor         every page of tools has the next cursor 8
  --list-error          tools/list is an error
  --list-changed        has a tool `grow`, which adds a tool and says so
  --silent              answers nothing
  --silent-on-discover  answers nothing to server/discover
  --exit-on-discover    exits 1 at a request that comes before initialize
  --slow-start MS       waits before it reads anything
  --crash-at-start CODE says why on stderr and exits
  --crash-after N       exits 3 instead of answering request N + 1
  --crash-after-ms MS   exits 3 after that time
  --noisy               a banner, and a line that is not JSON before every message
  --invalid-utf8        begins with bytes that are not UTF-8 on stdout and stderr
  --stderr-flood BYTES  writes that much to stderr, in lines, all the time that it takes
  --stdout-flood BYTES  writes one line of that length to stdout first
  --ignore-term         ignores SIGTERM, SIGINT and SIGHUP
  --ignore-eof          stays when stdin ends
  --pid-file PATH       appends its process id and a newline to that file
  --requests PATH       appends the method of every request, and a newline, to that file
Tools: echo {message}, add {a, b}, fail, slow {ms, steps}, crash, env {name}, argv, cwd.";

const SWITCHES: [&str; 11] = [
    "--modern",
    "--loop-cursor",
    "--list-error",
    "--list-changed",
    "--silent",
    "--silent-on-discover",
    "--exit-on-discover",
    "--noisy",
    "--invalid-utf8",
    "--ignore-term",
    "--ignore-eof",
];

#[derive(Default)]
pub(crate) struct Options {
    switches: BTreeSet<String>,
    values: BTreeMap<String, String>,
}

impl Options {
    pub(crate) fn parse() -> Self {
        let mut options = Self::default();
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            if word == "--help" {
                println!("{HELP}");
                exit(0);
            } else if SWITCHES.contains(&word.as_str()) {
                options.switches.insert(word);
            } else if HELP.contains(&format!("{word} ")) && word.starts_with("--") {
                let Some(value) = words.next() else { usage(&format!("{word} needs a value")) };
                options.values.insert(word, value);
            } else {
                usage(&format!("unknown: {word}"));
            }
        }
        options
    }

    pub(crate) fn has(&self, switch: &str) -> bool {
        self.switches.contains(switch)
    }

    pub(crate) fn text(&self, flag: &str) -> Option<&str> {
        self.values.get(flag).map(String::as_str)
    }

    pub(crate) fn number(&self, flag: &str) -> Option<u64> {
        let text = self.text(flag)?;
        Some(text.parse().unwrap_or_else(|_| usage(&format!("{flag} {text}: not a number"))))
    }
}

pub(crate) fn usage(message: &str) -> ! {
    eprintln!("fake-mcp: {message}\n{HELP}");
    exit(2)
}
