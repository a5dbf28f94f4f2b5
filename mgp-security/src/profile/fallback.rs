//! §8.2 The validator that a tool needs, guessed from its name, its description and its schema.
//!
//! Only an argument that takes a whole command or program counts. A guess that is too wide would break unrelated
//! servers. So `code`, which may also be that of a country or a currency, counts only with a second sign.

use super::schema::Arguments;
use crate::words::{joined, words};
use mgp_types::{
    json::{RawJson, RawObject},
    tool_security::ValidatorName,
};

/// Names of arguments that hold a command line.
const COMMANDS: &[&str] =
    &["command", "commands", "cmd", "cmdline", "commandline", "shell", "shellcommand", "bash", "bashcommand"];

/// Names of arguments that hold a program.
const PROGRAMS: &[&str] = &["sourcecode", "pythoncode", "jscode", "javascript", "python", "codesnippet"];

/// Names of arguments that hold a program if another sign confirms it.
const PERHAPS: &[&str] = &[
    "code",
    "script",
    "source",
    "snippet",
    "program",
    "function",
    "expression",
    "line",
    "lines",
    "cell",
    "cells",
];

/// Names of arguments that may hold anything, and hold a program if the tool is an interpreter or a description confirms it.
const ANYTHING: &[&str] = &["input"];

/// Words in a tool's name that indicate that the tool runs programs.
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

/// Words in a tool's name that indicate that the tool runs its input.
const INTERPRETERS: &[&str] = &["repl", "interpreter", "ipython", "eval"];

/// Words in a tool's name that indicate that the tool runs a shell.
const SHELLS: &[&str] = &["shell", "bash", "sh", "zsh", "powershell", "terminal", "cmd", "command"];

/// Words in a text that indicate that something is run.
const RUNNING: &[&str] = &[
    "run",
    "runs",
    "running",
    "exec",
    "execute",
    "executes",
    "executed",
    "executing",
    "eval",
    "evaluate",
    "evaluates",
    "evaluated",
    "evaluating",
    "interpret",
    "interprets",
    "interpreted",
];
/// Words in a text for things that a shell runs.
const OF_SHELLS: &[&str] = &["command", "commands", "shell", "bash", "zsh", "terminal", "powershell"];
/// Words in a text for programs.
const OF_PROGRAMS: &[&str] = &[
    "code",
    "script",
    "scripts",
    "program",
    "programs",
    "python",
    "javascript",
    "snippet",
    "snippets",
    "cell",
    "cells",
];
/// The most words between the object that is run and the word for running.
const BETWEEN: usize = 4;
/// The most bytes of a description that are read.
const MAX_TEXT: usize = 16 * 1024;

/// A guess about a tool's input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Guess {
    /// The validator that the tool's name, description and schema suggest.
    pub(super) validator: Option<ValidatorName>,
    /// True if anything suggests that the tool takes a command or a program.
    pub(super) takes_commands: bool,
}

impl Guess {
    /// Guesses from a tool's name, description and schema.
    pub(super) fn of(name: &str, description: Option<&str>, schema: Option<&RawJson>) -> Self {
        let words = words(name);
        let said = description.and_then(run_in);
        let validator = schema.and_then(|schema| by_arguments(&words, said.as_ref(), schema));
        let runs = |word: &String| RUNS.contains(&word.as_str()) || SHELLS.contains(&word.as_str());
        let takes_commands = words.iter().any(runs) || said.is_some() || validator.is_some();
        Self { validator, takes_commands }
    }
}

/// Returns the validator that the arguments of a tool suggest. `words` are the words of the tool's name; `said` is the validator for
/// the object that the tool runs according to its description.
fn by_arguments(words: &[String], said: Option<&ValidatorName>, schema: &RawJson) -> Option<ValidatorName> {
    let Ok(Arguments { named, mut look }) = Arguments::read(schema) else {
        // The arguments are unknown.
        return Some(ValidatorName::Sandbox);
    };
    let is_named = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let mut guess = None;
    for (name, schema) in &named {
        let key = joined(name);
        let among = |list: &[&str]| list.contains(&key.as_str());
        let holds_commands = among(COMMANDS);
        if !(holds_commands || [PERHAPS, ANYTHING, PROGRAMS].into_iter().any(among))
            || !look.finds_text(schema, holds_commands)
        {
            continue;
        }
        if holds_commands {
            return Some(ValidatorName::Sandbox);
        }
        if among(PROGRAMS) {
            guess = Some(ValidatorName::CodeSafety);
            continue;
        }
        let runs = if among(PERHAPS) { RUNS } else { INTERPRETERS };
        let said = said.cloned().or_else(|| run_in(&description_of(schema)?));
        if is_named(SHELLS) || said == Some(ValidatorName::Sandbox) {
            return Some(ValidatorName::Sandbox);
        }
        if is_named(runs) || said.is_some() {
            guess = Some(ValidatorName::CodeSafety);
        }
    }
    guess
}

