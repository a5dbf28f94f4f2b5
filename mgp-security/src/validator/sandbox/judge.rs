//! Judges scripts by the table of programs.

use super::{
    finding::Finding,
    options,
    paths::{judge_read, judge_write},
    programs::{Kind, Program, Special},
    variables,
};
use crate::validator::shell::{Command, OPAQUE, Redirect, RedirectKind, Script, Unread, Word};
use mgp_types::tool_security::SandboxSettings;
use std::collections::VecDeque;

/// The most scripts and commands inside others that are judged.
const MAX_STEPS: usize = 4_000;

/// Judges a script and everything that it runs.
#[derive(Debug)]
pub(super) struct ScriptJudge<'a> {
    pub(super) settings: &'a SandboxSettings,
    findings: Vec<Finding>,
    work: VecDeque<Work>,
    /// True if the text need not be a command, so that it cannot be read means nothing.
    prose: bool,
    /// The folder that the script has gone to.
    folder: Option<String>,
    /// True if the script puts text together or decodes it.
    composes: bool,
    /// True if a program gets a name that is known only when it runs.
    opaque: bool,
    /// True if the script writes a file.
    writes: bool,
    /// True if the script runs code from files.
    runs_files: bool,
}

/// A piece of work.
#[derive(Debug)]
enum Work {
    Text(String),
    Run(Run),
}

/// A program that is run, with its arguments.
#[derive(Debug)]
struct Run {
    words: Vec<Word>,
    redirects: Vec<Redirect>,
    piped: bool,
    input: Option<String>,
}

impl Run {
    fn of(words: Vec<Word>) -> Self {
        Self { words, redirects: Vec::new(), piped: false, input: None }
    }
}

impl<'a> ScriptJudge<'a> {
    pub(super) fn new(settings: &'a SandboxSettings) -> Self {
        Self {
            settings,
            findings: Vec::new(),
            work: VecDeque::new(),
            prose: false,
            folder: None,
            composes: false,
            opaque: false,
            writes: false,
            runs_files: false,
        }
    }

    /// Judges a text as a script.
    pub(super) fn judge_text(mut self, text: &str) -> Vec<Finding> {
        self.work.push_back(Work::Text(text.to_owned()));
        self.finish()
    }

    /// Judges a text that may be a script, or prose.
    pub(super) fn judge_prose(mut self, text: &str) -> Vec<Finding> {
        self.prose = true;
        self.judge_text(text)
    }

    /// Judges a program and its arguments, which no shell reads.
    pub(super) fn judge_words(mut self, words: Vec<Word>) -> Vec<Finding> {
        self.run(words);
        self.finish()
    }

    fn finish(mut self) -> Vec<Finding> {
        let mut steps = 0;
        while let Some(work) = self.work.pop_front() {
            steps += 1;
            if steps > MAX_STEPS {
                self.harm("too many commands");
                break;
            }
            match work {
                Work::Text(text) => self.text(&text),
                Work::Run(run) => self.judge_run(run),
            }
        }
        if self.writes && self.runs_files {
            self.doubt("code that the command itself may have written");
        }
        if self.composes && self.opaque {
            self.doubt("a name that the command puts together when it runs");
        }
        self.findings
    }

    /// Notes harm.
    pub(super) fn harm(&mut self, what: &'static str) {
        self.note(Some(Finding::harm(what)));
    }

    /// Notes a doubt.
    pub(super) fn doubt(&mut self, what: &'static str) {
        self.note(Some(Finding::doubt(what)));
    }

    /// Notes a finding, once.
    pub(super) fn note(&mut self, finding: Option<Finding>) {
        if let Some(finding) = finding.filter(|finding| !self.findings.contains(finding)) {
            self.findings.push(finding);
        }
    }

    /// Notes that a file is written.
    pub(super) fn write(&mut self, word: &Word) {
        self.note(judge_write(&self.from_here(word)));
        // Nothing runs these.
        let inert =
            [".log", ".txt", ".md", ".csv", ".out", ".html"].iter().any(|end| word.text.ends_with(end));
        self.writes |= !(inert || word.text.starts_with("/dev/"));
    }

