//! All tools of all servers, by the names under which they are offered.

use std::collections::HashMap;

use jackfield_config::{Catalog, ServerId};

use crate::server::ServerHandle;
use crate::tools::ToolInfo;
use crate::tools::naming::exposed_names;

/// One tool of one server.
#[derive(Debug, Clone)]
pub struct IndexedTool {
    /// Offered under this name. A tool is found by it in a table, never by taking it apart.
    pub exposed: String,
    pub server: ServerId,
    pub server_name: String,
    /// Of the application that defines the server.
    pub host_name: &'static str,
    pub tool: ToolInfo,
    /// The server is not up; this is what it had the last time.
    pub cached: bool,
}

impl IndexedTool {
    /// Where it comes from, for programs that show it: `mcp:<server> via <application>`.
    pub fn path(&self) -> String {
        format!("mcp:{} via {}", self.server_name, self.host_name)
    }
}

/// The tools as of one moment, in the order of the catalog.
#[derive(Debug, Clone, Default)]
pub struct ToolIndex(Vec<IndexedTool>);

impl ToolIndex {
    pub(crate) fn build(catalog: &Catalog, servers: &HashMap<ServerId, ServerHandle>) -> ToolIndex {
        let mut all: Vec<IndexedTool> = Vec::new();
        for entry in &catalog.entries {
            let Some(server) = servers.get(&entry.definition.id) else { continue };
            let cached = server.status().borrow().tools_cached;
            let tools = server.tools().borrow().clone();
            all.extend(tools.iter().map(|tool| IndexedTool {
                exposed: String::new(),
                server: entry.definition.id.clone(),
                server_name: entry.definition.name.clone(),
                host_name: entry.definition.source.host.name,
                tool: tool.clone(),
                cached,
            }));
        }
        let names =
            exposed_names(all.iter().map(|tool| (tool.server_name.as_str(), tool.tool.name.as_str())));
        for (tool, name) in all.iter_mut().zip(names) {
            tool.exposed = name.name;
        }
        ToolIndex(all)
    }

    pub fn iter(&self) -> impl Iterator<Item = &IndexedTool> {
        self.0.iter()
    }

    /// The tools of one server, in its order.
    pub fn of(&self, server: &ServerId) -> impl Iterator<Item = &IndexedTool> {
        self.0.iter().filter(move |tool| tool.server == *server)
    }

    /// The tool offered under this name.
    pub fn by_exposed(&self, name: &str) -> Option<&IndexedTool> {
        self.0.iter().find(|tool| tool.exposed == name)
    }
}
