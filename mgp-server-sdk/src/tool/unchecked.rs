//! The replacement for `arguments.rs` without the feature `check-arguments`: only extractors check arguments.

use crate::ToolError;
use mgp_types::json::RawJson;
use serde_json::Value;
use std::convert::Infallible;

/// No check of arguments.
#[derive(Debug)]
pub(crate) struct CheckArguments;

impl CheckArguments {
    pub(super) fn new(_: &Value, _: bool) -> Result<Self, Infallible> {
        Ok(Self)
    }

    pub(super) fn check(&self, _: Option<&RawJson>) -> Result<(), ToolError> {
        Ok(())
    }
}
