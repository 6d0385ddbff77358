//! The names under which tools are offered to others.
//!
//! Pure. A name is never taken apart again: whoever wants to know which tool it means looks it up.

use std::collections::HashMap;

use sha2::{Digest as _, Sha256};

/// The longest name.
pub const MAX_LENGTH: usize = 64;
const HASH_LENGTH: usize = 8;
const PREFIX: &str = "mcp_";

/// The exposed names of these tools, in their order, and which of them collided. The names depend on the set of tools
/// alone, not on its order.
pub fn exposed_names<'a>(tools: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<ExposedName> {
    let mut names: Vec<(ExposedName, &str, &str)> = tools
        .into_iter()
        .map(|(server, tool)| {
            (ExposedName { name: exposed_name(server, tool), collided: false }, server, tool)
        })
        .collect();
    // A name with a hash may itself be what another tool is called. Every round takes at least one tool out.
    loop {
        let mut count: HashMap<&str, usize> = HashMap::new();
        for (exposed, ..) in &names {
            *count.entry(&exposed.name).or_default() += 1;
        }
        let colliding: Vec<usize> = names
            .iter()
            .enumerate()
            .filter(|(_, (exposed, ..))| !exposed.collided && count[exposed.name.as_str()] > 1)
            .map(|(at, _)| at)
            .collect();
        if colliding.is_empty() {
            return names.into_iter().map(|(exposed, ..)| exposed).collect();
        }
        for at in colliding {
            let (exposed, server, tool) = &mut names[at];
            *exposed = ExposedName { name: hashed(&plain_name(server, tool), server, tool), collided: true };
        }
    }
}

/// A tool's name for others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExposedName {
    pub name: String,
    /// Another tool would have had the same name, so both have a hash.
    pub collided: bool,
}

/// The exposed name of a tool that collides with no other.
pub fn exposed_name(server: &str, tool: &str) -> String {
    let name = plain_name(server, tool);
    if name.len() <= MAX_LENGTH { name } else { hashed(&name, server, tool) }
}

fn plain_name(server: &str, tool: &str) -> String {
    let server = part(server, "server");
    let tool = part(tool, "tool");
    let tool = tool
        .strip_prefix(&server)
        .and_then(|rest| rest.strip_prefix('_'))
        .filter(|rest| !rest.is_empty())
        .unwrap_or(&tool);
    format!("{PREFIX}{server}_{tool}")
}

fn part(text: &str, empty: &str) -> String {
    let mut part = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        if c.is_ascii_lowercase() || c.is_ascii_digit() {
            part.push(c);
        } else if !part.is_empty() && !part.ends_with('_') {
            part.push('_');
        }
    }
    let part = part.trim_end_matches('_');
    if part.is_empty() { empty.to_owned() } else { part.to_owned() }
}

fn hashed(name: &str, server: &str, tool: &str) -> String {
    let mut hash = Sha256::new();
    // The length keeps (ab, c) and (a, bc) apart.
    hash.update((server.len() as u64).to_be_bytes());
    hash.update(server);
    hash.update(tool);
    let hash: String =
        hash.finalize().iter().take(HASH_LENGTH / 2).map(|byte| format!("{byte:02x}")).collect();
    let cut = name.len().min(MAX_LENGTH - HASH_LENGTH - 1);
    format!("{}_{hash}", name[..cut].trim_end_matches('_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_the_specification() {
        for (server, tool, wanted) in [
            ("filesystem", "read_file", "mcp_filesystem_read_file"),
            ("puppeteer", "puppeteer_screenshot", "mcp_puppeteer_screenshot"),
            ("GitHub", "create-issue", "mcp_github_create_issue"),
            ("context7", "resolve-library-id", "mcp_context7_resolve_library_id"),
            ("api", "api_api_get", "mcp_api_api_get"),
            ("a__b", "__x__", "mcp_a_b_x"),
            ("日本", "検索", "mcp_server_tool"),
            ("ÀÉ", "naïve_tool", "mcp_server_na_ve_tool"),
            ("s3", "S3", "mcp_s3_s3"),
            ("x", "x_", "mcp_x_x"),
            ("", "", "mcp_server_tool"),
        ] {
            assert_eq!(exposed_name(server, tool), wanted, "{server}, {tool}");
        }
    }

    #[test]
    fn long_names_are_cut_and_stay_apart() {
        let long = "t".repeat(80);
        let (one, other) = (exposed_name("s", &format!("{long}1")), exposed_name("s", &format!("{long}2")));
        assert_eq!(one.len(), MAX_LENGTH);
        assert_ne!(one, other);
        assert_eq!(exposed_name("s", &"t".repeat(58)).len(), MAX_LENGTH);
        assert!(exposed_name("s", &"t".repeat(58)).ends_with("ttt"));
    }

    #[test]
    fn colliders_get_a_hash_whatever_the_order() {
        let tools = [("a", "b-c"), ("a", "b_c"), ("a-b", "c"), ("a", "d")];
        let forward = exposed_names(tools);
        let mut backward = exposed_names(tools.into_iter().rev());
        backward.reverse();
        assert_eq!(forward, backward);
        assert_eq!(forward.iter().filter(|name| name.collided).count(), 3);
        assert_eq!(forward[3], ExposedName { name: "mcp_a_d".into(), collided: false });
        let mut distinct: Vec<&str> = forward.iter().map(|name| name.name.as_str()).collect();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), 4);
        assert!(forward[0].name.starts_with("mcp_a_b_c_") && forward[0].name.len() == "mcp_a_b_c_".len() + 8);
    }

    #[test]
    fn a_tool_that_is_called_like_a_hashed_one_gets_a_hash_too() {
        let taken = exposed_names([("a", "b-c"), ("a", "b_c")])[0].name.clone();
        let called = taken.strip_prefix("mcp_a_").unwrap().to_owned();
        let names = exposed_names([("a", "b-c"), ("a", "b_c"), ("a", &called)]);
        assert_eq!(names[0].name, taken);
        assert_ne!(names[2].name, taken);
        assert!(names[2].collided);
    }
}