    /// Returns a word as a path from the folder in which the script began.
    fn from_here(&self, word: &Word) -> Word {
        match &self.folder {
            Some(folder) if !word.text.starts_with(['/', '~', '-']) => {
                word.with_text(format!("{folder}/{}", word.text))
            }
            _ => word.clone(),
        }
    }

    /// Notes that a script goes to another folder.
    fn go_to(&mut self, arguments: &[Word]) {
        let home = Word::literal("~");
        let target = options::operands(arguments, "").first().copied().unwrap_or(&home).clone();
        self.folder = Some(self.from_here(&target).text);
    }

    /// Notes that code from files is run.
    pub(super) fn run_files(&mut self) {
        self.runs_files = true;
    }

    /// Judges a text as a script, later.
    pub(super) fn script(&mut self, text: String) {
        self.work.push_front(Work::Text(text));
    }

    /// Judges a program and its arguments, later.
    pub(super) fn run(&mut self, words: Vec<Word>) {
        self.work.push_front(Work::Run(Run::of(words)));
    }

    fn text(&mut self, text: &str) {
        let script = match Script::read(text) {
            Ok(script) => script,
            Err(Unread::Broken(what)) if !self.prose => return self.harm(what),
            Err(Unread::Unknown(what) | Unread::Broken(what)) => {
                self.harm_in_words(text);
                return self.doubt(what);
            }
        };
        for command in script.commands.into_iter().rev() {
            self.command(command);
        }
    }

    /// Looks for commands that are known to do harm in a text that is not followed.
    fn harm_in_words(&mut self, text: &str) {
        let harmful = ["rm -rf", "rm -fr", "/dev/tcp/", "/dev/udp/", "mkfs", ":|:", "sudo "];
        if harmful.iter().any(|harmful| text.contains(harmful)) {
            self.harm("a harmful command");
        }
    }

    fn command(&mut self, command: Command) {
        let Command { assignments, words, redirects, piped, input } = command;
        for (name, value) in &assignments {
            let separator = name == "IFS" && words.first().is_some_and(|word| word.text == "read");
            if !separator {
                self.note(variables::judge(name, value, !words.is_empty()));
            }
            self.note(judge_argument(value));
            self.composes |= value.text.starts_with(['/', '~']);
        }
        self.work.push_front(Work::Run(Run { words, redirects, piped, input }));
    }

    fn redirect(&mut self, Redirect { kind, target }: &Redirect) {
        let number = target.text.strip_suffix('-').unwrap_or(&target.text);
        let copies = *kind == RedirectKind::Copy && number.bytes().all(|b| b.is_ascii_digit());
        if copies {
            return;
        }
        if *kind == RedirectKind::Read {
            return self.note(judge_read(target));
        }
        if target.pattern {
            self.doubt("a redirection to a pattern");
        }
        self.write(target);
    }

    fn judge_run(&mut self, run: Run) {
        run.redirects.iter().for_each(|redirect| self.redirect(redirect));
        let Some(first) = run.words.first() else { return };
        let Some(path) = first.known().filter(|path| (!first.pattern || *path == "[") && !path.is_empty())
        else {
            return self.doubt("a program whose name is known only when it runs");
        };
        if self.is_allowed(&run.words) {
            return run.words.iter().for_each(|word| self.note(judge_read(word)));
        }
        let name = program_name(path);
        let Some(name) = name else {
            return self.note(Some(unknown(path)));
        };
        let lower = name.to_ascii_lowercase();
        let versionless = lower.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let found = [&*name, &*lower, versionless].into_iter().find_map(Program::named);
        if lower.starts_with("mkfs") || lower.starts_with("newfs") {
            return self.harm("a disk command");
        }
        if super::windows::harms(&lower, &run.words[1..]) {
            return self.harm("a recursive delete or a disk command");
        }
        let Some(program) = found else {
            let shows_itself = matches!(&run.words[1..], [only] if ["--version", "-version", "--help"].contains(&only.text.as_str()));
            return if shows_itself { () } else { self.note(Some(unknown(path))) };
        };
        if name != lower && Program::named(&name).is_none() {
            // Some file systems find a program by a name in any case.
            self.note(Some(unknown(path)));
        }
        self.judge_program(program, &lower, &run);
    }

