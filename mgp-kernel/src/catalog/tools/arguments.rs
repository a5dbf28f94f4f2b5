//! Checks arguments against the input schemas of tools.

use super::ToolEntry;
use mgp_types::{
    error::ErrorCode,
    json::{RawJson, RawObject},
    rpc::ErrorObject,
};

/// The result of a check without a violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArgumentVerdict<'a> {
    /// The arguments match the schema.
    Fit,
    /// The schema cannot be used, for this reason.
    Unchecked(&'a str),
}

impl ToolEntry {
    /// Checks the arguments of a call against the tool's input schema. Missing arguments and `null` count as `{}`.
    ///
    /// # Errors
    /// 4000, with the location, the value and the expectation.
    pub(crate) fn check_arguments(
        &self,
        arguments: Option<&RawJson>,
    ) -> Result<ArgumentVerdict<'_>, ErrorObject> {
        check_object(arguments)?;
        let none = RawJson::empty_object();
        let arguments = arguments.filter(|arguments| !arguments.is_null()).unwrap_or(&none);
        let schema = match self.schema.get(self, "inputSchema") {
            Ok(Some(schema)) => schema,
            Ok(None) => return Ok(ArgumentVerdict::Fit),
            Err(reason) => return Ok(ArgumentVerdict::Unchecked(reason)),
        };
        // Values that the operator fixed are not in the schema, and must not be in its errors.
        let own = self.shape.as_ref().and_then(|shape| shape.without_fixed(arguments));
        let arguments = own.as_ref().unwrap_or(arguments);
        let checked = schema.check(arguments).map(|()| ArgumentVerdict::Fit);
        checked.map_err(|mismatch| invalid(&mismatch.to_string(), mismatch.place()))
    }
}

/// Checks that the arguments of a call are an object, if there are any. Hosts without arguments may also send `null`.
///
/// # Errors
/// 4000.
pub(crate) fn check_object(arguments: Option<&RawJson>) -> Result<(), ErrorObject> {
    let Some(arguments) = arguments.filter(|arguments| !arguments.is_object() && !arguments.is_null()) else {
        return Ok(());
    };
    let text = arguments.to_text();
    let found = text.as_ref().map_or_else(|| arguments.kind_without_text(), |_| arguments.kind());
    // The text of an object was parsed as the object, so this text is not one.
    let is_broken = text.is_some_and(|text| text.trim_start().starts_with('{'));
    let advice = if is_broken { " that is not JSON; send the object itself" } else { "" };
    Err(invalid(&format!("expected an object, found {found}{advice}"), None))
}

fn invalid(problem: &str, place: Option<&str>) -> ErrorObject {
    let error = ErrorCode::InvalidToolArgs.error(format!("invalid arguments: {problem}"));
    let Some(place) = place else { return error };
    let data = error.data.as_ref().and_then(|data| RawObject::from_json(data).ok());
    let mut data = data.unwrap_or_default();
    data.insert("field", RawJson::string(place));
    error.with_data(data.to_json())
}
