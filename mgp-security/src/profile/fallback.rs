//! §8.2 What a plain MCP server's tool does, guessed from its name and schema.
//!
//! Only what takes a whole command or program counts. A guess that is too wide would break servers that have nothing
//! to do with it, so `code` alone (of a country, of a currency) needs a second sign.

use mgp_types::{
    json::{RawJson, RawObject},
    tool_security::ValidatorName,
};

/// Arguments that hold a command line.
const COMMANDS: &[&str] =
    &["command", "commands", "cmd", "cmdline", "commandline", "shell", "shellcommand", "bash", "bashcommand"];

/// Arguments that hold a program.
const PROGRAMS: &[&str] = &["sourcecode", "pythoncode", "jscode", "javascript", "python", "codesnippet"];

/// Arguments that hold a program where something else says so.
const PERHAPS: &[&str] = &["code", "script", "source", "snippet", "program", "function", "expression"];

/// Words in a tool's name that say it runs programs.
const RUNS: &[&str] = &[
    "run",
    "exec",
    "execute",
    "eval",
    "evaluate",
    "interpret",
    "interpreter",
    "repl",
    "python",
    "javascript",
];

/// Words in a tool's name that say it runs a shell.
const SHELLS: &[&str] = &["shell", "bash", "sh", "zsh", "powershell", "terminal", "cmd", "command"];

/// The validator that a tool's name and schema ask for.
pub(super) fn fallback_validator(name: &str, schema: Option<&RawJson>) -> Option<ValidatorName> {
    let words = words(name);
    let named = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let properties = RawObject::from_json(schema?).ok()?.object("properties")?;
    let mut guess = None;
    for (key, property) in properties.iter() {
        let key: String = words_of_key(key);
        let key = key.as_str();
        if !takes_text(property) {
            continue;
        }
        if COMMANDS.contains(&key) || (PERHAPS.contains(&key) && named(SHELLS)) {
            return Some(ValidatorName::Sandbox);
        }
        if PROGRAMS.contains(&key) || (PERHAPS.contains(&key) && named(RUNS)) {
            guess = Some(ValidatorName::CodeSafety);
        }
    }
    guess
}

/// A string, or a list of them. A schema that gives no type may take one.
fn takes_text(property: &RawJson) -> bool {
    let Ok(schema) = RawObject::from_json(property) else { return true };
    // A choice among fixed values holds no program.
    if schema.get("enum").is_some() || schema.get("const").is_some() {
        return false;
    }
    schema
        .get("type")
        .is_none_or(|kind| kind.as_str().contains("\"string\"") || kind.as_str().contains("\"array\""))
}

fn words_of_key(key: &str) -> String {
    key.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// The words of a name in snake, kebab or camel case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && lower) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        lower = c.is_lowercase();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guess(name: &str, properties: &str) -> Option<ValidatorName> {
        let schema = RawJson::parse(format!(r#"{{"type":"object","properties":{properties}}}"#)).unwrap();
        fallback_validator(name, Some(&schema))
    }

    #[test]
    fn a_tool_that_takes_a_command_gets_the_sandbox() {
        for (name, properties) in [
            ("x", r#"{"command":{"type":"string"}}"#),
            ("x", r#"{"cmd":{}}"#),
            ("x", r#"{"shell_command":{"type":["string","null"]}}"#),
            ("x", r#"{"command":{"type":"array","items":{"type":"string"}}}"#),
            ("run_bash", r#"{"script":{"type":"string"}}"#),
            ("ShellExec", r#"{"code":{"type":"string"}}"#),
        ] {
            assert_eq!(guess(name, properties), Some(ValidatorName::Sandbox), "{name} {properties}");
        }
    }

    #[test]
    fn a_tool_that_takes_a_program_gets_code_safety() {
        for (name, properties) in [
            ("run_python", r#"{"code":{"type":"string"}}"#),
            ("executeScript", r#"{"script":{"type":"string"}}"#),
            ("browser_evaluate", r#"{"function":{"type":"string"}}"#),
            ("x", r#"{"source_code":{"type":"string"}}"#),
        ] {
            assert_eq!(guess(name, properties), Some(ValidatorName::CodeSafety), "{name} {properties}");
        }
    }

    #[test]
    fn a_code_that_is_no_program_asks_for_nothing() {
        for (name, properties) in [
            ("get_country", r#"{"code":{"type":"string"}}"#),
            ("convert", r#"{"currency_code":{"type":"string"}}"#),
            ("run", r#"{"code":{"type":"integer"}}"#),
            ("history", r#"{"command":{"enum":["undo","redo"]}}"#),
            ("read_file", r#"{"path":{"type":"string"}}"#),
        ] {
            assert_eq!(guess(name, properties), None, "{name} {properties}");
        }
    }

    #[test]
    fn a_missing_or_odd_schema_asks_for_nothing() {
        assert_eq!(fallback_validator("run_shell", None), None);
        assert_eq!(fallback_validator("run_shell", Some(&RawJson::null())), None);
    }
}
