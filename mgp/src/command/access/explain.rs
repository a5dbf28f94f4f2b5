//! `mgp access explain`: the rule that decides, those that do not, and the gates behind access control.

use super::{
    known::{has_server, name_all},
    list::WHOLE_SERVER,
    unreadable::say_unreadable,
};
use crate::{
    args::Options,
    catalogue::{Catalogue, NeededTools},
    command::tools::ToolGates,
    error::CliError,
    exit::Exit,
    output::{Outcome, note, printable, table},
    setup::Setup,
};
use clap::Args;
use mgp_client_sdk::kernel::{JudgedTool, Kernel};
use mgp_security::access::{AccessControl, ExplainedRule, Explanation};
use mgp_types::{
    access::{AccessDecision, AccessEntry, AccessSource, DefaultPolicy},
    context::ToolId,
    json::RawJson,
};
use serde::Serialize;

#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// The agent
    #[arg(value_name = "AGENT")]
    of: String,
    /// The tool, as hosts are shown it or SERVER__TOOL; or a server
    #[arg(value_name = "TOOL|SERVER")]
    name: String,
    /// The tool of the server, by its server's own name
    tool: Option<String>,
    /// The arguments of the call, as a JSON object, which a policy file may decide by; otherwise, whether any call may be made
    #[arg(long, value_name = "JSON")]
    arguments: Option<String>,
    /// Look at the rules alone, and start no server
    #[arg(long)]
    rules: bool,
    /// Start the tool's server for this command, also where a gateway runs it already
    #[arg(long, conflicts_with = "rules")]
    fresh: bool,
}

/// The explanation of a decision.
#[derive(Serialize)]
struct Report {
    agent_id: String,
    server_id: String,
    tool_name: Option<String>,
    permission: AccessDecision,
    source: AccessSource,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<String>,
    /// The name of the policy that decided, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<String>,
    #[serde(flatten)]
    provenance: Provenance,
    /// The reason for the decision, in a sentence.
    reason: String,
    rules: Vec<ExplainedRule>,
    /// The gates behind access control, if the server was asked for the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    gates: Option<ToolGates>,
}

/// The origin and the end of the rule that decided.
#[derive(Serialize, Default)]
struct Provenance {
    granted_by: Option<String>,
    granted_at: Option<String>,
    expires_at: Option<String>,
}

/// Returns the arguments that the command line gives.
fn call_arguments(text: &str) -> Result<RawJson, CliError> {
    let json = RawJson::parse(text.to_owned())
        .map_err(|error| CliError::usage(format!("--arguments is no JSON: {error}")))?;
    if !json.is_object() {
        return Err(CliError::usage(format!("--arguments is {}: expected a JSON object", json.kind())));
    }
    Ok(json)
}

/// Explains from the state alone, or with a kernel if the tool has to be looked up.
pub(super) async fn run(options: &Options, state: &Setup, args: ExplainArgs) -> Result<Outcome, CliError> {
    let arguments = args.arguments.as_deref().map(call_arguments).transpose()?;
    let is_server = args.tool.is_none() && has_server(state, &args.name).await;
    if args.rules || is_server {
        let access = state.state.access().await?;
        name_all(state, &access).await?;
        say_unreadable(&access.unreadable());
        let (server, tool) = match (&args.tool, args.name.split_once("__")) {
            (None, Some((server, tool))) => (server, Some(tool)),
            (tool, _) => (args.name.as_str(), tool.as_deref()),
        };
        return report(&access, &args.of, (server, tool, arguments.as_ref()), None);
    }
    let setup = Setup::load(options)?;
    let name = name_of(&args);
    Catalogue::with(&setup, NeededTools::One(&name), args.fresh, async |catalogue: &Catalogue| {
        say_unreadable(&catalogue.kernel.access().unreadable());
        of_tool(&catalogue.kernel, &args, arguments.as_ref())
    })
    .await
}

/// Returns the name of the tool, as a host could call it.
fn name_of(args: &ExplainArgs) -> String {
    args.tool.as_ref().map_or_else(|| args.name.clone(), |tool| format!("{}__{tool}", args.name))
}

fn of_tool(kernel: &Kernel, args: &ExplainArgs, arguments: Option<&RawJson>) -> Result<Outcome, CliError> {
    let name = name_of(args);
    if let Some(JudgedTool { named, profile, .. }) = kernel.judged_tool(&name) {
        let id = named.tool.id();
        let gates = ToolGates::of(kernel, id, &profile);
        let call = (&*id.server_id, Some(&*id.tool_name), arguments);
        return report(kernel.access(), &args.of, call, Some(gates));
    }
    let Some(tool) = &args.tool else {
        let error = CliError::new(Exit::NotFound, format!("no connected server has a tool {name:?}"));
        return Err(error.help("see the tools with `mgp tools`, or name its server: SERVER TOOL"));
    };
    note(&format!("no connected server {:?} has a tool {tool:?}: only the rules are known", args.name));
    report(kernel.access(), &args.of, (&args.name, Some(tool), arguments), None)
}