    /// Returns whether the operator lets the program pass, alone or with its first arguments.
    fn is_allowed(&self, words: &[Word]) -> bool {
        self.settings.programs.iter().any(|allowed| {
            let mut parts = allowed.split_whitespace();
            let mut given = words.iter();
            allowed.split_whitespace().next().is_some()
                && parts.all(|part| given.next().and_then(Word::known) == Some(part))
        })
    }

    fn judge_program(&mut self, program: &'static Program, name: &str, run: &Run) {
        let arguments = &run.words[1..];
        let exact = program.has_exact_options();
        if let Some(option) = options::find(arguments, program.refused, exact) {
            self.note(Some(Finding::harm(format!(
                "an option of {name} that runs or changes something ({option})"
            ))));
        }
        if let Some(option) = options::find(arguments, program.asked, exact) {
            self.note(Some(Finding::doubt(format!(
                "an option of {name} that may run or change something ({option})"
            ))));
        }
        let dangerous = !(program.refused.is_empty() && program.asked.is_empty());
        if dangerous && arguments.iter().any(|word| word.may_be_option() && word.known().is_none()) {
            self.doubt("an argument that may turn out to be an option");
        }
        for word in arguments {
            self.note(judge_argument(word));
            if self.folder.is_some() {
                self.note(judge_argument(&self.from_here(word)));
            }
        }
        self.values(name, arguments);
        match program.kind {
            Kind::Reads => {}
            Kind::Writes => self.written(name, program, arguments),
            Kind::Builds => {
                self.run_files();
                self.build(arguments);
            }
            Kind::Verbs { pass, builds } => self.verbs(program, name, (pass, builds), arguments),
            Kind::Wrapper { flags, operands } => self.wrapped(program, name, (flags, operands), run),
            Kind::Shell => self.shell(name, run),
            Kind::Interpreter { inline, modules } => {
                self.interpreter(name, (inline, modules, program.valued), run)
            }
            Kind::Special(special) => self.special(special, name, run),
            Kind::Network => self.network(name, arguments),
            Kind::Harms(what) => {
                let lists = ["-l", "-L", "--list", "list", "--show", "status", "--help", "--version"];
                let shows = arguments.first().is_some_and(|word| lists.contains(&word.text.as_str()));
                if shows { self.doubt(what) } else { self.harm(what) }
            }
            Kind::Doubtful => self.note(Some(unknown(name))),
        }
    }

    /// Looks at values that are known only when the script runs, and at what makes them.
    fn values(&mut self, name: &str, arguments: &[Word]) {
        let decodes = options::find(arguments, "-d -D -r --decode", false).is_some();
        self.composes |= match name {
            "base64" | "base32" | "basenc" | "xxd" | "openssl" => decodes,
            "rev" | "tr" | "printf" => true,
            // The values of a loop.
            ":" => arguments.iter().any(|word| word.text.starts_with(['/', '~'])),
            _ => false,
        };
        let shows =
            ["echo", "printf", "test", "[", ":", "export", "read", "seq", "tr", "rev", "git"].contains(&name);
        self.opaque |= !shows && arguments.iter().any(|word| word.text.starts_with(OPAQUE));
        if ["cd", "pushd"].contains(&name) {
            self.go_to(arguments);
        }
        if name == "printenv" && arguments.is_empty() {
            self.doubt("the whole environment");
        }
        let whole = ["/", "/etc", "/etc/", "~", "~/", "/home", "/root", "/var"];
        let gathers = ["tar", "zip", "cp", "rsync", "grep", "rg", "ag"].contains(&name);
        if gathers && arguments.iter().any(|word| whole.contains(&word.text.as_str())) {
            self.doubt("every file of the system or of the user");
        }
    }

