//! Judges scripts by the table of programs.

use super::{
    endless,
    finding::Finding,
    options,
    paths::{composes, judge_read, normal},
    programs::{Kind, Program},
    project_names::is_project_script,
    traits::Traits,
    variables,
};
use crate::{
    meter,
    validator::{
        Input,
        shell::{Command, MAX_TEXT, Redirect, RedirectKind, Script, Unread, Word},
    },
};
use mgp_types::tool_security::SandboxSettings;
use std::collections::VecDeque;

/// The most nested scripts and commands that are judged.
const MAX_STEPS: usize = 4_000;

/// The most words of a command.
const MAX_WORDS: usize = 4_000;

/// The most folders in which a command may begin.
const MAX_FOLDERS: usize = 8;

/// The judge of a script and of everything that it runs.
#[derive(Debug)]
pub(super) struct ScriptJudge<'a> {
    input: &'a Input<'a>,
    pub(super) findings: Vec<Finding>,
    work: VecDeque<Work>,
    /// True if the text is not certainly a command, so that it may be unreadable without a finding.
    prose: bool,
    /// The folders in which the script may be, other than the one in which it began.
    pub(super) folders: Vec<String>,
    /// The folder of the project, if the call names it.
    pub(super) project: Option<String>,
    /// The traits of the script.
    pub(super) traits: Traits,
    /// True if commands may only read.
    pub(super) reading: bool,
}

/// A pending judgement.
#[derive(Debug)]
enum Work {
    Text(String),
    Run(Run),
}

/// A program to run, with its arguments.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) words: Vec<Word>,
    pub(super) redirects: Vec<Redirect>,
    pub(super) piped: bool,
    pub(super) captured: bool,
    pub(super) input: Option<String>,
}

impl Run {
    fn of(words: Vec<Word>) -> Self {
        Self { words, redirects: Vec::new(), piped: false, captured: false, input: None }
    }
}

impl<'a> ScriptJudge<'a> {
    /// Creates a judge by the settings and the time limit of an input.
    pub(super) fn new(input: &'a Input<'a>) -> Self {
        Self {
            input,
            findings: Vec::new(),
            work: VecDeque::new(),
            prose: false,
            folders: Vec::new(),
            project: None,
            traits: Traits::default(),
            reading: false,
        }
    }

    /// Sets whether commands may only read.
    pub(super) fn reading(mut self, yes: bool) -> Self {
        self.reading = yes;
        self
    }

    /// Begins in one of several other folders.
    pub(super) fn inside(mut self, folders: &[&str]) -> Self {
        self.project = self.root().map(|root| format!("{root}/"));
        for folder in folders.iter().take(MAX_FOLDERS) {
            if !self.is_project(folder) {
                let folder = Word::literal(*folder);
                self.note(judge_read(&folder));
                self.go_to(&[folder]);
            } else if folder.starts_with('/') && self.root().is_none() {
                self.project = Some(format!("{}/", normal(folder)));
            }
        }
        if folders.len() > MAX_FOLDERS {
            self.doubt("more folders than are judged");
        }
        self
    }

    /// Judges a text as a script.
    pub(super) fn judge_text(mut self, text: &str) -> (Vec<Finding>, Traits) {
        self.work.push_back(Work::Text(text.to_owned()));
        self.finish()
    }

    /// Judges a text that may be a script, or prose.
    pub(super) fn judge_prose(mut self, text: &str) -> (Vec<Finding>, Traits) {
        self.prose = true;
        self.judge_text(text)
    }

    /// Judges a program and its arguments, which no shell reads.
    pub(super) fn judge_words(mut self, words: Vec<Word>) -> (Vec<Finding>, Traits) {
        if words.iter().map(|word| word.text.len()).sum::<usize>() > MAX_TEXT {
            self.too_long(&words);
            return (self.findings, self.traits);
        }
        endless::judge(&mut self, &[Command { words: words.clone(), ..Command::default() }]);
        self.run(words);
        self.finish()
    }

