//! The notices on servers, for their operator.

use crate::{
    catalog::{
        tools::{ToolEntry, ToolTable},
        unavailable::listed,
    },
    upstream::{Enforcement, servers::Servers},
};
use mgp_security::profile::runs_input;
use mgp_types::lifecycle::ServerNotice;
use std::{collections::BTreeMap, sync::Arc};

/// Returns the notices on all servers: on offers that are changed for hosts, and on unconfined commands.
pub(super) fn notices(servers: &Servers, tools: &ToolTable) -> Vec<ServerNotice> {
    let mut notices = servers.notices();
    notices.extend(unconfined_commands(tools));
    notices
}

/// Returns a notice for each unconfined server with tools that run commands or code, by the server's id.
fn unconfined_commands(tools: &ToolTable) -> Vec<ServerNotice> {
    let mut servers: BTreeMap<&str, (Enforcement, Vec<&str>)> = BTreeMap::new();
    for entry in tools.entries() {
        if let Some(enforcement) = unconfined(entry)
            && runs_input(&entry.profile, &entry.definition)
        {
            let (_, names) = servers.entry(&entry.id.server_id).or_insert((enforcement, Vec::new()));
            names.push(&entry.id.tool_name);
        }
    }
    let notice = |(server_id, (enforcement, mut names)): (&str, (Enforcement, Vec<&str>))| {
        names.sort_unstable();
        ServerNotice { server_id: server_id.to_owned(), text: sentence(server_id, enforcement, &names) }
    };
    servers.into_iter().map(notice).collect()
}

/// Returns the enforcement of the server of a tool, if the server is not confined and the tool is not disabled.
fn unconfined(entry: &Arc<ToolEntry>) -> Option<Enforcement> {
    let enforcement = entry.server.enforcement().filter(|_| !entry.is_disabled());
    enforcement.filter(|enforcement| matches!(enforcement, Enforcement::Off | Enforcement::Elsewhere))
}

fn sentence(server_id: &str, enforcement: Enforcement, tools: &[&str]) -> String {
    let (count, names) = (tools.len(), listed(tools, |name| name));
    let run = if count == 1 { "tool runs" } else { "tools run" };
    let what = format!("server `{server_id}`: {count} {run} commands or code ({names}), and");
    match enforcement {
        Enforcement::Elsewhere => format!(
            "{what} the server runs at its URL, where this gateway cannot confine it; a validator is only advice"
        ),
        Enforcement::Off | Enforcement::BestEffort | Enforcement::Required => format!(
            "{what} nothing confines the server: it and all that it starts may do whatever this account may, and a validator is only advice; {}",
            Enforcement::REMEDY
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_names_the_first_tools_and_the_confining_key() {
        let text = sentence("shell", Enforcement::Off, &["bash", "exec", "run", "sh"]);
        let first = "server `shell`: 4 tools run commands or code (bash, exec, run, 1 more), and nothing confines the server: ";
        assert!(text.starts_with(first) && text.ends_with(Enforcement::REMEDY), "{text}");
        let far = sentence("far", Enforcement::Elsewhere, &["run"]);
        assert!(far.contains("1 tool runs commands or code (run)") && far.contains("at its URL"), "{far}");
        assert!(!far.contains("confinement."), "no key confines it: {far}");
    }
}
