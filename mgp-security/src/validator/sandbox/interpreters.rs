//! Judges shells and other interpreters.

use super::{
    finding::Finding,
    judge::{Run, ScriptJudge},
    loaded::INERT,
    options,
    paths::judge_write,
    programs::{Kind, Program},
    project_names::is_project_script,
};
use crate::validator::shell::{OPAQUE, Word};

impl ScriptJudge<'_> {
    pub(super) fn shell(&mut self, name: &str, run: &Run) {
        let arguments = &run.words[1..];
        if ["source", "."].contains(&name) {
            let file = arguments.first().and_then(Word::known).unwrap_or_default();
            self.run_files();
            let environment =
                file.ends_with("bin/activate") && !file.starts_with(['/', '~']) && !file.contains("..");
            self.names(&arguments[..arguments.len().min(1)]);
            if !environment {
                self.doubt("a script in a file");
            }
            return;
        }
        let (mut at, mut inline) = (0, false);
        let foreign = ["zsh", "fish", "ksh", "csh", "tcsh"].contains(&name);
        let other =
            |text: &str| ["set ", "path", "!", "read ", "#", "(<"].iter().any(|part| text.contains(part));
        if foreign && arguments.iter().any(|word| other(&word.text)) {
            self.doubt("a script in the language of another shell");
        }
        if arguments.iter().take(2).any(|word| word.text.starts_with("-O")) {
            self.doubt("an option by which a shell reads patterns in another way");
        }
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
        let checks = arguments.iter().take(at).any(|word| word.text == "-n");
        match (arguments.get(at), &run.input) {
            (Some(file), _) if is_project_script(file) || self.is_own_script(file) => {
                self.names(std::slice::from_ref(file));
                if !checks {
                    self.run_files();
                }
            }
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
        let php_check = name == "php"
            && arguments.first().is_some_and(|word| word.text == "-l")
            && !arguments[1..].iter().any(|word| word.text.starts_with('-'));
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
            let python = !modules.is_empty();
            let settings = [
                "--max-old-space-size=",
                "--experimental-vm-",
                "--experimental-strip",
                "--experimental-transform",
                "--experimental-test",
                "--experimental-fetch",
                "--experimental-json",
                "--experimental-sqlite",
                "--experimental-worker",
            ]
            .iter()
            .any(|start| text.starts_with(start) && !text.contains("loader"))
                || python && ["-W", "-X", "-m"].iter().any(|start| text.starts_with(start));
            let value = text
                .get(2..)
                .filter(|glued| !glued.is_empty())
                .or_else(|| Some(arguments.get(end + 1)?.text.as_str()))
                .unwrap_or_default();
            let loads = python
                && (text.starts_with("-X") && value.contains("prefix")
                    || text.starts_with("-W") && value.contains('.'));
            if loads || !(values || settings || flags.contains(&text)) {
                self.note(Some(Finding::doubt(format!("an option of {name} that is not known"))));
            }
            if values
                && !python
                && arguments
                    .get(end + 1)
                    .is_some_and(|value| value.text.starts_with(['/', '~']) || value.text.contains(".."))
            {
                self.doubt("a folder outside the project");
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
                let at = arguments.iter().position(|other| std::ptr::eq(other, *word)).unwrap_or_default();
                self.script_file(word, &arguments[at + 1..]);
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
