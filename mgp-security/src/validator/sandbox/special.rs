//! Judges the programs that the table does not describe.

use super::{
    awk, fetch, files, git,
    judge::{Run, ScriptJudge},
    options,
    programs::Special,
    sed, variables,
};
use crate::validator::shell::{OPAQUE, Word};

impl ScriptJudge<'_> {
    pub(super) fn special(&mut self, special: Special, name: &str, run: &Run) {
        let arguments = &run.words[1..];
        match special {
            Special::Awk => awk::judge(self, arguments),
            Special::Sed => sed::judge(self, arguments),
            Special::Git => git::judge(self, arguments),
            Special::Find => files::find(self, arguments),
            Special::Remove => files::remove(self, arguments),
            Special::Chmod => files::chmod(self, name, arguments),
            Special::Dd => files::dd(self, arguments),
            Special::Tar => files::tar(self, arguments),
            Special::Fetch => fetch::judge(self, name, arguments),
            Special::Env => self.environment(arguments),
            Special::Declare => {
                if arguments.iter().all(|word| word.text == "-p" || word.text == "-x") {
                    self.doubt("the whole environment");
                }
                for word in arguments {
                    let (variable, value) = word.text.split_once('=').unwrap_or((&word.text, ""));
                    if variable.starts_with(OPAQUE) || word.splits && variable.contains(OPAQUE) {
                        self.doubt("a variable whose name is known only when the command runs");
                    } else if !variable.starts_with('-') {
                        self.note(variables::judge(variable, &Word::literal(value), name == "export"));
                    } else if variable.contains(['i', 'n', 'f', 'A']) {
                        self.doubt("a variable that is more than a text");
                    }
                }
            }
            Special::Eval => {
                let known: Option<Vec<&str>> = arguments.iter().map(Word::known).collect();
                match known {
                    Some(words) => self.script(words.join(" ")),
                    None => self.doubt("a command that is known only when it runs"),
                }
            }
            Special::Trap => match arguments {
                [] => {}
                [handler, ..] => match handler.known() {
                    Some("-" | "-l" | "-p") => {}
                    Some(handler) => self.script(handler.to_owned()),
                    None => self.harm("a command that is known only when it runs"),
                },
            },
            Special::Kill => {
                let broad = arguments.iter().any(|word| ["-1", "1", "0"].contains(&word.text.as_str()));
                let lists = arguments.first().is_some_and(|word| ["-l", "-0"].contains(&word.text.as_str()));
                match (broad && arguments.len() > 1, lists) {
                    (true, false) => self.harm("the end of every process"),
                    (_, true) => {}
                    _ => self.doubt("the end of another process"),
                }
            }
            Special::Crontab => {
                if !matches!(arguments, [only] if only.text == "-l") {
                    self.harm("a change of the system");
                }
            }
        }
    }

    pub(super) fn environment(&mut self, arguments: &[Word]) {
        let (mut rest, known) =
            options::behind(arguments, "-i -0 -v --ignore-environment --null", "-u --unset -C --chdir", 0);
        if !known {
            self.harm("an option of env that runs something");
        }
        for (at, word) in arguments[..arguments.len() - rest.len()].iter().enumerate() {
            let folder = match word.text.as_str() {
                "-C" | "--chdir" => arguments.get(at + 1).cloned(),
                text => text.strip_prefix("--chdir=").or(text.strip_prefix("-C")).map(Word::literal),
            };
            if let Some(folder) = folder {
                self.go_to(&[folder]);
            }
        }
        while let Some((name, value)) = rest.first().and_then(|word| word.text.split_once('=')) {
            let value = Word::literal(value);
            self.note(variables::judge(name, &value, true));
            rest = &rest[1..];
        }
        if rest.is_empty() {
            return self.doubt("the whole environment");
        }
        self.run(rest.to_vec());
    }
}
