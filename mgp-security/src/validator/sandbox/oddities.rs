//! Judges uses of single programs that the table does not describe.

use super::{
    judge::{Run, ScriptJudge},
    options,
    paths::judge_write,
    variables,
};
use crate::validator::shell::{RedirectKind, Word};

impl ScriptJudge<'_> {
    /// Judges uses that the kind of a program does not cover.
    pub(super) fn odd_uses(&mut self, name: &str, run: &Run) {
        let arguments = &run.words[1..];
        let any = |test: &dyn Fn(&str) -> bool| arguments.iter().any(|word| test(&word.text));
        let writes = run.redirects.iter().any(|redirect| {
            redirect.kind == RedirectKind::Write && !redirect.target.text.starts_with("/dev/")
        });
        let endless =
            name == "yes" || (name == "cat" && any(&|text| ["/dev/zero", "/dev/urandom"].contains(&text)));
        if writes && endless {
            self.doubt("a file of no bounds");
        }
        match name {
            "set" if arguments.is_empty() => self.doubt("the whole environment"),
            "ps" if arguments
                .first()
                .is_some_and(|word| !word.text.starts_with('-') && word.text.contains('e')) =>
            {
                self.doubt("the environment of other processes");
            }
            "jq" | "gojq" if any(&names_environment) => self.doubt("the whole environment"),
            "less" | "more" | "most" | "man" if any(&runs_command) => {
                self.doubt("a command of a pager");
            }
            "date" => {
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
            self.note(folder.as_ref().and_then(judge_write));
        }
    }
}

/// Returns whether a program of `jq` reads the environment.
fn names_environment(text: &str) -> bool {
    let name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '"' | '$' | '-' | '/');
    text.contains("$ENV")
        || text.match_indices("env").any(|(at, found)| {
            let behind = &text[at + found.len()..];
            !text[..at].ends_with(name)
                && !behind.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '"' | ':' | '-'))
        })
}

/// Returns whether an argument of a pager is a command other than to move.
fn runs_command(text: &str) -> bool {
    text.strip_prefix('+').is_some_and(|command| {
        !command.starts_with(['/', '?', 'G', 'F', 'g']) && !command.bytes().all(|b| b.is_ascii_digit())
    })
}
