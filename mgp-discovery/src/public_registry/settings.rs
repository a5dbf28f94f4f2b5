//! Turns the inputs of an entry into values of a configuration: given values, defaults, and a variable for each other input.

use super::{
    Argument, Input,
    budget::Budget,
    input::ArgumentKind,
    names::{one_line, variable},
    way::Need,
};
use std::collections::{BTreeMap, BTreeSet};

/// The most values of each kind that an entry may request.
const MAX_INPUTS: usize = 100;

/// The longest description of a value, in characters.
const MAX_LINE: usize = 160;

/// The greatest depth of variables within variables.
const MAX_DEPTH: usize = 4;

/// The values that a way needs from its user, collected while the way is put together.
#[derive(Debug)]
pub(super) struct NeedList<'a> {
    names: InputNames,
    budget: &'a mut Budget,
    /// The values of the user.
    given: &'a BTreeMap<String, String>,
}

/// The inputs of a way: those that need a value, and the names of those that were given.
#[derive(Debug, Default)]
pub(super) struct InputNames {
    pub(super) needs: Vec<Need>,
    pub(super) used: BTreeSet<String>,
}

impl<'a> NeedList<'a> {
    /// Creates an empty collection. Filled-in values are charged to the budget of the whole entry.
    pub(super) fn new(budget: &'a mut Budget, given: &'a BTreeMap<String, String>) -> Self {
        Self { names: InputNames::default(), budget, given }
    }

    pub(super) fn into_names(self) -> InputNames {
        self.names
    }

    /// Returns the value of an input, or `None` if the input is optional and has no value and no default.
    pub(super) fn value(&mut self, name: &str, input: &Input) -> Result<Option<String>, String> {
        self.resolve(name, input, input.is_required(), 0)
    }

    fn resolve(
        &mut self,
        name: &str,
        input: &Input,
        required: bool,
        depth: usize,
    ) -> Result<Option<String>, String> {
        if let Some(value) = &input.value {
            return self.filled(value, input.variables.as_ref(), depth).map(Some);
        }
        self.budget.value()?;
        if let Some(value) = self.given.get(name) {
            self.budget.text(value)?;
            fits(name, input, value)?;
            self.names.used.insert(name.to_owned());
            return Ok(Some(value.clone()));
        }
        if let Some(default) = &input.default {
            self.budget.text(default)?;
            return Ok(Some(literal(default)));
        }
        self.note(name, input, required);
        Ok(required.then(|| format!("${{{}}}", variable(name))))
    }

    /// Returns a text with its `{names}` filled in. A name without a variable stays unchanged.
    pub(super) fn filled(
        &mut self,
        text: &str,
        variables: Option<&BTreeMap<String, Input>>,
        depth: usize,
    ) -> Result<String, String> {
        self.budget.value()?;
        self.budget.text(text)?;
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('{') {
            let (before, inside) = rest.split_at(at);
            let input = placeholder(inside).and_then(|name| Some((name, variables?.get(name)?)));
            let Some((name, input)) = input.filter(|_| depth < MAX_DEPTH) else {
                add(&mut out, &literal(&rest[..=at]));
                rest = &rest[at + 1..];
                continue;
            };
            add(&mut out, &literal(before));
            // A value within a text is always required.
            let value = self.resolve(name, input, true, depth + 1)?.unwrap_or_default();
            add(&mut out, &value);
            rest = &inside[name.len() + 2..];
        }
        add(&mut out, &literal(rest));
        Ok(out)
    }

    /// Records a value that the user must or may supply.
    fn note(&mut self, name: &str, input: &Input, required: bool) {
        let variable = variable(name);
        let described = input.description.as_deref().or(input.placeholder.as_deref()).unwrap_or_default();
        let mut what = one_line(described, MAX_LINE);
        if let Some(choices) = &input.choices {
            let choices = listed(choices);
            what = if what.is_empty() {
                format!("one of {choices}")
            } else {
                format!("{what}; one of {choices}")
            };
        }
        let need = Need { variable, of: one_line(name, 64), what, required, secret: input.is_secret() };
        if !self.names.needs.contains(&need) {
            self.names.needs.push(need);
        }
    }