    /// Returns the operator's settings.
    pub(super) fn settings(&self) -> &'a SandboxSettings {
        &self.input.profile.sandbox
    }

    /// Returns whether the judgement should end, whatever the findings so far.
    pub(super) fn is_over(&self) -> bool {
        self.input.in_time().is_err()
    }

    fn finish(mut self) -> (Vec<Finding>, Traits) {
        let mut steps = 0;
        while let Some(work) = self.work.pop_front() {
            steps += 1;
            if steps > MAX_STEPS || self.is_over() {
                self.harm("too many commands");
                break;
            }
            match work {
                Work::Text(text) => {
                    meter::count(text.len());
                    self.text(&text);
                }
                Work::Run(run) => {
                    meter::count(run.words.iter().map(|word| 1 + word.text.len()).sum());
                    let run = if self.is_allowed(&run.words) { run } else { self.in_project(run) };
                    self.judge_run(&run);
                }
            }
        }
        (self.findings, self.traits)
    }

    /// Judges a text as a script, later.
    pub(super) fn script(&mut self, text: String) {
        self.work.push_front(Work::Text(text));
    }

    /// Judges a program and its arguments, later.
    pub(super) fn run(&mut self, words: Vec<Word>) {
        self.work.push_front(Work::Run(Run::of(words)));
    }

    /// Judges a program and its arguments, with its redirections and input, later.
    pub(super) fn run_with(&mut self, run: Run) {
        self.work.push_front(Work::Run(run));
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
        self.traits.evaluates |= script.evaluates;
        let prints = |command: &Command| {
            let name = command.words.first().map_or("", |word| word.text.as_str());
            ["echo", "printf"].contains(&name) || name == "cat" && command.input.is_some()
        };
        if script.names_secret && script.commands.iter().any(prints) {
            self.doubt("a secret in the environment");
        }
        if !self.prose || script.commands.len() > 1 {
            endless::judge(self, &script.commands);
        }
        for command in script.commands.into_iter().rev() {
            self.command(command);
        }
    }

    /// Searches for commands that are known to do harm in a text that is not followed.
    fn harm_in_words(&mut self, text: &str) {
        let harmful = ["rm -rf", "rm -fr", "/dev/tcp/", "/dev/udp/", "mkfs", ":|:", "sudo "];
        if harmful.iter().any(|harmful| text.contains(harmful)) {
            self.harm("a harmful command");
        }
    }

    /// Judges a command that is too long to be followed.
    fn too_long(&mut self, words: &[Word]) {
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        self.harm_in_words(&texts.join(" "));
        self.doubt("a command that is too long to be judged");
    }

    fn command(&mut self, command: Command) {
        let Command { assignments, words, redirects, piped, captured, input, .. } = command;
        for (name, value) in &assignments {
            let separator = name == "IFS" && words.first().is_some_and(|word| word.text == "read");
            if !separator {
                self.note(variables::judge(name, value, !words.is_empty()));
            }
            let names_file =
                ["LOG", "FILE", "TRACE", "OUTPUT", "HIST"].iter().any(|part| name.contains(part));
            if self.reading && !words.is_empty() && names_file {
                self.doubt("a variable that may name a file to write");
            }
            self.note(judge_argument(value));
            self.traits.composes |= composes(value);
        }
        self.work.push_front(Work::Run(Run { words, redirects, piped, captured, input }));
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

    fn judge_run(&mut self, run: &Run) {
        run.redirects.iter().for_each(|redirect| self.redirect(redirect));
        let Some(first) = run.words.first() else { return };
        let Some(path) = first.known().filter(|path| (!first.pattern || *path == "[") && !path.is_empty())
        else {
            return self.doubt("a program whose name is known only when it runs");
        };
        if self.is_allowed(&run.words) {
            return run.words.iter().for_each(|word| self.note(judge_read(word)));
        }
        if run.words.len() > MAX_WORDS {
            return self.too_long(&run.words);
        }
        let name = program_name(path);
        let Some(name) = name else {
            self.traits.name(&run.words);
            if is_project_script(first) || self.is_own_script(first) {
                self.run_files();
                let rest = &run.words[1..];
                rest.iter().for_each(|word| self.note(judge_argument(word)));
                let own = path.rsplit('/').next().unwrap_or_default();
                if Program::named(own).is_some() {
                    // It does what the program of that name does, if it is that program.
                    self.run([&[Word::literal(own)], rest].concat());
                }
                return self.script_file(first, rest);
            }
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
            if !shows_itself {
                self.note(Some(unknown(path)));
            }
            return;
        };
        let own = path.contains('/') && !path.starts_with('/');
        if own {
            self.run_files();
            if !matches!(program.kind, Kind::Builds | Kind::Verbs { .. } | Kind::Interpreter { .. }) {
                return self.note(Some(unknown(path)));
            }
        }
        if name != lower && Program::named(&name).is_none() {
            // Some file systems find a program by a name in any case.
            self.note(Some(unknown(path)));
        }
        self.judge_program(program, &lower, run);
    }

    /// Returns whether the operator allows the program, with any or certain first arguments.
    fn is_allowed(&self, words: &[Word]) -> bool {
        self.settings().programs.iter().any(|allowed| {
            let mut parts = allowed.split_whitespace();
            let mut given = words.iter();
            allowed.split_whitespace().next().is_some()
                && parts.all(|part| given.next().and_then(Word::known) == Some(part))
        })
    }

    fn judge_program(&mut self, program: &'static Program, name: &str, run: &Run) {
        let arguments = &run.words[1..];
        let exact = program.has_exact_options();
        // The options after another program's name belong to that program.
        let own = match name {
            "npx" | "bunx" | "pnpx" => {
                let end = arguments.iter().position(|word| !word.text.starts_with('-'));
                &arguments[..end.unwrap_or(arguments.len())]
            }
            _ => arguments,
        };
        // If only reading is allowed, the program that `fd` runs is judged separately.
        let runs = arguments
            .iter()
            .position(|word| ["-x", "-X", "--exec", "--exec-batch"].contains(&word.text.as_str()));
        if let Some(at) = runs.filter(|_| self.reading && program.names.starts_with("fd ")) {
            let mut command = arguments[at + 1..].to_vec();
            command.push(Word::opaque());
            self.run(command);
        } else if let Some(option) = options::find(own, program.refused, exact) {
            self.note(Some(Finding::harm(format!(
                "an option of {name} that runs or changes something ({option})"
            ))));
        }
        if let Some(option) = options::find(own, program.asked, exact) {
            self.note(Some(Finding::doubt(format!(
                "an option of {name} that may run or change something ({option})"
            ))));
        }
        let dangerous = !(program.refused.is_empty() && program.asked.is_empty());
        let formats = name == "printf"
            && arguments.first().is_some_and(|word| word.known().is_some_and(|text| !text.starts_with('-')));
        if dangerous
            && !formats
            && arguments.iter().any(|word| word.may_be_option() && word.known().is_none())
        {
            self.doubt("an argument that may turn out to be an option");
        }
        // The program of a filter is not a file.
        let skipped = usize::from(["jq", "gojq", "yq"].contains(&name));
        let filter =
            options::operands(arguments, "--arg --argjson --indent").first().map(|word| word.text.clone());
        for word in arguments {
            if skipped > 0
                && filter.as_ref() == Some(&word.text)
                && word.text.starts_with('.')
                && !word.pattern
            {
                continue;
            }
            self.note(judge_argument(word));
            for path in self.paths_of(word).into_iter().skip(1) {
                self.note(judge_argument(&path));
            }
        }
        self.values(name, run);
        self.odd_uses(name, run);
        if matches!(program.kind, Kind::Builds | Kind::Verbs { .. } | Kind::Interpreter { .. } | Kind::Shell)
        {
            self.traits.name(&run.words);
        }
        if self.reading {
            self.judge_changes(program, name, run);
        }
        match program.kind {
            Kind::Reads => {}
            Kind::Writes => self.written(name, program, run),
            Kind::Builds => {
                let shows = |word: &Word| ["--version", "-V", "--help"].contains(&word.text.as_str());
                if arguments.is_empty() || !arguments.iter().all(shows) {
                    self.run_files();
                }
                self.build(name, arguments);
            }
            Kind::Verbs { pass, builds } => self.verbs(program, name, (pass, builds), arguments),
            Kind::Wrapper { flags, operands } => self.wrapped(program, name, (flags, operands), run),
            Kind::Shell => self.shell(name, run),
            Kind::Interpreter { inline, modules } => {
                self.interpreter(name, (inline, modules, program.valued), run);
            }
            Kind::Special(special) => self.special(special, name, run),
            Kind::Network => self.network(name, arguments),
            Kind::Harms(what) => {
                let lists = ["-l", "-L", "--list", "list", "--show", "status", "--help", "--version"];
                let shows = arguments.first().is_some_and(|word| lists.contains(&word.text.as_str()));
                if shows { self.doubt(what) } else { self.harm(what) }
            }
            Kind::Doubtful
                if ["psql", "mysql", "sqlite3"].contains(&name)
                    && self.only_queries(name, arguments)
                    && run.input.is_none() => {}
            Kind::Doubtful if name == "redis-cli" && matches!(arguments, [only] if only.text == "ping") => {}
            Kind::Doubtful => self.note(Some(unknown(name))),
        }
    }
}

/// Returns the name of a program, without a folder for programs. `None` if the program is elsewhere.
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

/// Returns the finding about an unknown program.
pub(super) fn unknown(name: &str) -> Finding {
    let name: String = name.chars().take(40).collect();
    Finding::doubt(format!("a program that is not known to be harmless ({name:?})"))
}

/// Judges an argument of any program: it may name a file, or contain one after an option.
fn judge_argument(word: &Word) -> Option<Finding> {
    // A builtin evaluates the index of a variable that it gets by name.
    if word.text.contains("[$(") || word.text.contains("[`") {
        return Some(Finding::doubt("an index that may run a command"));
    }
    let value = word.text.split_once('=').map(|(_, value)| value);
    let part = |mark: char| {
        let at = word.text.find(mark)?;
        let behind = &word.text[at + mark.len_utf8()..];
        (!behind.starts_with("//") && !word.text.contains([',', ' ']))
            .then(|| judge_read(&word.with_text(behind)))?
    };
    judge_read(word)
        .or_else(|| judge_read(&word.with_text(value?)))
        .or_else(|| part('@'))
        .or_else(|| part(':'))
}
