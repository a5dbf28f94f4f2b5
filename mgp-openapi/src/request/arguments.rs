//! The arguments of a call, each of which is used once.

use super::{ArgumentError, value::kind_of};
use crate::{
    schema::{Kind, Kinds},
    text::shown,
};
use mgp_types::json::{RawJson, RawObject};
use std::collections::HashSet;

/// The most names that an error lists.
const MAX_NAMES: usize = 20;

/// The arguments of a call.
#[derive(Debug)]
pub(super) struct Arguments {
    values: RawObject,
    used: HashSet<String>,
}

impl Arguments {
    /// Reads the arguments of a call. Null is an empty object.
    pub(super) fn read(arguments: &RawJson) -> Result<Self, ArgumentError> {
        let values = if arguments.is_null() {
            RawObject::new()
        } else {
            RawObject::from_json(arguments)
                .map_err(|_| ArgumentError::NotAnObject { value: shown(arguments.as_str()) })?
        };
        Ok(Self { values, used: HashSet::new() })
    }

    /// Takes an argument, and checks its kind. Null counts as absent if the argument is optional and cannot be null.
    pub(super) fn take(
        &mut self,
        argument: &str,
        kinds: Kinds,
        is_required: bool,
    ) -> Result<Option<RawJson>, ArgumentError> {
        self.used.insert(argument.to_owned());
        let missing =
            || ArgumentError::Missing { argument: argument.to_owned(), expected: kinds.to_string() };
        let Some(value) = self.values.get(argument) else {
            return if is_required { Err(missing()) } else { Ok(None) };
        };
        if value.is_null() && !is_required && !kinds.has(Kind::Null) {
            return Ok(None);
        }
        if !kinds.has(kind_of(value)) {
            return Err(invalid(argument, value, kinds.to_string()));
        }
        Ok(Some(value.clone()))
    }

    /// Returns whether an argument is present and not null.
    pub(super) fn has(&self, argument: &str) -> bool {
        self.values.get(argument).is_some_and(|value| !value.is_null())
    }

    /// Takes all arguments that are left.
    pub(super) fn take_rest(&mut self) -> Vec<(String, RawJson)> {
        let rest = self.values.iter().filter(|(name, _)| !self.used.contains(*name));
        let rest: Vec<(String, RawJson)> =
            rest.map(|(name, value)| (name.to_owned(), value.clone())).collect();
        self.used.extend(rest.iter().map(|(name, _)| name.clone()));
        rest
    }

    /// Refuses arguments that nothing has taken.
    pub(super) fn finish<'a>(self, names: impl Iterator<Item = &'a str>) -> Result<(), ArgumentError> {
        let Some((argument, _)) = self.values.iter().find(|(name, _)| !self.used.contains(*name)) else {
            return Ok(());
        };
        let mut names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
        let count = names.len();
        names.truncate(MAX_NAMES);
        let expected = match (names.is_empty(), count.checked_sub(MAX_NAMES).filter(|more| *more > 0)) {
            (true, _) => "no arguments".to_owned(),
            (false, None) => format!("one of {}", names.join(", ")),
            (false, Some(more)) => format!("one of {} and {more} more", names.join(", ")),
        };
        Err(ArgumentError::Unknown { argument: shown(argument), expected })
    }
}

/// Returns an error about the value of an argument.
pub(super) fn invalid(argument: &str, value: &RawJson, expected: impl Into<String>) -> ArgumentError {
    ArgumentError::Invalid {
        argument: argument.to_owned(),
        value: shown(value.as_str()),
        expected: expected.into(),
    }
}