    /// Judges the files that a program writes.
    fn written(&mut self, name: &str, program: &Program, arguments: &[Word]) {
        let operands = options::operands(arguments, program.valued);
        let prints = options::find(arguments, "-c --stdout --to-stdout -l --list -t --test", false).is_some();
        let compresses = name.contains("zip") || ["xz", "unxz", "zstd", "unzstd", "lz4"].contains(&name);
        if prints && compresses && name != "zip" {
            return;
        }
        if name == "rsync" && operands.iter().any(|word| word.text.contains(':')) {
            self.doubt("a connection to the network");
        }
        let copies = ["cp", "ln", "install", "uniq", "xxd", "split", "rsync"].contains(&name);
        let targeted = options::find(arguments, "-t --target-directory", false).is_some() && name != "rsync";
        if !copies || targeted {
            return operands.into_iter().for_each(|word| self.write(word));
        }
        let Some((target, sources)) = operands.split_last() else { return };
        if !sources.is_empty() {
            self.write(target);
        }
        if name == "ln" && sources.iter().any(|source| judge_write(source).is_some()) {
            self.doubt("a link to a file outside the folder");
        }
    }

    /// Judges the arguments of a program that builds a project.
    fn build(&mut self, arguments: &[Word]) {
        for (at, word) in arguments.iter().enumerate() {
            let named = ["-o", "--output", "--out-dir", "--outDir", "--outfile", "--prefix"]
                .contains(&word.text.as_str());
            if let Some(file) = arguments.get(at + 1).filter(|_| named) {
                self.note(judge_write(file));
            }
            if let Some((variable, value)) =
                word.text.split_once('=').filter(|(variable, _)| !variable.starts_with('-'))
            {
                self.note(variables::judge(variable, &Word::literal(value), true));
            }
            if ["/tmp/", "/var/tmp/", "/dev/shm/"].iter().any(|folder| word.text.starts_with(folder)) {
                self.doubt("a program in a file outside the folder");
            }
        }
    }

    fn verbs(&mut self, program: &Program, name: &str, (pass, builds): (&str, bool), arguments: &[Word]) {
        let operands = options::operands(arguments, program.valued);
        let known = |word: &&Word| word.known().unwrap_or_default().to_owned();
        let first = operands.first().map(known).unwrap_or_default();
        let second = operands.get(1).map(known).unwrap_or_default();
        let alone = operands.is_empty()
            && arguments
                .iter()
                .all(|word| ["--version", "-V", "-v", "--help", "-h", "-a"].contains(&word.text.as_str()));
        let verb = first.trim_start_matches('@');
        let flags = [
            "--version",
            "-v",
            "-V",
            "-q",
            "--quiet",
            "--silent",
            "-s",
            "--verbose",
            "--offline",
            "--locked",
            "--help",
            "-h",
            "-y",
            "--yes",
            "-a",
            "-4",
            "-6",
            "-br",
            "-c",
            "-brief",
            "--no-pager",
        ];
        let before = arguments
            .iter()
            .take_while(|word| operands.first().is_none_or(|first| !std::ptr::eq(*first, *word)));
        let odd = |word: &Word| {
            word.text.starts_with('-') && !word.text.contains('=') && !flags.contains(&word.text.as_str())
        };
        if before
            .clone()
            .any(|word| odd(word) && !program.valued.split(' ').any(|option| option == word.text))
        {
            self.note(Some(Finding::doubt(format!("an option of {name} that is not known"))));
        }
        if name == "go" && verb == "run" && operands.iter().any(|word| word.text.contains('@')) {
            self.doubt("a program from the network");
        }
        let listed = pass.split(';').any(|verb_words| {
            let mut parts = verb_words.split(' ');
            let alone = verb_words.strip_suffix('.').is_some_and(|alone| alone == verb && second.is_empty());
            alone || (parts.next() == Some(verb) && parts.next().is_none_or(|part| part == second))
        });
        let toolchain = name == "cargo" && first.starts_with('+');
        let help = options::find(arguments, "--help", false).is_some();
        if builds
            && ["run", "exec"].contains(&verb)
            && ["uv", "poetry", "pipenv", "pdm", "hatch", "rye", "bundle"].contains(&name)
        {
            let at = arguments.iter().position(|word| word.text == verb).map_or(arguments.len(), |at| at + 1);
            return self.run(arguments[at..].to_vec());
        }
        if alone
            || help
            || (listed && !verb.is_empty())
            || (toolchain && pass.split(';').any(|pass| pass == second))
        {
            if builds {
                self.run_files();
                self.build(arguments);
            }
            return;
        }
        if name.starts_with("pip") && first == "install" && installs_project(arguments) {
            return self.run_files();
        }
        if ["npm", "pnpm", "yarn", "bun"].contains(&name)
            && operands.len() <= 1
            && ["", "install", "i"].contains(&&*first)
        {
            return self.run_files();
        }
        self.note(Some(unknown(&format!("{name} {first}"))));
    }

