//! `mgp access schema`: prints what policies can refer to.

use crate::{error::CliError, output::Outcome};

#[cfg(feature = "cedar")]
pub(super) fn show() -> Result<Outcome, CliError> {
    use mgp_kernel::CedarPolicies;

    #[derive(serde::Serialize)]
    struct SchemaReport {
        /// The schema, in Cedar's schema language.
        schema: &'static str,
    }

    Outcome::new(CedarPolicies::SCHEMA.trim_end(), &SchemaReport { schema: CedarPolicies::SCHEMA })
}

#[cfg(not(feature = "cedar"))]
pub(super) fn show() -> Result<Outcome, CliError> {
    Err(crate::setup::without_policies("mgp access schema"))
}
