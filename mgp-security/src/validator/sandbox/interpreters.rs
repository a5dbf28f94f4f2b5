//! Judges shells and other interpreters.

use super::{
    finding::Finding,
    judge::{INERT, Run, ScriptJudge},
    options,
    paths::judge_write,
    programs::{Kind, Program},
};
use crate::validator::shell::{OPAQUE, Word};

impl ScriptJudge<'_> {
    pub(super) fn shell(&mut self, name: &str, run: &Run) {
        let arguments = &run.words[1..];
        if ["source", "."].contains(&name) {
            let file = arguments.first().and_then(Word::known).unwrap_or_default();
            self.run_files();
            let environment = file.ends_with("bin/activate") && !file.starts_with(['/', '~']);
            if !environment {
                self.doubt("a script in a file");
            }
            return;
        }
        let (mut at, mut inline) = (0, false);
        while let Some(word) =
            arguments.get(at).filter(|word| word.text.starts_with(['-', '+']) && word.text.len() > 1)
        {
            let Some(option) = word.known() else { return self.doubt("a shell whose options are not known") };
            let short = !option.starts_with("--");
            inline |= short && option.starts_with('-') && option.contains('c');
            if option == "--" {
                at += 1;
                break;
            }
            if ["--version", "--help"].contains(&option) {
                return;
            }
            if short && option.contains('s')
                || !short && !["--noprofile", "--norc", "--login", "--posix"].contains(&option)
            {
                return self.harm("a shell");
            }
            at += if short && option.contains(['o', 'O']) { 2 } else { 1 };
        }
        if inline {
            return match arguments.get(at).and_then(Word::known) {
                Some(script) => self.script(script.to_owned()),
                None => self.doubt("a shell that runs what is known only when it runs"),
            };
        }
        match (arguments.get(at), &run.input) {
            (Some(_), _) => {
                self.run_files();
                self.doubt("a script in a file");
            }
            (None, Some(input)) if !input.contains(OPAQUE) => self.script(input.clone()),
            (None, _) => self.harm("a shell"),
        }
    }

    pub(super) fn interpreter(
        &mut self,
        name: &str,
        (inline, modules, valued): (&str, &str, &str),
        run: &Run,
    ) {
        let arguments = &run.words[1..];
        if self.is_harmless_code(name, inline, arguments) {
            return self.composes();
        }
        let harmless = ["--version", "-V", "-v", "--help", "-h", "-l", "--check"];
        if let [only] = arguments
            && harmless.contains(&only.text.as_str())
        {
            return;
        }
        let php_check = name == "php" && arguments.first().is_some_and(|word| word.text == "-l");
        if php_check {
            return;
        }
        let mut end = 0;
        while let Some(word) =
            arguments.get(end).filter(|word| word.text.starts_with('-') && word.text.len() > 1)
        {
            let flags = [
                "-u",
                "-B",
                "-O",
                "-OO",
                "-s",
                "-I",
                "-E",
                "-q",
                "-w",
                "-T",
                "--no-warnings",
                "--test",
                "--watch",
                "--trace-warnings",
                "--check",
            ];
            let text = word.text.as_str();
            let values = valued.split(' ').any(|option| option == text);
            let settings = ["--max-old-space-size=", "--experimental-", "-W", "-X", "-m"]
                .iter()
                .any(|start| text.starts_with(start) && !text.contains("loader"));
            if !(values || settings || flags.contains(&text)) {
                self.note(Some(Finding::doubt(format!("an option of {name} that is not known"))));
            }
            end += if values { 2 } else { 1 };
        }
        let module = arguments.iter().position(|word| word.text.starts_with("-m") && !modules.is_empty());
        if let Some(at) = module.filter(|at| *at <= end) {
            let named = arguments[at].known().map(|text| text.trim_start_matches("-m"));
            let (named, rest) = match named {
                Some("") => (arguments.get(at + 1).and_then(Word::known), at + 2),
                named => (named, at + 1),
            };
            self.run_files();
            return match named {
                Some("pip") => {
                    let rest = arguments.get(rest..).unwrap_or_default();
                    self.run([&[Word::literal("pip")], rest].concat());
                }
                Some(named) if modules.split(' ').any(|module| module == named) => {
                    let files = arguments.get(rest..).unwrap_or_default();
                    files.iter().for_each(|word| self.note(judge_write(word)));
                    self.build(named, files);
                    if Program::named(named).is_some_and(|program| program.kind == Kind::Builds) {
                        self.run([&[Word::literal(named)], files].concat());
                    }
                }
                _ => self.note(Some(Finding::doubt(format!("a module that {name} runs")))),
            };
        }
        let code = options::find(&arguments[..end.min(arguments.len())], inline, false).is_some();
        let operands = options::operands(arguments, valued);
        if code {
            let text: String = arguments.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
            return self.code(&text);
        }
        match operands.first() {
            Some(word) if word.text == "-" => {
                self.code(run.input.as_deref().unwrap_or(if run.piped { "\0" } else { "" }));
            }
            None => self.code(run.input.as_deref().unwrap_or(if run.piped { "\0" } else { "" })),
            Some(word) => {
                self.run_files();
                let outside = word.text.starts_with(['/', '~', OPAQUE]) || word.text.contains("..");
                if INERT.iter().any(|end| word.text.ends_with(end)) {
                    self.doubt("a program in a file of text");
                }
                if outside || word.known().is_none() {
                    self.doubt("a program in a file outside the folder");
                }
            }
        }
    }

    /// Judges code in another language than the shell's, which is not read here.
    pub(super) fn code(&mut self, text: &str) {
        let harmful = [
            "rm -rf",
            "rmtree('/",
            "/dev/tcp",
            "/etc/shadow",
            "/bin/sh",
            "/bin/bash",
            "pty.spawn",
            "os.dup2",
            "\0",
        ];
        if harmful.iter().any(|word| text.contains(word)) {
            self.harm("inline code for an interpreter");
        } else {
            self.doubt("inline code for an interpreter");
        }
    }
}
