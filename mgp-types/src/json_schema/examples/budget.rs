//! The bounds of the work for the examples of one schema.

use regex::Regex;
use serde_json::Value;
use std::collections::HashMap;

/// The work that may be done for all examples of a schema together, in steps. A step is about one byte that is copied or compared.
const MAX_STEPS: usize = 4 << 20;

/// The cost of visiting one schema, in steps.
const STEPS_OF_SCHEMA: usize = 64;

/// The cost of one regular expression that is compiled, in steps.
const STEPS_OF_PATTERN: usize = 16 << 10;

/// The cost of one byte that is compared with a regular expression, in steps.
const STEPS_OF_MATCH: usize = 16;

/// The work that is left, over all styles, and the regular expressions, each of which is compiled once.
#[derive(Debug)]
pub(super) struct Budget {
    left: usize,
    patterns: HashMap<String, Option<Regex>>,
    /// The number of regular expressions that were compiled.
    #[cfg(test)]
    pub(super) compiled: usize,
    /// The number of texts that were compared with a regular expression.
    #[cfg(test)]
    pub(super) matched: usize,
}

impl Budget {
    pub(super) fn new() -> Self {
        Self {
            left: MAX_STEPS,
            patterns: HashMap::new(),
            #[cfg(test)]
            compiled: 0,
            #[cfg(test)]
            matched: 0,
        }
    }

    /// Returns whether the budget is used up.
    pub(super) const fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// Takes the cost of some steps. Returns `None`, and uses up the budget, if fewer are left.
    pub(super) fn take(&mut self, steps: usize) -> Option<()> {
        let left = self.left.checked_sub(steps);
        self.left = left.unwrap_or(0);
        left.map(drop)
    }

    /// Takes the cost of visiting a schema.
    pub(super) fn look(&mut self) -> Option<()> {
        self.take(STEPS_OF_SCHEMA)
    }

    /// Returns a copy of a value, for its cost.
    pub(super) fn copy(&mut self, value: &Value) -> Option<Value> {
        self.weigh(value)?;
        Some(value.clone())
    }

    /// Takes the cost of a copy of a value. The nesting of schemas that are compiled is bounded.
    pub(super) fn weigh(&mut self, value: &Value) -> Option<()> {
        self.take(size_of::<Value>())?;
        match value {
            Value::String(text) => self.take(text.len()),
            Value::Array(items) => items.iter().try_for_each(|item| self.weigh(item)),
            Value::Object(members) => members.iter().try_for_each(|(name, member)| {
                self.take(name.len())?;
                self.weigh(member)
            }),
            _ => Some(()),
        }
    }

    /// Returns whether a text matches an expression. No text matches if the expression cannot be read, or if the work is too much.
    pub(super) fn is_match(&mut self, pattern: &str, text: &str) -> bool {
        let cost = STEPS_OF_SCHEMA + text.len().saturating_mul(STEPS_OF_MATCH);
        if self.take(cost).and_then(|()| self.compile(pattern)).is_none() {
            return false;
        }
        #[cfg(test)]
        {
            self.matched += 1;
        }
        self.patterns.get(pattern).and_then(Option::as_ref).is_some_and(|matcher| matcher.is_match(text))
    }

    /// Compiles an expression as checks of values do, unless it was compiled before. Returns `None` if it cannot be compiled.
    pub(super) fn compile(&mut self, pattern: &str) -> Option<()> {
        if let Some(known) = self.patterns.get(pattern) {
            return known.as_ref().map(drop);
        }
        self.take(STEPS_OF_PATTERN + pattern.len())?;
        #[cfg(test)]
        {
            self.compiled += 1;
        }
        let bytes = crate::json_schema::limits::PATTERN_BYTES;
        let matcher = regex::RegexBuilder::new(pattern).size_limit(bytes).dfa_size_limit(bytes).build().ok();
        self.patterns.entry(pattern.to_owned()).or_insert(matcher).as_ref().map(drop)
    }
}
