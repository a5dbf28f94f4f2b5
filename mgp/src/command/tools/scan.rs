//! `mgp tools scan`.

use super::server::check_server;
use crate::{
    error::CliError,
    exit::Exit,
    output::{Outcome, note, on_one_line, printable},
};
use mgp_kernel::{Kernel, SuspectTool};
use mgp_security::definition::Finding;
use serde::Serialize;

#[derive(Serialize)]
struct Report {
    suspect: Vec<Row>,
    scanned: usize,
    not_connected: Vec<String>,
}

#[derive(Serialize)]
struct Row {
    server_id: String,
    tool_name: String,
    findings: Vec<Finding>,
}

/// Scans the definitions of all tools, or of one server's tools. Fails if anything is found, or if a server is not
/// connected.
pub(super) fn scan(
    kernel: &Kernel,
    server: Option<&str>,
    not_connected: Vec<String>,
) -> Result<Outcome, CliError> {
    if let Some(server) = server {
        check_server(kernel, server)?;
    }
    let (scanned, suspect) = kernel.operator().suspect_tools(server);
    let row = |SuspectTool { tool, findings }: SuspectTool| Row {
        server_id: tool.server_id.to_string(),
        tool_name: tool.tool_name.to_string(),
        findings,
    };
    let report = Report { suspect: suspect.into_iter().map(row).collect(), scanned, not_connected };
    note(&format!("scanned definitions: {scanned}; what is not found here can still mislead a model"));
    let text = report.suspect.iter().map(text).collect::<Vec<_>>().join("\n\n");
    let is_whole = server.map_or(report.not_connected.is_empty(), |server| {
        !report.not_connected.iter().any(|down| down == server)
    });
    let exit = if report.suspect.is_empty() && is_whole { Exit::Success } else { Exit::Failed };
    Ok(Outcome::new(text, &report)?.with_exit(exit))
}

fn text(row: &Row) -> String {
    let headline = format!("tool {} of server {}", row.tool_name, row.server_id);
    let mut lines = vec![on_one_line(&printable(&headline))];
    lines.extend(row.findings.iter().map(|finding| format!("  {}", on_one_line(&finding.to_string()))));
    lines.join("\n")
}
