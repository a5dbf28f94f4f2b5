//! From the command line to an exit code.

use super::{
    args::{Cli, Command},
    command, demo, embedded,
    error::CliError,
    exit::Exit,
    installation::Installation,
    logging::{self, LoggingProcess},
    options::Options,
    output,
    output::Outcome,
};
use clap::{CommandFactory, Parser, error::ErrorKind};
#[cfg(feature = "console")]
use futures_util::future::LocalBoxFuture;
use std::process::ExitCode;

/// Runs the program `mgp` and returns its exit code.
#[must_use]
pub(crate) fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let process = match cli.command {
        Command::Serve(_) => LoggingProcess::Gateway,
        _ => LoggingProcess::Command,
    };
    logging::start(process, cli.options.verbose);
    let runtime = match runtime(&cli.command).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            return output::finish(cli.options.json, &Err(CliError::failed(error))).into();
        }
    };
    let code = runtime.block_on(Box::pin(run(cli)));
    logging::finish();
    // A thread that reads stdin cannot be interrupted; waiting for it would keep the program alive.
    runtime.shutdown_background();
    code
}

/// Returns the runtime of a command. A process that hands its host over has one thread, because it only waits.
fn runtime(command: &Command) -> tokio::runtime::Builder {
    #[cfg(unix)]
    if matches!(command, Command::Serve(args) if args.hands_over()) {
        return tokio::runtime::Builder::new_current_thread();
    }
    tokio::runtime::Builder::new_multi_thread()
}

async fn run(cli: Cli) -> ExitCode {
    let Cli { options, command } = cli;
    let result = match command {
        Command::Demo => return Box::pin(demo::run(options.json, options.verbose > 0)).await,
        Command::EmbeddedServer { name, args } => Box::pin(embedded::run_server(&name, &args))
            .await
            .map(|()| Outcome::silent())
            .map_err(CliError::failed),
        command => run_command(&options, command).await,
    };
    output::finish(options.json, &result).into()
}

/// Runs the words of a command line for the console, with the options of the gateway for those that the words do not set.
#[cfg(feature = "console")]
fn run_line(options: Options, words: Vec<String>) -> LocalBoxFuture<'static, Result<Outcome, CliError>> {
    Box::pin(async move {
        let line = std::iter::once("mgp".to_owned()).chain(words);
        let cli = Cli::try_parse_from(line).map_err(|error| unparsed(&error))?;
        let options = Options { agent: cli.options.agent.or(options.agent), ..options };
        run_command(&options, cli.command).await
    })
}

async fn run_command(options: &Options, command: Command) -> Result<Outcome, CliError> {
    match command {
        #[cfg(feature = "console")]
        Command::Serve(args) => Box::pin(command::serve::run(options, args, run_line)).await,
        #[cfg(not(feature = "console"))]
        Command::Serve(args) => Box::pin(command::serve::run(options, args)).await,
        Command::Status(args) => Box::pin(command::status::run(options, args)).await,
        Command::Reload(args) => Box::pin(command::reload::run(options, args)).await,
        Command::Stop(args) => Box::pin(command::stop::run(options, args)).await,
        #[cfg(feature = "console")]
        Command::Console(args) => Box::pin(command::console::run(options, args)).await,
        Command::Call(args) => Box::pin(command::call::run(options, args)).await,
        Command::Tools(args) => Box::pin(command::tools::run(options, args)).await,
        Command::Servers(args) => Box::pin(command::servers::run(options, args)).await,
        Command::Registry(args) => Box::pin(command::registry::run(options, args)).await,
        Command::Access(args) => Box::pin(command::access::run(options, args)).await,
        Command::Approve(args) => Box::pin(command::approve::run(options, args)).await,
        Command::Limits(args) => Box::pin(command::limits::run(options, args)).await,
        Command::Audit(args) => Box::pin(command::audit::run(options, *args)).await,
        Command::Transactions(args) => Box::pin(command::transactions::run(options, args)).await,
        Command::Events(args) => Box::pin(command::events::run(options, args)).await,
        Command::Logs(args) => Box::pin(command::logs::run(options, args)).await,
        Command::Keys(args) => Box::pin(command::keys::run(options, args)).await,
        Command::Store(args) => Box::pin(command::store::run(options, args)).await,
        Command::Secrets(args) => Box::pin(command::secrets::run(options, args)).await,
        Command::Trust(args) => command::trust::run(options, args),
        Command::Config(args) => Box::pin(command::config::run(options, args)).await,
        Command::Check(args) => Box::pin(command::check::run(options, args)).await,
        Command::Doctor(args) => Box::pin(command::doctor::run(options, args)).await,
        Command::Init(args) => Box::pin(command::init::run(options, &args)).await,
        Command::Add(args) => Box::pin(command::add::run(options, args)).await,
        Command::Connect(args) => Box::pin(command::connect::run(options, &args)).await,
        Command::Disconnect(args) => command::connect::run_disconnect(options, &args),
        Command::Completions(args) => Ok(command::completions::run(&args, &mut Cli::command())),
        Command::Update(_) => command::update::run(),
        Command::Man(args) => command::man::run(&args, Cli::command()),
        Command::Demo | Command::EmbeddedServer { .. } => Ok(Outcome::silent()),
    }
}

/// Returns the error of a command line that cannot be parsed.
fn unparsed(error: &clap::Error) -> CliError {
    let text = error.to_string();
    // The first paragraph describes the error; the rest is the usage.
    let sentence = text.strip_prefix("error: ").unwrap_or(&text).split("\n\n").next().unwrap_or_default();
    let sentence = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
    CliError::usage(sentence).help("run `mgp --help`, or `mgp help COMMAND`")
}

/// Reports an invalid command line, or prints the requested help.
fn usage(error: &clap::Error) -> ExitCode {
    let help = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    // Nothing was parsed, so the flag is searched for by hand.
    let json = std::env::args_os().skip(1).take_while(|arg| arg != "--").any(|arg| arg == "--json");
    if json && !help {
        output::print_json(&unparsed(error).to_json());
    }
    // A failure to write to the terminal cannot be reported.
    let _ = error.print();
    if error.kind() == ErrorKind::DisplayVersion
        && let Some(installation) = Installation::of_this_program()
    {
        output::print(&format!("{installation}\n"));
    }
    if help { ExitCode::SUCCESS } else { Exit::Usage.into() }
}
