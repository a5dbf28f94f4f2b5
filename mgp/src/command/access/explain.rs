//! `mgp access explain`: the decision on an agent's use of a tool or server. Shows the rules, the gates behind access control, and how a
//! call would be judged now.

use super::{
    known::{has_server, meant_server, name_all},
    list::WHOLE_SERVER,
    unreadable::say_unreadable,
};
use crate::{
    catalogue::{Catalogue, NeededTools},
    command::{
        call::judgement_lines,
        tools::{ToolGates, line},
    },
    error::CliError,
    exit::Exit,
    host::Host,
    options::Options,
    output::{Outcome, note, on_one_line, table},
    setup::Setup,
};
use clap::Args;
use mgp_client_sdk::client::CallOptions;
use mgp_kernel::{JudgedTool, Kernel, command_word};
use mgp_security::access::{AccessControl, ExplainedRule, Explanation};
use mgp_types::{
    access::{AccessDecision, AccessEntry, AccessSource, DefaultPolicy},
    context::{Principal, ToolId},
    error::ErrorCode,
    json::RawJson,
    tool_check::CheckToolResult,
};
use serde::Serialize;

#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// The agent whose access is explained
    #[arg(value_name = "AGENT")]
    of: String,
    /// The tool, by its name for hosts or as SERVER__TOOL; or the server, by its id or an unambiguous beginning of it
    #[arg(value_name = "TOOL|SERVER")]
    name: String,
    /// The server's own name of the tool; or the arguments of a call
    #[arg(value_name = "TOOL|JSON")]
    tool: Option<String>,
    /// The arguments of a call, as one JSON object; with them, validators are run and the call is judged
    #[arg(value_name = "JSON")]
    call: Option<String>,
    /// The arguments of a call, as an option
    #[arg(long, value_name = "JSON", conflicts_with = "call")]
    arguments: Option<String>,
    /// Show only the rules, and start no server
    #[arg(long)]
    rules: bool,
    /// Start the tool's server for this command, even if a running gateway has it
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
    /// The judgement of all gates on a call with the arguments, or without any. The call is not made.
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<CheckToolResult>,
}

/// The parts of an explanation that need the tool's server.
struct OfTool {
    gates: ToolGates,
    call: CheckToolResult,
}

/// The source and the expiry of the rule that decided.
#[derive(Serialize, Default)]
struct Provenance {
    granted_by: Option<String>,
    granted_at: Option<String>,
    expires_at: Option<String>,
}

/// Returns the arguments that the command line gives.
fn call_arguments(text: &str) -> Result<RawJson, CliError> {
    let json = RawJson::parse(text.to_owned())
        .map_err(|error| CliError::usage(format!("the arguments of the call are not JSON: {error}")))?;
    if !json.is_object() {
        return Err(CliError::usage(format!(
            "the arguments of the call are {}: expected a JSON object",
            json.kind()
        )));
    }
    Ok(json)
}

/// Explains from the state, and with a kernel if the tool has to be looked up.
pub(super) async fn run(options: &Options, state: &Setup, args: ExplainArgs) -> Result<Outcome, CliError> {
    let mut args = args.placed()?;
    if args.rules || args.tool.is_some() {
        args.name = meant_server(state, &args.name).await?;
    }
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
    let setup = Setup::load(options).await?;
    let name = name_of(&args);
    Catalogue::with(&setup, NeededTools::One(&name), args.fresh, async |catalogue: &Catalogue| {
        say_unreadable(&catalogue.kernel.access().unreadable());
        of_tool(&catalogue.kernel, state, &args, arguments.as_ref()).await
    })
    .await
}

/// Returns the name of the tool, as a host could call it.
fn name_of(args: &ExplainArgs) -> String {
    args.tool.as_ref().map_or_else(|| args.name.clone(), |tool| format!("{}__{tool}", args.name))
}

impl ExplainArgs {
    /// Moves the arguments of the call into `arguments`, from either position on the command line.
    fn placed(mut self) -> Result<Self, CliError> {
        if self.call.is_none() && self.tool.as_ref().is_some_and(|tool| tool.trim_start().starts_with('{')) {
            self.call = self.tool.take();
        }
        if self.call.is_some() && self.arguments.is_some() {
            return Err(CliError::usage("the arguments of the call are given twice: expected them once"));
        }
        self.arguments = self.arguments.or(self.call.take());
        Ok(self)
    }
}