    /// Returns the arguments of a command line.
    pub(super) fn arguments(&mut self, arguments: Option<&[Argument]>) -> Result<Vec<String>, String> {
        let arguments = within_bounds("arguments", arguments)?;
        let mut out = Vec::new();
        for argument in arguments {
            let flag = argument.input.name.as_deref().filter(|flag| !flag.is_empty());
            match (argument.kind, flag) {
                (ArgumentKind::Named, None) => return Err("a named argument has no name".to_owned()),
                (ArgumentKind::Named, Some(flag)) if argument.is_switch() => out.push(literal(flag)),
                (ArgumentKind::Named, Some(flag)) => {
                    let Some(value) = self.value(flag.trim_start_matches('-'), &argument.input)? else {
                        continue;
                    };
                    if flag.starts_with("--") {
                        out.push(format!("{}={value}", literal(flag)));
                    } else {
                        out.extend([literal(flag), value]);
                    }
                }
                (ArgumentKind::Positional, _) => {
                    let name = argument.value_hint.as_deref().or(flag).unwrap_or("argument");
                    out.extend(self.value(name, &argument.input)?);
                }
            }
        }
        Ok(out)
    }

    /// Returns variables or headers with their values, by name.
    pub(super) fn named(
        &mut self,
        what: &'static str,
        inputs: Option<&[Input]>,
    ) -> Result<BTreeMap<String, String>, String> {
        let mut out = BTreeMap::new();
        for input in within_bounds(what, inputs)? {
            let Some(name) = input.name.as_deref().filter(|name| !name.is_empty()) else {
                return Err(format!("one of its {what} has no name"));
            };
            if let Some(value) = self.value(name, input)? {
                out.insert(name.to_owned(), value);
            }
        }
        Ok(out)
    }
}

/// Checks a given value by the kind and the choices of its input. A value with variables is not known yet.
fn fits(name: &str, input: &Input, value: &str) -> Result<(), String> {
    let refused = |expected: String| {
        Err(format!("{}: {:?}: expected {expected}", one_line(name, 64), one_line(value, 64)))
    };
    if value.contains("${") || (value.is_empty() && !input.is_required()) {
        return Ok(());
    }
    match (input.choices.as_deref().unwrap_or_default(), input.format.as_deref()) {
        ([], Some("number")) if value.parse::<f64>().is_err() => refused("a number".to_owned()),
        ([], Some("boolean")) if !matches!(value, "true" | "false") => refused("true or false".to_owned()),
        ([], _) => Ok(()),
        (choices, _) if choices.iter().any(|choice| choice == value) => Ok(()),
        (choices, _) => refused(format!("one of {}", listed(choices))),
    }
}

fn within_bounds<'a, T>(what: &str, inputs: Option<&'a [T]>) -> Result<&'a [T], String> {
    let inputs = inputs.unwrap_or_default();
    if inputs.len() > MAX_INPUTS {
        return Err(format!("it has {} {what}: expected at most {MAX_INPUTS}", inputs.len()));
    }
    Ok(inputs)
}

/// Joins choices up to the length of a line.
fn listed(choices: &[String]) -> String {
    let mut line = String::new();
    for (number, choice) in choices.iter().enumerate() {
        if line.len() > 4 * MAX_LINE {
            break;
        }
        if number > 0 {
            line.push_str(", ");
        }
        line.push_str(&one_line(choice, MAX_LINE));
    }
    one_line(&line, MAX_LINE)
}

/// Returns the name at the beginning of a text that begins with a brace. The text is read only up to the next brace, so that a text
/// of nothing but braces is read once.
fn placeholder(text: &str) -> Option<&str> {
    let inside = &text[1..];
    let end = inside.find(['{', '}'])?;
    inside[end..].starts_with('}').then(|| &inside[..end])
}

/// Escapes a text, so that a configuration takes it literally.
pub(super) fn literal(text: &str) -> String {
    text.replace("${", "$${")
}

/// Adds a part to a text. A `$` and a `{` that only become adjacent here do not begin a variable either.
fn add(text: &mut String, part: &str) {
    if text.ends_with('$') && part.starts_with('{') {
        text.push('$');
    }
    text.push_str(part);
}