/// Words that name a language, and the language's name.
const LANGUAGES: &[(&str, &str)] = &[
    ("python", "python"),
    ("python3", "python"),
    ("py", "python"),
    ("ipython", "python"),
    ("jupyter", "python"),
    ("javascript", "javascript"),
    ("js", "javascript"),
    ("node", "javascript"),
    ("typescript", "typescript"),
    ("ts", "typescript"),
    ("bash", "bash"),
];

/// Returns the language that a tool's name and description mention, if it is exactly one.
pub(super) fn language_of(name: &str, description: Option<&str>) -> Option<&'static str> {
    let text = description.unwrap_or_default();
    let text = &text[..text.floor_char_boundary(MAX_TEXT)];
    let said = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    let mut spoken_of = words(name)
        .into_iter()
        .chain(said)
        .filter_map(|word| LANGUAGES.iter().find(|(known, _)| *known == word).map(|(_, language)| *language));
    let first = spoken_of.next()?;
    spoken_of.all(|language| language == first).then_some(first)
}

fn description_of(schema: &RawJson) -> Option<String> {
    RawObject::from_json(schema).ok()?.text("description")
}

/// Returns the validator for the object that is run according to a text.
fn run_in(text: &str) -> Option<ValidatorName> {
    let end = text.floor_char_boundary(MAX_TEXT);
    text[..end].split(['.', '!', '?', ';', '\n']).find_map(|sentence| {
        let words: Vec<String> = sentence
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        words.iter().enumerate().find_map(|(at, word)| {
            let validator = if OF_SHELLS.contains(&word.as_str()) {
                ValidatorName::Sandbox
            } else if OF_PROGRAMS.contains(&word.as_str()) {
                ValidatorName::CodeSafety
            } else {
                return None;
            };
            let near = &words[at.saturating_sub(BETWEEN + 1)..words.len().min(at + BETWEEN + 2)];
            near.iter().any(|word| RUNNING.contains(&word.as_str())).then_some(validator)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fallback_validator(
        name: &str,
        description: Option<&str>,
        schema: Option<&RawJson>,
    ) -> Option<ValidatorName> {
        Guess::of(name, description, schema).validator
    }

    fn guess(name: &str, properties: &str) -> Option<ValidatorName> {
        let schema = RawJson::parse(format!(r#"{{"type":"object","properties":{properties}}}"#)).unwrap();
        fallback_validator(name, None, Some(&schema))
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
    fn a_code_that_is_not_a_program_adds_no_validator() {
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
    fn a_command_is_found_anywhere_in_a_schema() {
        for schema in [
            r#"{"properties":{"task":{"type":"object","properties":{"command":{"type":"string"}}}}}"#,
            r#"{"properties":{"steps":{"type":"array","items":{"properties":{"cmd":{"type":"string"}}}}}}"#,
            r#"{"properties":{"steps":{"type":"array","prefixItems":[{"properties":{"cmd":{}}}]}}}"#,
            r#"{"anyOf":[{"properties":{"x":{}}},{"properties":{"command":{"type":"string"}}}]}"#,
            r#"{"oneOf":[{"allOf":[{"properties":{"command":{"type":"string"}}}]}]}"#,
            r##"{"$ref":"#/$defs/a","$defs":{"a":{"properties":{"b":{"$ref":"#/$defs/b"}}},
                "b":{"properties":{"command":{"type":"string"},"again":{"$ref":"#/$defs/a"}}}}}"##,
            r##"{"properties":{"command":{"$ref":"#/definitions/text"}},"definitions":{"text":{"type":"string"}}}"##,
            r#"{"properties":{"command":{"anyOf":[{"type":"string"},{"type":"null"}]}}}"#,
            r#"{"properties":{"command":{"type":"object","properties":{"program":{"type":"string"}}}}}"#,
            r#"{"if":{},"then":{"properties":{"command":{"type":"string"}}}}"#,
            r#"{"patternProperties":{"^x":{"properties":{"command":{"type":"string"}}}}}"#,
        ] {
            let schema = RawJson::parse(schema).unwrap();
            assert_eq!(
                fallback_validator("x", None, Some(&schema)),
                Some(ValidatorName::Sandbox),
                "{schema}"
            );
        }
    }

    #[test]
    fn an_ambiguous_argument_counts_if_the_tool_name_runs_it() {
        for (name, properties, validator) in [
            ("terminal_send", r#"{"input":{"type":"string"}}"#, ValidatorName::Sandbox),
            ("bash", r#"{"line":{"type":"string"}}"#, ValidatorName::Sandbox),
            ("execute_cell", r#"{"cell":{"type":"string"}}"#, ValidatorName::CodeSafety),
            ("python_repl", r#"{"input":{"type":"string"}}"#, ValidatorName::CodeSafety),
            ("evaluate", r#"{"expression":{"type":"string"}}"#, ValidatorName::CodeSafety),
        ] {
            assert_eq!(guess(name, properties), Some(validator), "{name} {properties}");
        }
        for (name, properties) in [
            ("translate", r#"{"input":{"type":"string"}}"#),
            ("read_cell", r#"{"cell":{"type":"string"},"line":{"type":"string"}}"#),
            ("search", r#"{"expression":{"type":"string"}}"#),
        ] {
            assert_eq!(guess(name, properties), None, "{name} {properties}");
        }
    }

    #[test]
    fn a_description_can_declare_that_an_argument_is_run() {
        let guess = |description: &str, properties: &str| {
            let schema = RawJson::parse(format!(r#"{{"properties":{properties}}}"#)).unwrap();
            fallback_validator("x", Some(description), Some(&schema))
        };
        let input = r#"{"input":{"type":"string"}}"#;
        for (description, validator) in [
            ("Runs a command in the user's shell.", ValidatorName::Sandbox),
            ("The command that you give is executed.", ValidatorName::Sandbox),
            ("Executes a snippet of Python code", ValidatorName::CodeSafety),
            ("Keeps state. Evaluates one cell of the notebook", ValidatorName::CodeSafety),
        ] {
            assert_eq!(guess(description, input), Some(validator), "{description}");
        }
        let property = r#"{"line":{"type":"string","description":"The shell command to execute"}}"#;
        assert_eq!(guess("Helps", property), Some(ValidatorName::Sandbox));
        for description in [
            "Translates a text",
            "Runs a model on the text that you give",
            "Looks up a postal code. Runs daily",
            "Shows the commands of an editor",
        ] {
            assert_eq!(guess(description, input), None, "{description}");
        }
        assert_eq!(guess("Runs a command", r#"{"path":{"type":"string"}}"#), None, "no argument of it");
        let takes_commands = |name, description| Guess::of(name, description, None).takes_commands;
        assert!(takes_commands("x", Some("Runs a command")) && takes_commands("runTask", None));
        assert!(!takes_commands("add_note", Some("Keeps a note")));
    }

    #[test]
    fn an_ambiguous_schema_gets_the_sandbox() {
        let twice = RawJson::parse(r#"{"properties":{"a":{},"a":{"const":1}}}"#).unwrap();
        assert_eq!(fallback_validator("x", None, Some(&twice)), Some(ValidatorName::Sandbox));
    }

    #[test]
    fn a_missing_or_odd_schema_adds_no_validator() {
        assert_eq!(fallback_validator("run_shell", None, None), None);
        assert_eq!(fallback_validator("run_shell", None, Some(&RawJson::null())), None);
    }
    #[test]
    fn a_guess_is_fast_despite_many_references_to_a_large_part() {
        let large = vec!["1"; 1 << 19].join(",");
        let choices = vec![r##"{"$ref":"#/$defs/x"}"##; 9000].join(",");
        let text = format!(
            r##"{{"properties":{{"command":{{"anyOf":[{choices}]}}}},"$defs":{{"x":{{"type":"integer","x":[{large}]}}}}}}"##
        );
        let schema = RawJson::parse(text).unwrap();
        assert_eq!(
            fallback_validator("x", None, Some(&schema)),
            Some(ValidatorName::Sandbox),
            "past the bound"
        );
    }

    #[test]
    fn a_description_is_read_once_for_any_number_of_arguments() {
        let description = format!("{} a b c d e f g {}", "code ".repeat(1500), "run ".repeat(1500));
        let properties: Vec<String> = (0..4000)
            .map(|at| format!(r#""p{at}":{{"properties":{{"input":{{"type":"string"}}}}}}"#))
            .collect();
        let schema = RawJson::parse(format!(r#"{{"properties":{{{}}}}}"#, properties.join(","))).unwrap();
        assert_eq!(fallback_validator("x", Some(&description), Some(&schema)), None);
    }
}