async fn of_tool(
    kernel: &Kernel,
    state: &Setup,
    args: &ExplainArgs,
    arguments: Option<&RawJson>,
) -> Result<Outcome, CliError> {
    let name = name_of(args);
    if let Some(tool) = kernel.operator().judged_tool(&name) {
        let id = tool.named.tool.id();
        let agent = Principal::agent(&args.of);
        // Boxed, because the future is large.
        let behind = Box::pin(behind_access(kernel, &agent, &tool, arguments)).await?;
        let call = (&*id.server_id, Some(&*id.tool_name), arguments);
        return report(kernel.access(), &args.of, call, Some(behind));
    }
    let Some(tool) = &args.tool else {
        // The name of a tool takes precedence over the beginning of a server's id.
        let server = meant_server(state, &args.name).await?;
        if server != args.name {
            return report(kernel.access(), &args.of, (&server, None, arguments), None);
        }
        let meant = kernel.operator().meant(&Principal::agent(&args.of), &name);
        let question = meant.first().map(|meant| format!("did you mean {meant:?}? ")).unwrap_or_default();
        let error = CliError::new(Exit::NotFound, format!("no connected server has a tool {name:?}"));
        return Err(
            error.help(format!("{question}see the tools with `mgp tools`, or name its server: SERVER TOOL"))
        );
    };
    note(&format!("no connected server {:?} has a tool {tool:?}: only the rules are known", args.name));
    report(kernel.access(), &args.of, (&args.name, Some(tool), arguments), None)
}

/// Returns the gates behind access control for an agent's calls, and the judgement on a call. The call is not made, and nobody is asked.
async fn behind_access(
    kernel: &Kernel,
    agent: &Principal,
    tool: &JudgedTool,
    arguments: Option<&RawJson>,
) -> Result<OfTool, CliError> {
    let id = tool.named.tool.id();
    let mut limits = kernel.operator().limits(agent, id);
    limits.extend(kernel.operator().quota(agent, id).await.map(|quota| format!("a call {quota}")));
    let mut gates = ToolGates::of(kernel, id, &tool.profile).with_limits(limits);
    if let Some(arguments) = arguments {
        gates = gates.with_answers(kernel.operator().validator_answers(agent, tool, arguments).await);
    }
    let host = Host::connect_without_streaming(kernel, agent.clone()).await?;
    let none = RawJson::empty_object();
    let called = arguments.unwrap_or(&none);
    let mut call = host.client.check_tool_with(&tool.named.name, called, CallOptions::new()).await?;
    // A dry run conceals the tool from its agent. The operator sees the rule.
    let is_concealed =
        call.error.as_ref().is_some_and(|error| error.code == i64::from(ErrorCode::ToolNotFound));
    if let Some(Err(denial)) = is_concealed.then(|| kernel.access().authorize(agent, id)) {
        let error = denial.to_error(&tool.named.name);
        (call.reason, call.error) = (Some(error.message.clone()), Some(error));
    }
    Ok(OfTool { gates, call })
}

fn report(
    access: &AccessControl,
    agent: &str,
    (server, tool, arguments): (&str, Option<&str>, Option<&RawJson>),
    behind: Option<OfTool>,
) -> Result<Outcome, CliError> {
    let explanation = match (tool, arguments) {
        (Some(tool), Some(_)) => access.explain_call(agent, &ToolId::new(server, tool), arguments),
        (None, Some(_)) => {
            let error = CliError::usage(format!("arguments are for a call, and {server:?} is a server"));
            return Err(error.help("name a tool: SERVER TOOL, or SERVER__TOOL"));
        }
        (_, None) => access.explain(agent, server, tool),
    };
    let reason = reason(&explanation, agent, server);
    let Explanation { judgement, rules, .. } = explanation;
    let provenance = judgement.entry.as_deref().map(provenance).unwrap_or_default();
    let (gates, call) = behind.map(|OfTool { gates, call }| (gates, call)).unzip();
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
        call,
    };
    let exit = if report.permission == AccessDecision::Allow { Exit::Success } else { Exit::Refused };
    Ok(Outcome::new(report.text(arguments.is_some()), &report)?.with_exit(exit))
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
        return format!("a rule of the agent decides{by}");
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
        (_, None) => format!("there is no server {server}, and an unknown server is denied to everybody"),
        (_, Some(DefaultPolicy::OptOut)) if !explanation.agent_is_known => format!(
            "{nothing}; the default policy opt-out does not apply to {agent}, whom neither the configuration nor a rule names"
        ),
        (_, Some(DefaultPolicy::OptOut)) => format!(
            "{nothing}, so the server's default policy opt-out decides; it opens only tools: resources and prompts need a rule \
             for the whole server (`mgp access grant {} {}`)",
            command_word(agent),
            command_word(server)
        ),
        (_, Some(policy)) => format!("{nothing}, so the server's default policy {policy} decides"),
    }
}

impl Report {
    /// Returns the text for people. `has_arguments` is true if the call has arguments.
    fn text(&self, has_arguments: bool) -> String {
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
        if let Some(call) = &self.call {
            let what = if has_arguments { "this call now" } else { "call with {}" };
            let lacks_arguments = !has_arguments
                && call
                    .error
                    .as_ref()
                    .is_some_and(|error| error.code == i64::from(ErrorCode::InvalidToolArgs));
            let hint =
                if lacks_arguments { "; name the arguments after the tool to judge a call" } else { "" };
            let mut judged = judgement_lines(call).into_iter();
            lines.push(line(what, &format!("{}{hint}", judged.next().unwrap_or_default())));
            lines.extend(judged);
        }
        let mut text = lines.into_iter();
        let first = text.next().map(|line| on_one_line(&line));
        first.into_iter().chain(text).collect::<Vec<_>>().join("\n")
    }
}
