//! The subcommands of `mgp access`.

use super::{
    explain::{self, ExplainArgs},
    list::list,
    roles,
    rule::{Subject, Terms, grant, revoke},
    schema,
};
use crate::{args::Options, error::CliError, output::Outcome, setup::Setup};
use clap::{Args, Subcommand};

/// Show and change which agent may use which tool
///
/// Changes hold at once, in running kernels too, and stand in the audit trail under the name of your account.
#[derive(Debug, Args)]
pub(crate) struct AccessArgs {
    #[command(subcommand)]
    command: AccessCommand,
}

#[derive(Debug, Subcommand)]
enum AccessCommand {
    /// Show every rule, or those of --agent
    List,
    /// Show the roles of the configuration, and who has them
    Roles,
    /// Show what policies can ask, as a schema of Cedar
    Schema,
    /// Let an agent use a server, or one of its tools
    Grant {
        #[command(flatten)]
        subject: Subject,
        #[command(flatten)]
        terms: Terms,
    },
    /// Take a rule away
    Revoke {
        #[command(flatten)]
        subject: Subject,
    },
    /// Show whether an agent may use a tool or a server, who is asked, and why; exit code 4 where it may not
    ///
    /// Names the rule that decides and each rule that does not. For a tool, shows the gates behind access control too: the permissions that
    /// it needs, the validators that read its calls, whether somebody is asked to confirm them, the limits, and what a call would meet now. The
    /// call is not made. The tool's server is started where no gateway runs it.
    #[command(alias = "query")]
    Explain(ExplainArgs),
}

pub(crate) async fn run(options: &Options, args: AccessArgs) -> Result<Outcome, CliError> {
    let setup = Setup::load_for_state(options)?;
    match args.command {
        AccessCommand::List => {
            list(&setup.state.access().await?, &setup.roles(), options.agent.as_deref()).await
        }
        AccessCommand::Roles => roles::show(&setup.roles()),
        AccessCommand::Schema => schema::show(),
        AccessCommand::Grant { subject, terms } => grant(&setup, subject, terms).await,
        AccessCommand::Revoke { subject } => revoke(&setup, subject).await,
        AccessCommand::Explain(args) => explain::run(options, &setup, args).await,
    }
}
