//! The values with which the form of a registered server opens.

use super::super::report::Gateways;
use crate::{commands::CommandError, page::Context};
use mgp_types::lifecycle::RegistrationReport;

/// The values of the form; all empty for a new server.
#[derive(Debug, Default)]
pub(super) struct FilledForm {
    pub(super) id: String,
    pub(super) program: String,
    pub(super) arguments: String,
    /// The lines of the variables, whose values are not known.
    pub(super) variables: String,
    /// The URL of a server at one.
    pub(super) url: Option<String>,
    pub(super) permissions: String,
}

impl FilledForm {
    /// Reads what the registration of a server asked for. Of an unknown one, only the id is filled in.
    pub(super) async fn of(context: &Context, id: &str) -> Result<Self, CommandError> {
        let gateways: Gateways = context.read(&["status", "--no-checks"]).await?;
        let found = gateways.servers().find(|(_, server)| server.id == id && server.registered);
        let report = found.and_then(|(_, server)| server.registration.clone()).unwrap_or_default();
        let RegistrationReport { command, url, variables, permissions } = report;
        let (program, arguments) = command.split_first().map_or(("", &[][..]), |(first, rest)| (first, rest));
        let variables: Vec<_> = variables.iter().map(|name| format!("{name}=")).collect();
        Ok(Self {
            id: id.to_owned(),
            program: program.to_owned(),
            arguments: arguments.join("\n"),
            variables: variables.join("\n"),
            url,
            permissions: permissions.join("\n"),
        })
    }
}
