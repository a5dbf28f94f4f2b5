//! `mgp access schema`: what policies can ask.

use crate::{error::CliError, output::Outcome};

#[cfg(feature = "cedar")]
pub(super) fn show() -> Result<Outcome, CliError> {
    use mgp_client_sdk::CedarPolicies;

    #[derive(serde::Serialize)]
    struct SchemaReport {
        /// The schema, in Cedar's own language for schemas.
        schema: &'static str,
    }

    Outcome::new(CedarPolicies::SCHEMA.trim_end(), &SchemaReport { schema: CedarPolicies::SCHEMA })
}

#[cfg(not(feature = "cedar"))]
pub(super) fn show() -> Result<Outcome, CliError> {
    Err(crate::setup::without_policies("mgp access schema"))
}
