//! The arguments of a call.

use super::{FromCall, Needs, texts};
use crate::{Call, ToolError, answer::schema, call::Arguments};
use mgp_types::json::{RawJson, RawObject};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

/// The arguments as a Rust type. Clients of a tool see the type's JSON Schema as the schema of the arguments; clients of a prompt see
/// the type's fields as the prompt's arguments.
///
/// The arguments of prompts, and the variables of resource templates, are texts: fields that are numbers, booleans or enums without
/// content are parsed from those texts.
///
/// Arguments that do not fit are answered with a text that names the field and what was expected. The arguments of a tool are
/// checked against the tool's [schema](crate::schema) before they are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Args<T>(pub T);

/// The arguments as text: an object, empty if there are none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawArgs(pub RawJson);

/// Arguments that do not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidArguments(String);

impl InvalidArguments {
    /// Returns the name of the field, the problem with it and what was expected.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0
    }

    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    fn not_an_object(json: &RawJson) -> Self {
        Self(format!("expected an object, found {}", json.kind()))
    }
}

/// A type whose JSON Schema describes the arguments to clients.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no JSON Schema to describe the arguments to clients",
    label = "no JSON Schema",
    note = "add `#[derive(schemars::JsonSchema)]` to `{Self}`, or take `RawArgs` and give the tool its schema with `Tool::raw`",
    note = "`schemars` must be of the version that `mgp_server_sdk::schemars` is"
)]
pub trait ArgumentSchema: JsonSchema {}

// The message explains how to get a schema, and does not list the types that have one.
#[diagnostic::do_not_recommend]
impl<T: JsonSchema> ArgumentSchema for T {}

impl From<InvalidArguments> for ToolError {
    fn from(invalid: InvalidArguments) -> Self {
        Self::invalid_arguments(invalid.message())
    }
}

impl<T: DeserializeOwned + ArgumentSchema + Send> FromCall for Args<T> {
    type Rejection = InvalidArguments;

    fn needs(needs: &mut Needs) {
        needs.arguments(schema::of_arguments::<T>);
    }

    async fn from_call(call: &Call) -> Result<Self, InvalidArguments> {
        match call.arguments() {
            Arguments::Texts(texts) => texts::decode(texts).map(Self),
            Arguments::Json(None) => decode(&RawJson::empty_object()).map(Self),
            Arguments::Json(Some(json)) => decode(json).map(Self),
        }
    }
}

impl FromCall for RawArgs {
    type Rejection = InvalidArguments;

    async fn from_call(call: &Call) -> Result<Self, InvalidArguments> {
        match call.arguments() {
            Arguments::Json(None) => Ok(Self(RawJson::empty_object())),
            Arguments::Json(Some(json)) if json.is_object() => Ok(Self(json.clone())),
            Arguments::Json(Some(json)) => Err(InvalidArguments::not_an_object(json)),
            Arguments::Texts(texts) => {
                let texts = texts.iter().map(|(key, text)| (key, RawJson::string(text.as_str())));
                Ok(Self(texts.collect::<RawObject>().to_json()))
            }
        }
    }
}

fn decode<T: DeserializeOwned>(json: &RawJson) -> Result<T, InvalidArguments> {
    if !json.is_object() {
        return Err(InvalidArguments::not_an_object(json));
    }
    serde_json::from_slice(json.as_bytes()).map_err(|_| explain::<T>(json))
}

/// Reads arguments again, to create an error that names the field.
fn explain<T: DeserializeOwned>(json: &RawJson) -> InvalidArguments {
    let mut reader = serde_json::Deserializer::from_slice(json.as_bytes());
    match serde_path_to_error::deserialize::<_, T>(&mut reader) {
        Ok(_) => InvalidArguments::new("expected one object"),
        Err(error) => at_path(error.path(), &error.inner().to_string()),
    }
}

/// Creates an error that names the field, without the line and column, which are useless to a model.
pub(super) fn at_path(path: &serde_path_to_error::Path, problem: &str) -> InvalidArguments {
    let problem = problem.split_once(" at line ").map_or(problem, |(problem, _)| problem);
    if path.iter().next().is_none() {
        return InvalidArguments::new(problem);
    }
    InvalidArguments::new(format!("{path}: {problem}"))
}
