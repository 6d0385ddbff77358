//! Whatever a registry answers: choices, forms and commands without a panic, and nothing runs by a shell.

#![no_main]

use std::collections::BTreeMap;

use jackfield_config::registry::{FilledTransport, choices, fill, form, listed, page};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &str| {
    let Ok(value) = serde_json::from_str(body) else { return };
    if let Some(page) = page(&value) {
        let _ = (page.servers.len(), page.next_cursor);
    }
    let Ok(listed) = listed(&value) else { return };
    for choice in choices(&listed.server) {
        let mut values = BTreeMap::new();
        for answers in [None, Some("1"), Some("a b; c\n"), Some("${HOME} $(d)")] {
            if let Some(text) = answers {
                values = form(&choice).into_iter().map(|input| (input.id, text.to_owned())).collect();
            }
            if let Ok(filled) = fill(&listed.server, &choice, &values)
                && let FilledTransport::Stdio { command, .. } = &filled.transport
            {
                let known = ["npx", "uvx", "docker", "podman", "dnx", "node", "python", "bunx", "deno"];
                assert!(known.contains(&command.as_str()), "{command}");
            }
        }
    }
});
