//! Checks values.

use super::{
    CompiledSchema,
    compile::Kind,
    limits::{STEPS, STEPS_PER_BYTE},
    meter::Meter,
    node::{MeteredKind, MeteredValue},
    read::read,
    text,
};
use crate::json::RawJson;
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

/// The error of a value that does not fit: the place, the value and the expectation of each of the first problems.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Mismatch {
    text: String,
    /// The place of the first problem.
    place: Option<String>,
}

impl Mismatch {
    fn new(text: String) -> Self {
        Self { text, place: None }
    }

    fn of(errors: &[ValidationError<'_>], whole: &Value) -> Self {
        Self { text: text::of_errors(errors, whole), place: errors.first().and_then(text::place) }
    }

    /// Returns the place of the first problem, as names of members and numbers of items with `/` between them; `None` for the whole value.
    #[must_use]
    pub fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }
}

impl CompiledSchema {
    /// Checks a value. The value is read only if the schema restricts anything; the cost of a check is [bounded](super::limits).
    ///
    /// # Errors
    /// [`Mismatch`] if the value does not fit, or if that cannot be decided within the bounds.
    pub fn check(&self, json: &RawJson) -> Result<(), Mismatch> {
        match &self.0 {
            Kind::Anything => Ok(()),
            Kind::Object if json.is_object() => Ok(()),
            Kind::Object => Err(Mismatch::new(format!("expected an object, found {}", json.kind()))),
            Kind::Some { validator, price } => {
                let value = read(json).map_err(Mismatch::new)?;
                let steps = STEPS.saturating_add(STEPS_PER_BYTE.saturating_mul(json.as_bytes().len() as u64));
                fits(validator, &value, *price, steps)
            }
        }
    }
}

fn fits(validator: &Validator<MeteredKind>, value: &Value, price: u64, steps: u64) -> Result<(), Mismatch> {
    // The validator caches its findings only while it does not collect errors.
    let meter = Meter::new(steps, price);
    let valid = validator.is_valid(MeteredValue::new(value, &meter));
    if meter.is_empty() {
        return Err(Mismatch::new(format!(
            "too much to check: expected a value that the schema is checked against in {steps} steps"
        )));
    }
    if valid {
        return Ok(());
    }
    let meter = Meter::new(STEPS, price);
    let errors: Vec<_> = validator.iter_errors(MeteredValue::new(value, &meter)).collect();
    if !meter.is_empty() {
        return Err(Mismatch::of(&errors, value));
    }
    drop(errors);
    let meter = Meter::new(STEPS, price);
    let first = validator.validate(MeteredValue::new(value, &meter));
    Err(match first {
        Err(error) if !meter.is_empty() => Mismatch::of(&[error], value),
        _ => {
            let text = "the value does not fit the schema, and finding the place would take too long";
            Mismatch::new(text.to_owned())
        }
    })
}
