//! The values that a schema would have allowed, gathered from an error.

use jsonschema::{
    JsonType, ValidationError,
    error::{TypeKind, ValidationErrorKind},
};
use serde_json::Value;

/// The errors of all schemas of an `anyOf` or `oneOf` that a value does not fit.
pub(super) type Branches = [Vec<ValidationError<'static>>];

/// The values that are allowed at a place.
pub(super) struct AllowedValues<'e> {
    /// The place, as a JSON pointer.
    pub(super) place: &'e str,
    pub(super) values: Vec<&'e Value>,
}

/// Returns the allowed values if an error is about a value outside a fixed set: an error of `enum` or `const`, or of an `anyOf` or `oneOf`
/// whose schemas each allow some values at the same place.
pub(super) fn of_error<'e>(error: &'e ValidationError<'_>) -> Option<AllowedValues<'e>> {
    static NULL: Value = Value::Null;
    let place = error.instance_path().as_str();
    let values = match error.kind() {
        ValidationErrorKind::Constant { expected_value } => vec![&**expected_value],
        ValidationErrorKind::Enum { options } => options.as_array()?.iter().collect(),
        ValidationErrorKind::Type { kind: TypeKind::Single(JsonType::Null) } => vec![&NULL],
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            return of_branches(context);
        }
        _ => return None,
    };
    Some(AllowedValues { place, values })
}

fn of_branches(branches: &Branches) -> Option<AllowedValues<'_>> {
    let mut all: Option<AllowedValues<'_>> = None;
    for branch in branches {
        let allowed = branch.iter().find_map(of_error)?;
        match &mut all {
            None => all = Some(allowed),
            Some(all) if all.place == allowed.place => all.values.extend(allowed.values),
            Some(_) => return None,
        }
    }
    all
}

/// Returns the error of the only schema that a value can be intended for. The others are for `null`, or require another value of a member, as
/// the variants of a tagged enum do. `place` is the place of the value.
pub(super) fn of_meant_branch<'e>(
    place: &str,
    branches: &'e Branches,
) -> Option<&'e ValidationError<'static>> {
    let mut meant = branches.iter().filter(|branch| !branch.iter().any(|error| rules_out(place, error)));
    let (branch, other) = (meant.next()?, meant.next());
    let error = branch.first().filter(|_| other.is_none())?;
    // A value of another type is not intended for the schema either.
    let is_of_another_type = matches!(error.kind(), ValidationErrorKind::Type { .. });
    (!is_of_another_type || error.instance_path().as_str() != place).then_some(error)
}

/// Returns whether an error shows that a value is intended for another schema.
fn rules_out(place: &str, error: &ValidationError<'_>) -> bool {
    match error.kind() {
        ValidationErrorKind::Type { kind: TypeKind::Single(JsonType::Null) } => {
            error.instance_path().as_str() == place
        }
        ValidationErrorKind::Constant { .. } => error.instance_path().as_str() != place,
        _ => false,
    }
}
