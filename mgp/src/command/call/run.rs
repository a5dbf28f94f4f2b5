//! The call, and its output while it runs.

use super::{
    answer::{AnswerForm, ServerStanding, answer, failure, replay, standings, trace, whole},
    check::check,
    gateway::{Gateway, connect, refused},
    options::{PlacedReference, idempotency_key, placed_reference},
    save::{prepare, save},
};
use crate::{
    control::CommandHost,
    error::{CliError, arguments},
    exit::Exit,
    host::Host,
    input::read_input,
    operator::operator,
    options::Options,
    output::{Outcome, continued, on_one_line, print_json, print_part, say},
    setup::Setup,
    signals::Signals,
    terminal::{TerminalApprover, UnattendedApprover, is_attached},
    terminal_form::answer_form,
    wait,
};
use clap::{ArgGroup, Args};
use mgp_client_sdk::client::{CallOptions, Client};
use mgp_kernel::Kernel;
use mgp_security::permission::Approver;
use mgp_transport::seam::{CallError, CallEvent, Notification};
use mgp_types::{
    idempotency::{IdempotencyKey, ReplayNote},
    json::{RawJson, RawObject},
    mcp::{Progress, ProgressParams},
    rpc::{ErrorObject, Notice, RawResult},
    stream::{StreamChunk, StreamChunkParams, StreamProgress, StreamProgressParams},
};
use std::{
    future::pending,
    io::{self, IsTerminal},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

/// Call a tool once, through the same checks as a call of any host
///
/// Prints the tool's answer. At a terminal, asks about undecided permissions and calls that need confirmation;
/// elsewhere the question stays open for `mgp approve`. A running gateway with this configuration makes the call;
/// without one, the tool's server is started for it.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("kept").args(["keep_result", "refs"]).multiple(true)))]
pub(crate) struct CallArgs {
    /// The tool: its name for hosts, or SERVER__TOOL
    tool: String,
    /// The tool's arguments, as one JSON object; - reads them from stdin
    #[arg(value_name = "JSON", allow_hyphen_values = true)]
    arguments: Option<String>,
    /// Print parts of the answer as they arrive; progress goes to stderr
    #[arg(long)]
    stream: bool,
    /// Maximum time to wait for the answer, in seconds
    #[arg(long, value_name = "SECS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: Option<u64>,
    /// Confirm the call in advance; undecided permissions still need an answer
    #[arg(short, long)]
    yes: bool,
    /// Print the outcome as JSON, also that of a refusal: {status, data, error, explanation}
    #[arg(long)]
    outcome: bool,
    /// Save the images and sounds of the answer as new files in this folder
    #[arg(long, value_name = "FOLDER", value_hint = clap::ValueHint::DirPath, conflicts_with_all = ["dry_run", "keep_result"])]
    save: Option<PathBuf>,
    /// Show the origin of the answer, as attested by the gateway
    #[arg(long)]
    provenance: bool,
    /// Show whether the call would be allowed, and who would be asked first; the tool does not run
    #[arg(long, conflicts_with_all = ["stream", "yes", "outcome", "provenance"])]
    dry_run: bool,
    /// Make the call only once: the same key with the same arguments returns the first call's answer
    #[arg(long, value_name = "KEY", value_parser = idempotency_key)]
    idempotency_key: Option<IdempotencyKey>,
    /// Start the tool's server for this call, even if a running gateway has it
    #[arg(long, conflicts_with = "kept")]
    fresh: bool,
    /// Keep the result in a running gateway, and print a reference to it
    #[arg(long, conflicts_with = "yes")]
    keep_result: bool,
    /// Insert data that a running gateway keeps into the arguments, at a JSON pointer; may be given several times
    #[arg(long = "ref", value_name = "POINTER=REF", value_parser = placed_reference, conflicts_with = "yes")]
    refs: Vec<PlacedReference>,
    /// Use the running gateway with this process id; only with --keep-result or --ref
    #[arg(long, requires = "kept")]
    pid: Option<u32>,
}

/// The maximum length of arguments on stdin, in bytes.
const MAX_ARGUMENTS: u64 = 16 * 1024 * 1024;

pub(crate) async fn run(options: &Options, args: CallArgs) -> Result<Outcome, CliError> {
    let arguments = match args.arguments.as_deref() {
        None => RawJson::empty_object(),
        Some("-") => arguments(&read_stdin()?)?,
        Some(text) => arguments(text)?,
    };
    if let Some(folder) = &args.save {
        prepare(folder)?;
    }
    let result = match args.keep_result || !args.refs.is_empty() {
        true => in_gateway(options, &args, arguments).await,
        false => {
            let setup = Setup::load(options).await?;
            let gateway = if args.fresh { None } else { Gateway::find(&setup).await };
            match gateway {
                Some(gateway) => as_host(options, &args, arguments, &setup, &gateway).await,
                None => in_own_kernel(options, &args, arguments, &setup).await,
            }
        }
    };
    if let Err(error) = &result
        && args.outcome
        && !options.json
        && let Some(whole) = error.result()
    {
        print_json(&whole);
    }
    result
}

/// Makes the call in a kernel of this process, which starts the tool's server.
async fn in_own_kernel(
    options: &Options,
    args: &CallArgs,
    arguments: RawJson,
    setup: &Setup,
) -> Result<Outcome, CliError> {
    let mut signals = Signals::listen()?;
    let kernel = setup.start_asleep_with(approver(options, setup, args.yes)).await?;
    let result = in_time(args, &mut signals, call(&kernel, setup, options, args, arguments)).await;
    kernel.shutdown().await;
    result
}

/// Makes the call through a running gateway, as a host of the agent.
async fn as_host(
    options: &Options,
    args: &CallArgs,
    arguments: RawJson,
    setup: &Setup,
    gateway: &Gateway,
) -> Result<Outcome, CliError> {
    let mut builder = Client::builder("mgp", env!("CARGO_PKG_VERSION")).offer(Host::extensions(args.stream));
    if !options.json && !args.yes && is_attached() {
        builder = builder.on_elicit_form(answer_form);
    }
    let host = CommandHost { agent: setup.agent.clone(), confirms: args.yes };
    let client = gateway.kernel.host(setup, &host, builder).await?;
    let mut signals = Signals::listen()?;
    in_time(args, &mut signals, async {
        let answered = async {
            if args.dry_run {
                return check(&client, &setup.agent, &args.tool, arguments, asked(args)).await;
            }
            let (reply, printed) = exchange(&client, options, args, arguments).await?;
            let Err(CallError::Peer(_)) = &reply else {
                return outcome(args, reply, printed, |error| error);
            };
            // The tools that the servers listed last are enough for advice.
            let (kernel, servers) = (setup.start_asleep().await?, gateway.standings().await);
            let failed =
                outcome(args, reply, printed, |error| failure(&kernel, &servers, setup, &args.tool, error));
            kernel.shutdown().await;
            failed
        };
        tokio::select! {
            answered = Box::pin(answered) => answered,
            never = gateway.tell_progress() => match never {},
        }
    })
    .await
}

/// Makes the call in a running gateway as the operator, because kept data ends with its gateway.
async fn in_gateway(options: &Options, args: &CallArgs, arguments: RawJson) -> Result<Outcome, CliError> {
    let setup = Setup::load_for_state(options).await?;
    let gateway = connect(&setup, options, args.pid, args.stream).await?;
    let mut signals = Signals::listen()?;
    in_time(args, &mut signals, async {
        if args.dry_run {
            return check(&gateway.client, operator().id(), &args.tool, arguments, asked(args)).await;
        }
        let (reply, printed) = exchange(&gateway.client, options, args, arguments).await?;
        outcome(args, reply, printed, |error| refused(error, &args.tool))
    })
    .await
}

/// Waits for the end of a call, the time limit or a signal, whichever comes first.
async fn in_time(
    args: &CallArgs,
    signals: &mut Signals,
    call: impl Future<Output = Result<Outcome, CliError>>,
) -> Result<Outcome, CliError> {
    let limit = async {
        match args.timeout {
            Some(seconds) => tokio::time::sleep(Duration::from_secs(seconds)).await,
            None => pending().await,
        }
    };
    tokio::select! {
        result = Box::pin(call) => result,
        () = limit => Err(too_slow(args.timeout.unwrap_or_default())),
        () = signals.next() => Err(CliError::failed("the call was cancelled")),
    }
}

fn approver(options: &Options, setup: &Setup, yes: bool) -> Arc<dyn Approver> {
    let terminal =
        (!options.json && !yes).then(|| TerminalApprover::attached(setup.grant_lifetime())).flatten();
    match terminal {
        Some(terminal) => Arc::new(terminal),
        None => Arc::new(UnattendedApprover { confirms: yes }),
    }
}

async fn call(
    kernel: &Kernel,
    setup: &Setup,
    options: &Options,
    args: &CallArgs,
    arguments: RawJson,
) -> Result<Outcome, CliError> {
    wait::for_tool(kernel, &args.tool, &setup.principal()).await;
    let host = match args.stream {
        true => Host::connect(kernel, setup.principal()).await?,
        false => Host::connect_without_streaming(kernel, setup.principal()).await?,
    };
    if args.dry_run {
        return check(&host.client, &setup.agent, &args.tool, arguments, asked(args)).await;
    }
    let (reply, printed) = exchange(&host.client, options, args, arguments).await?;
    outcome(args, reply, printed, |error| {
        let servers: Vec<ServerStanding> = standings(kernel);
        failure(kernel, &servers, setup, &args.tool, error)
    })
}

/// Makes the call, and prints the parts of its answer as they arrive. Returns the answer, and whether its text was printed in
/// parts.
async fn exchange(
    client: &Client,
    options: &Options,
    args: &CallArgs,
    arguments: RawJson,
) -> Result<(Result<RawResult, CallError>, bool), CliError> {
    let mut parts =
        Parts { wanted: args.stream, json: options.json || args.outcome, printed: false, ends_line: true };
    let mut call = client.start_tool_with(&args.tool, arguments, asked(args)).await?;
    let reply = loop {
        match call.next().await {
            CallEvent::Notification(notification) => parts.show(&notification),
            CallEvent::Reply(reply) => break reply,
        }
    };
    if !parts.ends_line {
        print_part("\n");
    }
    Ok((reply, parts.printed))
}

/// Returns the call options that the command line requests.
fn asked(args: &CallArgs) -> CallOptions {
    let mut asked = CallOptions::new();
    if args.provenance {
        asked = asked.attest();
    }
    if args.keep_result {
        asked = asked.keep_result();
    }
    if let Some(key) = &args.idempotency_key {
        asked = asked.idempotency_key(key);
    }
    args.refs.iter().fold(asked, |asked, PlacedReference { at, reference }| asked.reference(at, reference))
}

/// Returns the outcome of the command. `advise` adds advice to the error of a call that did not reach its tool.
fn outcome(
    args: &CallArgs,
    reply: Result<RawResult, CallError>,
    printed: bool,
    advise: impl FnOnce(CliError) -> CliError,
) -> Result<Outcome, CliError> {
    let (answered, whole) = match reply {
        Ok(result) => {
            if let Some(folder) = &args.save {
                save(folder, &args.tool, &result).map_err(|error| error.with_result(result.clone()))?;
            }
            let form = AnswerForm { printed, keeps: args.keep_result };
            (answer(&args.tool, &result, form), whole(Some(&result), None))
        }
        Err(error) => {
            let error = CliError::from(error);
            let whole = whole(None, error.answer());
            let replayed = replay(error.answer().and_then(ReplayNote::of_error).as_ref());
            let advised = advise(error);
            let error = match replayed {
                Some(replayed) => advised.help(replayed),
                None => advised,
            };
            (Err(error), whole)
        }
    };
    let answered = match whole.as_ref().and_then(trace) {
        Some(trace) => answered.map_err(|error| error.with_trace(trace)),
        None => answered,
    };
    match (answered, whole.filter(|_| args.outcome)) {
        (answered, None) => answered,
        (Ok(_), Some(whole)) => Outcome::of_json(&whole),
        (Err(error), Some(whole)) => Err(error.with_result(whole)),
    }
}

fn read_stdin() -> Result<String, CliError> {
    let bytes = read_input(MAX_ARGUMENTS)
        .map_err(|error| CliError::usage(format!("failed to read the arguments on stdin: {error}")))?;
    String::from_utf8(bytes).map_err(|_| CliError::usage("the arguments on stdin are not UTF-8 text"))
}

fn too_slow(seconds: u64) -> CliError {
    CliError::new(Exit::Unreachable, format!("there was no answer within {seconds} s"))
        .help("wait longer with --timeout")
}

/// The parts and the progress that are shown before the answer.
struct Parts {
    wanted: bool,
    /// True if stdout is for one JSON document and parts go to stderr.
    json: bool,
    /// True if the answer's text was printed in parts.
    printed: bool,
    ends_line: bool,
}

impl Parts {
    fn show(&mut self, notification: &Notification) {
        let params = &notification.params;
        match &*notification.method {
            StreamChunk::METHOD => {
                let Ok(chunk) = params.decode::<StreamChunkParams>() else { return };
                let Some(text) = chunk.content.as_text() else { return };
                if self.json {
                    say(&format!("part: {}", continued(text)));
                } else if self.wanted {
                    print_part(text);
                    self.printed = true;
                    self.ends_line = text.ends_with('\n');
                }
            }
            StreamProgress::METHOD => {
                if let Ok(progress) = params.decode::<StreamProgressParams>() {
                    self.progress(&progress.progress.to_string(), None, progress.message.as_deref());
                }
            }
            Progress::METHOD => {
                if let Ok(progress) = params.decode::<ProgressParams>() {
                    let total = progress.total.map(|total| total.to_string());
                    self.progress(
                        &progress.progress.to_string(),
                        total.as_deref(),
                        progress.message.as_deref(),
                    );
                }
            }
            _ => {}
        }
    }

    fn progress(&self, progress: &str, total: Option<&str>, message: Option<&str>) {
        if !self.wanted && !io::stderr().is_terminal() {
            return;
        }
        let share = total.map_or_else(|| progress.to_owned(), |total| format!("{progress}/{total}"));
        say(&on_one_line(&format!("progress: {share} {}", message.unwrap_or_default())));
    }
}

/// Returns the text of a member of an error's recovery details.
pub(super) fn detail(error: &ErrorObject, key: &str) -> Option<String> {
    let recovery = mgp_types::error::Recovery::from_error(error)?;
    recovery.details.as_ref().and_then(|details: &RawObject| details.text(key))
}