fn report(
    access: &AccessControl,
    agent: &str,
    (server, tool, arguments): (&str, Option<&str>, Option<&RawJson>),
    gates: Option<ToolGates>,
) -> Result<Outcome, CliError> {
    let explanation = match (tool, arguments) {
        (Some(tool), Some(_)) => access.explain_call(agent, &ToolId::new(server, tool), arguments),
        (None, Some(_)) => {
            let error = CliError::usage(format!("--arguments is for a call, and {server:?} is a server"));
            return Err(error.help("name a tool: SERVER TOOL, or SERVER__TOOL"));
        }
        (_, None) => access.explain(agent, server, tool),
    };
    let reason = reason(&explanation, agent, server);
    let Explanation { judgement, rules, .. } = explanation;
    let provenance = judgement.entry.as_deref().map(provenance).unwrap_or_default();
    let report = Report {
        agent_id: agent.to_owned(),
        server_id: server.to_owned(),
        tool_name: tool.map(str::to_owned),
        permission: judgement.decision,
        source: judgement.source,
        role: judgement.role.map(|role| role.to_string()),
        policy: judgement.policy.map(|policy| policy.policy.clone()),
        provenance,
        reason,
        rules,
        gates,
    };
    let exit = if report.permission == AccessDecision::Allow { Exit::Success } else { Exit::Refused };
    Ok(Outcome::new(report.text(), &report)?.with_exit(exit))
}

fn provenance(entry: &AccessEntry) -> Provenance {
    Provenance {
        granted_by: entry.granted_by.get().cloned(),
        granted_at: entry.granted_at.get().cloned(),
        expires_at: entry.expires_at.get().cloned(),
    }
}

/// Returns the reason for a decision, in a sentence.
fn reason(explanation: &Explanation, agent: &str, server: &str) -> String {
    let judgement = &explanation.judgement;
    if let Some(role) = &judgement.role {
        return format!("a rule of the role {role} decides");
    }
    if let Some(entry) = &judgement.entry {
        let by = entry.granted_by.get().map(|by| format!(", made by {by}")).unwrap_or_default();
        return format!("a rule of the agent's own decides{by}");
    }
    if let Some(policy) = &judgement.policy {
        return policy.reason.clone();
    }
    let nothing = if explanation.has_policy {
        "no rule is about it, and no policy applies"
    } else {
        "no rule is about it"
    };
    match (judgement.source, explanation.default_policy) {
        (AccessSource::ToolGrant | AccessSource::ServerGrant, _) => {
            "a rule that cannot be read denies whatever it may be about".to_owned()
        }
        (_, None) => format!("there is no server {server}, and what there is not is denied to everybody"),
        (_, Some(DefaultPolicy::OptOut)) if !explanation.agent_is_known => format!(
            "{nothing}; the default policy opt-out does not apply to {agent}, whom neither the configuration nor a rule names"
        ),
        (_, Some(policy)) => format!("{nothing}, so the server's default policy {policy} decides"),
    }
}

impl Report {
    fn text(&self) -> String {
        let source = if self.policy.is_some() { "policy" } else { self.source.as_str() };
        let mut lines = vec![format!("{} ({source}): {}", self.permission, self.reason)];
        if !self.rules.is_empty() {
            let or = |value: &Option<String>, otherwise: &str| {
                value.clone().unwrap_or_else(|| otherwise.to_owned())
            };
            let rows = self.rules.iter().map(|rule| {
                [
                    rule.role.as_ref().map_or_else(|| "agent".to_owned(), |role| format!("role {role}")),
                    or(&rule.server_id, "?"),
                    or(&rule.tool_name, WHOLE_SERVER),
                    rule.permission.map_or("?", AccessDecision::as_str).to_owned(),
                    or(&rule.expires_at, "never"),
                    rule.standing.as_sentence().to_owned(),
                ]
            });
            lines.push(table(["of", "server", "tool", "rule", "ends", "and"], rows));
        }
        if let Some(gates) = &self.gates {
            lines.push("gates behind access control:".to_owned());
            lines.extend(gates.lines());
        }
        let mut text = lines.into_iter();
        let first = text.next().map(|line| printable(&line).into_owned());
        first.into_iter().chain(text).collect::<Vec<_>>().join("\n")
    }
}
