//! `mgp store migrate`: copies the state from one place to another, and compares both.

use crate::{error::CliError, options::Options, output::Outcome};
use clap::{Args, ValueHint};

/// The places of the state.
#[derive(Debug, Args)]
pub(super) struct MigrateArgs {
    /// The state folder or the URL of the database to copy from; `store.url` stands for the configured database
    #[arg(long, value_name = "FOLDER|URL", value_hint = ValueHint::DirPath)]
    from: String,
    /// The empty folder or the URL of the empty database to copy to; `store.url` stands for the configured database
    #[arg(long, value_name = "FOLDER|URL", value_hint = ValueHint::DirPath)]
    to: String,
    /// Read the source and check the target, and copy nothing
    ///
    /// Missing tables of a database are created.
    #[arg(long)]
    dry_run: bool,
}

#[cfg(not(feature = "postgres"))]
#[expect(clippy::unused_async, reason = "a build with PostgreSQL waits")]
pub(super) async fn run(_: &Options, _: MigrateArgs) -> Result<Outcome, CliError> {
    Err(crate::setup::without_postgres("mgp store migrate"))
}

#[cfg(feature = "postgres")]
pub(super) async fn run(options: &Options, args: MigrateArgs) -> Result<Outcome, CliError> {
    use mgp_kernel::StateMigration;
    let source = postgres::location(options, "--from", &args.from).await?;
    let target = postgres::location(options, "--to", &args.to).await?;
    let migration =
        StateMigration::prepare(source, target).await.map_err(|error| postgres::cli_error(&error))?;
    let sections = if args.dry_run {
        migration.sections()
    } else {
        migration.run().await.map_err(|error| postgres::cli_error(&error))?
    };
    super::report::report(&sections, args.dry_run)
}

#[cfg(feature = "postgres")]
mod postgres {
    use crate::{
        error::CliError,
        exit::Exit,
        options::Options,
        setup::{Setup, environment},
    };
    use mgp_kernel::{MigrationError, StateLocation};

    /// The word for the configured database, by which its password stays out of the command line.
    const CONFIGURED: &str = "store.url";

    /// Returns the location that an option names.
    pub(super) async fn location(
        options: &Options,
        option: &str,
        text: &str,
    ) -> Result<StateLocation, CliError> {
        if text.is_empty() {
            return Err(CliError::usage(format!("{option}: found no text, expected a folder or a URL")));
        }
        if text != CONFIGURED {
            return StateLocation::parse(text).map_err(|error| cli_error(&error));
        }
        let setup = Setup::load_for_state(options).await?;
        let Some(url) = setup.store_url(&environment(options)?).await? else {
            return Err(CliError::new(
                Exit::Configuration,
                format!("{option}: no database is configured, neither by store.url nor by MGP_STORE_URL"),
            ));
        };
        StateLocation::parse(&url).map_err(|error| cli_error(&error))
    }

    /// Returns an error with advice on what to do next.
    pub(super) fn cli_error(error: &MigrationError) -> CliError {
        let exit = match error {
            MigrationError::Location(_) | MigrationError::SameFolder(_) => Exit::Usage,
            MigrationError::NoState(_) => Exit::NotFound,
            _ => Exit::Failed,
        };
        let help = match error {
            MigrationError::InUse(location) => Some(match location.folder() {
                Some(folder) => format!("`mgp --state-dir {} stop` ends its gateways", folder.display()),
                None => "run `mgp stop` on each machine that uses the database; a program may count as running for 30 s after its end".to_owned(),
            }),
            MigrationError::NotEmpty { location, section, .. } => Some(match location.folder() {
                Some(folder) => format!(
                    "name an empty folder; if these rows are of no use, remove {}/{section}.sqlite3",
                    folder.display()
                ),
                None => "name an empty database; if these rows are of no use, delete them".to_owned(),
            }),
            MigrationError::Nul { .. } => Some("remove the row, or change its text, with the command that manages the section".to_owned()),
            MigrationError::Failed { left, .. } if left.is_empty() => Some("the target is empty again".to_owned()),
            MigrationError::Failed { left, .. } => Some(format!(
                "copied rows are left in the target; before the next attempt, delete all rows of: {}",
                left.join(", ")
            )),
            _ => None,
        };
        let error = CliError::new(exit, error.to_string());
        match help {
            Some(help) => error.help(help),
            None => error,
        }
    }
}
