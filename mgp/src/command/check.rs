//! `mgp check`: checks any MCP or MGP server against its protocols.

use crate::{
    error::CliError,
    exit::Exit,
    options::Options,
    output::{Outcome, printable, table},
    signals::Signals,
};
use clap::{Args, ValueEnum, ValueHint};
use mgp_check::{CheckReport, CheckSettings, CheckStatus, CheckTarget, Vector, check, run_vectors};
use mgp_transport::child::ChildCommand;
use serde_json::json;
use std::{path::PathBuf, time::Duration};

/// Check any MCP or MGP server against the rules of its protocols
///
/// Only calls tools that the server marks as read-only. Every wait is bounded. Exits with code 1 if a check failed, and with code 6 if the
/// handshake failed.
///
/// For example, `mgp check -- npx -y some-server` or `mgp check https://server.example/mcp`.
#[derive(Debug, Args)]
#[command(override_usage = "mgp check [OPTIONS] URL\n       mgp check [OPTIONS] -- COMMAND...")]
pub(crate) struct CheckArgs {
    /// The URL of a server
    #[arg(value_hint = ValueHint::Url, required_unless_present = "command", conflicts_with = "command")]
    url: Option<String>,
    /// The command that starts a server
    #[arg(last = true, value_name = "COMMAND", value_hint = ValueHint::CommandWithArguments)]
    command: Vec<String>,
    /// The format of the report
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// Also call tools that are not marked as read-only, at most five. With --vectors, also send requests that change
    /// something
    #[arg(long)]
    call_all: bool,
    /// Skip initialize, and use revision 2026-07-28 even if the server supports others
    #[arg(long)]
    without_initialize: bool,
    /// Maximum time to wait for one answer, in seconds
    #[arg(long, value_name = "SECS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=600))]
    timeout: u64,
    /// Set an environment variable of the command
    #[arg(long = "env", value_name = "NAME=VALUE")]
    variables: Vec<String>,
    /// The environment variable that holds the bearer token for a URL
    #[arg(long, value_name = "NAME")]
    bearer_env: Option<String>,
    /// Send the requests of a vector file instead of running the checks
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    vectors: Option<PathBuf>,
}

/// The format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Lines of text
    Table,
    /// The extension proposals' conformance report
    Json,
    /// JUnit's XML, for test runners
    Junit,
}

pub(crate) async fn run(options: &Options, args: CheckArgs) -> Result<Outcome, CliError> {
    let target = target(&args)?;
    let settings = CheckSettings {
        call_all: args.call_all,
        without_initialize: args.without_initialize,
        ..CheckSettings::default()
    };
    let settings = settings.timeout(Duration::from_secs(args.timeout));
    let mut signals = Signals::listen()?;
    let checked = async {
        match &args.vectors {
            Some(path) => vectors(path, &target, &settings).await,
            None => report(&check(&target, &settings).await, args.format, options.json),
        }
    };
    tokio::select! {
        outcome = Box::pin(checked) => outcome,
        () = signals.next() => Err(CliError::failed("the check was cancelled")),
    }
}

fn target(args: &CheckArgs) -> Result<CheckTarget, CliError> {
    if let Some(url) = &args.url {
        if !url.starts_with("http://") && !url.starts_with("https://") {
            let problem =
                format!("{url:?} is not a URL: expected http:// or https://, or a command after --");
            return Err(CliError::usage(problem));
        }
        return CheckTarget::http(url, headers(args)?).map_err(CliError::usage);
    }
    let [program, rest @ ..] = &args.command[..] else {
        return Err(CliError::usage("there is no server: expected a URL, or a command after --"));
    };
    let mut command = ChildCommand::new("checked", program).args(rest);
    for variable in &args.variables {
        let Some((name, value)) = variable.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            return Err(CliError::usage(format!("{variable:?} is not a variable: expected NAME=VALUE")));
        };
        command = command.env(name, value);
    }
    Ok(CheckTarget::child(command))
}

fn headers(args: &CheckArgs) -> Result<http::HeaderMap, CliError> {
    let mut headers = http::HeaderMap::new();
    if let Some(name) = &args.bearer_env {
        let token = std::env::var(name)
            .map_err(|_| CliError::usage(format!("--bearer-env: there is no variable {name}")))?;
        let value = http::HeaderValue::from_str(&format!("Bearer {token}"));
        let mut value = value.map_err(|_| CliError::usage(format!("--bearer-env: {name} holds no token")))?;
        value.set_sensitive(true);
        headers.insert(http::header::AUTHORIZATION, value);
    }
    Ok(headers)
}

fn report(report: &CheckReport, format: Format, json: bool) -> Result<Outcome, CliError> {
    let outcome = match format {
        Format::Table => Outcome::new(report.to_string(), &report.to_json())?,
        Format::Json => Outcome::of_json(&report.to_json())?,
        // JUnit's format would be embedded in the JSON document.
        Format::Junit if json => return Err(CliError::usage("--format junit and --json exclude each other")),
        Format::Junit => Outcome::of_data(report.to_junit(), &report.to_json())?,
    };
    let has_handshake = !report.ids(CheckStatus::Failed).contains(&"basics.handshake");
    let exit = match (report.has_failures(), has_handshake) {
        (false, _) => Exit::Success,
        (true, true) => Exit::Failed,
        (true, false) => Exit::Unreachable,
    };
    Ok(outcome.with_exit(exit))
}

async fn vectors(
    path: &PathBuf,
    target: &CheckTarget,
    settings: &CheckSettings,
) -> Result<Outcome, CliError> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| CliError::new(Exit::NotFound, format!("failed to read {shown}: {error}")))?;
    let vectors = Vector::read(&text).map_err(|error| CliError::usage(format!("{shown}: {error}")))?;
    let outcomes = run_vectors(target, settings, &vectors)
        .await
        .map_err(|error| CliError::new(Exit::Unreachable, format!("there was no handshake: {error}")))?;
    let rows = outcomes.iter().map(|(vector, status, message)| {
        [status.to_string(), vector.id.clone(), printable(message).into_owned()]
    });
    let json: Vec<_> = outcomes
        .iter()
        .map(|(vector, status, message)| json!({ "id": vector.id, "status": status, "message": message }))
        .collect();
    let failed = outcomes.iter().any(|(_, status, _)| *status == CheckStatus::Failed);
    let outcome = Outcome::new(table(["status", "vector", "message"], rows), &json)?;
    Ok(outcome.with_exit(if failed { Exit::Failed } else { Exit::Success }))
}
