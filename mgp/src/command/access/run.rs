//! The subcommands of `mgp access`.

use super::{
    explain::{self, ExplainArgs},
    list::list,
    matrix::{MatrixArgs, matrix},
    roles,
    rule::{Subject, Terms, grant, revoke},
    schema,
};
use crate::{error::CliError, options::Options, output::Outcome, setup::Setup};
use clap::{Args, Subcommand};

/// Show and change the tools that agents may use
///
/// Running gateways apply a change within a second. It is recorded in the audit trail under the name of your account, which is
/// $USER.
#[derive(Debug, Args)]
pub(crate) struct AccessArgs {
    #[command(subcommand)]
    command: AccessCommand,
}

#[derive(Debug, Subcommand)]
enum AccessCommand {
    /// List every rule, or those of --agent
    List,
    /// Show whether each agent may use each tool of a server, and why
    ///
    /// The agents are those that the configuration, a key or a rule names; or --agent. The tools are those that the server has listed. A policy
    /// that uses the tool's risk or a call's arguments is asked without them.
    Matrix(MatrixArgs),
    /// List the configured roles and their agents
    Roles,
    /// Print what policies can refer to, as a Cedar schema
    Schema,
    /// Let an agent use a server, or one of its tools
    Grant {
        #[command(flatten)]
        subject: Subject,
        #[command(flatten)]
        terms: Terms,
    },
    /// Remove a rule
    Revoke {
        #[command(flatten)]
        subject: Subject,
    },
    /// Show whether an agent may use a tool or a server, who is asked, and why; exits with code 4 if it may not
    ///
    /// Shows the rule that decides and every other rule that matches. For a tool, also shows the gates behind access control: permissions,
    /// validators, confirmation and limits, and how a call would be judged now. The call is not made. The tool's server is started if no
    /// running gateway has it.
    #[command(alias = "query")]
    Explain(ExplainArgs),
}

pub(crate) async fn run(options: &Options, args: AccessArgs) -> Result<Outcome, CliError> {
    let setup = Setup::load_for_state(options).await?;
    match args.command {
        AccessCommand::List => {
            list(&setup.state.access().await?, &setup.roles(), options.agent.as_deref()).await
        }
        AccessCommand::Matrix(args) => matrix(options, &setup, args).await,
        AccessCommand::Roles => roles::show(&setup.roles()),
        AccessCommand::Schema => schema::show(),
        AccessCommand::Grant { subject, terms } => grant(&setup, subject, terms).await,
        AccessCommand::Revoke { subject } => revoke(&setup, subject).await,
        AccessCommand::Explain(args) => explain::run(options, &setup, args).await,
    }
}
