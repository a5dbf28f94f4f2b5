//! Judges uses of individual programs that the table does not describe.

use super::{
    judge::{Run, ScriptJudge},
    options, uncommon, variables,
};
use crate::validator::shell::Word;

impl ScriptJudge<'_> {
    /// Judges uses that the kind of a program does not cover.
    pub(super) fn odd_uses(&mut self, name: &str, run: &Run) {
        let arguments = &run.words[1..];
        let any = |test: &dyn Fn(&str) -> bool| arguments.iter().any(|word| test(&word.text));
        if let Some(what) = uncommon::doubt(name, run) {
            self.doubt(what);
        }
        match name {
            "unset" => self.sets(&options::operands(arguments, "")),
            "getopts" => {
                self.sets(&options::operands(arguments, "").get(1).copied().into_iter().collect::<Vec<_>>());
            }
            "wait" => {
                let at = arguments.iter().position(|word| word.text == "-p");
                self.sets(&at.and_then(|at| arguments.get(at + 1)).into_iter().collect::<Vec<_>>());
            }
            "ls" if !run.piped
                && any(&|text| {
                    text.starts_with('-')
                        && !text.starts_with("--")
                        && text.contains(['a', 'A'])
                        && !text.contains('l')
                }) =>
            {
                self.composes();
            }
            "locate" if any(&|text| text.starts_with("-r") || text.contains("id_")) => self.composes(),
            "dasel" if any(&|text| ["put", "delete"].contains(&text)) => {
                let at = arguments.iter().position(|word| word.text == "-f");
                match at.and_then(|at| arguments.get(at + 1)) {
                    Some(file) => self.write(file),
                    None => self.changes_files(),
                }
            }
            "grep" | "rg" | "ag" | "git" | "find" | "fd" if any(&seeks_secrets) => {
                self.doubt("a search for secrets");
            }
            "date" => {
                let sets = |text: &str| {
                    let letters = text
                        .strip_prefix('-')
                        .filter(|letters| !letters.starts_with('-'))
                        .unwrap_or_default();
                    letters.split(['I', 'd', 'r', 'f']).next().is_some_and(|letters| letters.contains('s'))
                };
                if any(&sets) {
                    self.doubt("a change of the clock");
                }
                let operands = options::operands(arguments, "-d --date -r --reference -f --file -v -j");
                if operands.iter().any(|word| !word.text.starts_with('+')) {
                    self.doubt("a change of the clock");
                }
            }
            "read" => {
                for word in options::operands(arguments, "-d -n -p -t -u -N -i") {
                    self.note(variables::judge(&word.text, &Word::literal("value"), true));
                }
            }
            "unzip" => self.unpack(arguments),
            _ => {}
        }
    }

    /// Judges names of variables that a builtin sets or removes.
    fn sets(&mut self, names: &[&Word]) {
        for name in names {
            self.note(variables::judge(&name.text, &Word::literal("value"), true));
        }
    }

    fn unpack(&mut self, arguments: &[Word]) {
        if options::find(arguments, "-l -p -t -v -Z", false).is_none() {
            self.changes_files();
        }
        for (at, word) in arguments.iter().enumerate() {
            let folder = match word.text.strip_prefix("-d") {
                Some("") => arguments.get(at + 1).cloned(),
                Some(glued) => Some(word.with_text(glued)),
                None => None,
            };
            if let Some(folder) = folder {
                self.write(&folder);
            }
        }
    }
}

/// Returns whether options of `set` export every variable, or take words anywhere as variables.
pub(super) fn exports(text: &str) -> bool {
    let letters = text
        .strip_prefix('-')
        .filter(|letters| letters.chars().all(|c| c.is_ascii_alphabetic()))
        .unwrap_or_default();
    letters.contains(['a', 'k']) || ["allexport", "keyword"].contains(&text)
}

/// Returns whether an argument of a search is a pattern for tokens, or for the names of hidden files.
fn seeks_secrets(text: &str) -> bool {
    let tokens = ["ghp_", "sk-[", "AKIA", "PRIVATE KEY", "xoxb-", "\\.e[", "^\\.e", "/\\.e"];
    let name = text.rsplit(['=', '/', ':']).next().unwrap_or_default();
    let hidden = name.strip_prefix('.').is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_alphabetic())
            && rest.contains(['*', '?', '['])
            && !rest.contains(['(', '+', ' '])
    });
    tokens.iter().any(|token| text.contains(token))
        || hidden
        || name == "*.env"
        || name == "*.pem"
        || name == "*.key"
}

/// Returns whether a program of `jq` reads the environment.
pub(super) fn names_environment(text: &str) -> bool {
    let name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '"' | '$' | '-' | '/');
    text.contains("$ENV")
        || text.match_indices("env").any(|(at, found)| {
            let behind = &text[at + found.len()..];
            !text[..at].ends_with(name)
                && !behind.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '"' | ':' | '-'))
        })
}

/// Returns whether an argument of a pager is a command other than a movement.
pub(super) fn runs_command(text: &str) -> bool {
    text.strip_prefix('+').is_some_and(|command| {
        command.contains(['!', '|'])
            || !command.starts_with(['/', '?', 'G', 'F', 'g']) && !command.bytes().all(|b| b.is_ascii_digit())
    })
}