    fn wrapped(&mut self, program: &Program, name: &str, (flags, operands): (&str, usize), run: &Run) {
        let arguments = &run.words[1..];
        if name == "command"
            && arguments.first().is_some_and(|word| ["-v", "-V"].contains(&word.text.as_str()))
        {
            return;
        }
        let (rest, known) = options::behind(arguments, flags, program.valued, operands);
        if !known {
            self.note(Some(Finding::doubt(format!("an option of {name} that is not known"))));
        }
        let mut words = rest.to_vec();
        if name.ends_with("xargs") {
            if words.is_empty() {
                return;
            }
            words.push(Word::opaque());
        }
        self.work.push_front(Work::Run(Run {
            words,
            piped: run.piped,
            input: run.input.clone(),
            redirects: Vec::new(),
        }));
    }

    fn shell(&mut self, name: &str, run: &Run) {
        let arguments = &run.words[1..];
        if ["source", "."].contains(&name) {
            let file = arguments.first().and_then(Word::known).unwrap_or_default();
            self.run_files();
            let environment = file.ends_with("bin/activate") && !file.starts_with(['/', '~']);
            return if environment { () } else { self.doubt("a script in a file") };
        }
        let mut at = 0;
        while let Some(word) =
            arguments.get(at).filter(|word| word.text.starts_with(['-', '+']) && word.text.len() > 1)
        {
            let Some(option) = word.known() else { return self.doubt("a shell whose options are not known") };
            let short = !option.starts_with("--");
            if short && option.contains('c') {
                let script = arguments.get(at + 1);
                return match script.and_then(Word::known) {
                    Some(script) => self.script(script.to_owned()),
                    None => self.doubt("a shell that runs what is known only when it runs"),
                };
            }
            if ["--version", "--help"].contains(&option) {
                return;
            }
            if short && option.contains('s')
                || !short && !["--noprofile", "--norc", "--login", "--posix"].contains(&option)
            {
                return self.harm("a shell");
            }
            at += if option == "-o" { 2 } else { 1 };
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

    fn interpreter(&mut self, name: &str, (inline, modules, valued): (&str, &str, &str), run: &Run) {
        let arguments = &run.words[1..];
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
            ];
            let text = word.text.as_str();
            let values = valued.split(' ').any(|option| option == text);
            let settings = ["--max-old-space-size=", "--experimental-", "--env-file=", "-W", "-X", "-m"]
                .iter()
                .any(|start| text.starts_with(start));
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
                }
                _ => self.note(Some(Finding::doubt(format!("a module that {name} runs")))),
            };
        }
        let code = options::find(&arguments[..(end + 1).min(arguments.len())], inline, false).is_some();
        let operands = options::operands(arguments, valued);
        if code {
            let text: String = arguments.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
            return self.code(&text);
        }
        match operands.first() {
            Some(word) if word.text == "-" => {
                self.code(run.input.as_deref().unwrap_or(if run.piped { "\0" } else { "" }))
            }
            None => self.code(run.input.as_deref().unwrap_or(if run.piped { "\0" } else { "" })),
            Some(word) => {
                self.run_files();
                let outside = word.text.starts_with(['/', '~', OPAQUE]) || word.text.contains("..");
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

    fn special(&mut self, special: Special, name: &str, run: &Run) {
        let arguments = &run.words[1..];
        match special {
            Special::Awk => super::awk::judge(self, arguments),
            Special::Sed => super::sed::judge(self, arguments),
            Special::Git => super::git::judge(self, arguments),
            Special::Find => super::files::find(self, arguments),
            Special::Remove => super::files::remove(self, arguments),
            Special::Chmod => super::files::chmod(self, name, arguments),
            Special::Dd => super::files::dd(self, arguments),
            Special::Tar => super::files::tar(self, arguments),
            Special::Fetch => super::fetch::judge(self, name, arguments),
            Special::Env => self.environment(arguments),
            Special::Declare => {
                for word in arguments {
                    let (variable, value) = word.text.split_once('=').unwrap_or((&word.text, ""));
                    if !variable.starts_with('-') {
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

    fn environment(&mut self, arguments: &[Word]) {
        let (mut rest, known) =
            options::behind(arguments, "-i -0 -v --ignore-environment --null", "-u --unset -C --chdir", 0);
        if !known {
            self.harm("an option of env that runs something");
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

    fn network(&mut self, name: &str, arguments: &[Word]) {
        let looks_up =
            ["dig", "nslookup", "host", "ping", "ping6", "traceroute", "tracepath", "whois"].contains(&name);
        if looks_up && arguments.iter().all(|word| word.known().is_some()) {
            return;
        }
        let runs = ["nc", "ncat", "netcat", "socat"].contains(&name)
            && (options::find(arguments, "-e -c --exec --sh-exec", false).is_some()
                || arguments.iter().any(|word| {
                    word.text.to_ascii_lowercase().contains("exec:")
                        || word.text.to_ascii_lowercase().contains("system:")
                }));
        if runs {
            return self.harm("a back door");
        }
        if name == "ssh" || name == "scp" || name == "sftp" {
            let options = arguments.iter().any(|word| word.text.to_ascii_lowercase().contains("command"));
            if options {
                return self.harm("an option that runs something");
            }
        }
        self.doubt("a connection to the network");
    }
}

/// Returns whether the arguments of `pip` install only the project in the folder, or its list of requirements.
fn installs_project(arguments: &[Word]) -> bool {
    arguments.iter().all(|word| {
        let text = word.text.as_str();
        let listed = text.ends_with(".txt")
            && !text.starts_with(['/', '~'])
            && !text.contains("..")
            && !text.contains(':');
        let own = text.starts_with(".[")
            || ["install", "-r", "-e", "--requirement", "--editable", ".", "-q", "-U", "--upgrade", "--user"]
                .contains(&text);
        word.known().is_some() && (listed || own)
    })
}

/// Returns the name of a program, without a folder in which programs stand. `None` if the program stands elsewhere.
fn program_name(path: &str) -> Option<String> {
    const FOLDERS: &[&str] = &[
        "/bin",
        "/usr/bin",
        "/usr/local/bin",
        "/sbin",
        "/usr/sbin",
        "/opt/homebrew/bin",
        "node_modules/.bin",
        "./node_modules/.bin",
        ".venv/bin",
        "venv/bin",
        "./.venv/bin",
        "./venv/bin",
    ];
    let Some((folder, name)) = path.rsplit_once('/') else { return Some(path.to_owned()) };
    let wrapper = folder == "." && ["gradlew", "mvnw", "configure"].contains(&name);
    (wrapper || FOLDERS.contains(&folder)).then(|| name.to_owned())
}

fn unknown(name: &str) -> Finding {
    let name: String = name.chars().take(40).collect();
    Finding::doubt(format!("a program of which it is not known that it is harmless ({name:?})"))
}

/// Judges an argument of any program: it may name a file, or hold one behind an option.
fn judge_argument(word: &Word) -> Option<Finding> {
    // A builtin evaluates the index of a variable that it is given by name.
    if word.text.contains("[$(") || word.text.contains("[`") {
        return Some(Finding::doubt("an index that may run a command"));
    }
    let value = word.text.split_once('=').map(|(_, value)| value);
    judge_read(word).or_else(|| judge_read(&word.with_text(value?))).or_else(|| {
        let at = word.text.find('@')?;
        judge_read(&word.with_text(&word.text[at + 1..]))
    })
}
