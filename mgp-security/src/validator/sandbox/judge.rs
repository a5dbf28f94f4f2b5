//! Judges scripts by the table of programs.

use super::{
    finding::Finding,
    options,
    paths::{judge_read, judge_write},
    programs::{Kind, Program},
    reading::is_sink,
    variables,
};
use crate::validator::{
    Input,
    shell::{Command, OPAQUE, Redirect, RedirectKind, Script, Unread, Word},
};
use mgp_types::tool_security::SandboxSettings;
use std::collections::VecDeque;

/// The most scripts and commands inside others that are judged.
const MAX_STEPS: usize = 4_000;

/// Ends of the names of files that nothing runs.
pub(super) const INERT: &[&str] = &[".log", ".txt", ".md", ".csv", ".out", ".html"];

/// The judge of a script and of everything that it runs.
#[derive(Debug)]
pub(super) struct ScriptJudge<'a> {
    input: &'a Input<'a>,
    findings: Vec<Finding>,
    work: VecDeque<Work>,
    /// True if the text need not be a command, so that it cannot be read means nothing.
    prose: bool,
    /// The folder that the script has gone to.
    folder: Option<String>,
    /// The folder before that.
    previous: Option<String>,
    /// True if the script evaluates a variable's value.
    evaluates: bool,
    /// True if the script puts text together or decodes it.
    composes: bool,
    /// True if a program gets a name that is known only when it runs.
    opaque: bool,
    /// True if the script writes a file.
    writes: bool,
    /// True if the script runs code from files.
    runs_files: bool,
    /// True if commands may only read.
    pub(super) reading: bool,
}

/// A piece of work.
#[derive(Debug)]
enum Work {
    Text(String),
    Run(Run),
}

/// A program that is run, with its arguments.
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
            folder: None,
            previous: None,
            evaluates: false,
            composes: false,
            opaque: false,
            writes: false,
            runs_files: false,
            reading: false,
        }
    }

    /// Sets whether commands may only read.
    pub(super) fn reading(mut self, yes: bool) -> Self {
        self.reading = yes;
        self
    }

    /// Begins in another folder.
    pub(super) fn inside(mut self, folder: Option<String>) -> Self {
        self.folder = folder;
        self
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

    /// Returns what the operator allows.
    pub(super) fn settings(&self) -> &'a SandboxSettings {
        &self.input.profile.sandbox
    }

    /// Returns whether the judgement is to end, whatever was found so far.
    pub(super) fn is_over(&self) -> bool {
        self.input.in_time().is_err()
    }

    fn finish(mut self) -> Vec<Finding> {
        let mut steps = 0;
        while let Some(work) = self.work.pop_front() {
            steps += 1;
            if steps > MAX_STEPS || self.is_over() {
                self.harm("too many commands");
                break;
            }
            match work {
                Work::Text(text) => self.text(&text),
                Work::Run(run) => self.judge_run(&run),
            }
        }
        if self.writes && self.runs_files {
            self.doubt("code that the command itself may have written");
        }
        if self.composes && (self.opaque || self.evaluates) {
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
        if self.reading && !is_sink(word) {
            self.harm("a file that is written");
        }
        self.note(judge_write(&self.as_path(word)));
        // Nothing runs these.
        let name = word.text.rsplit('/').next().unwrap_or_default();
        let read = ["requirements", "constraints", "CMakeLists"].iter().any(|start| name.starts_with(start));
        let inert = !read && INERT.iter().any(|end| name.ends_with(end));
        self.writes |= !(inert || word.text.starts_with("/dev/"));
    }

    /// Returns a word as a path from the folder in which the script began.
    fn as_path(&self, word: &Word) -> Word {
        match &self.folder {
            Some(folder) if !word.text.starts_with(['/', '~', '-']) => {
                word.with_text(format!("{folder}/{}", word.text))
            }
            _ => word.clone(),
        }
    }

    /// Notes that a script goes to another folder.
    pub(super) fn go_to(&mut self, arguments: &[Word]) {
        let home = Word::literal("~");
        let target = options::operands(arguments, "").first().copied().unwrap_or(&home).clone();
        let folder = if target.text == "-" { self.previous.take() } else { Some(self.as_path(&target).text) };
        self.previous = std::mem::replace(&mut self.folder, folder);
    }

    /// Notes that files are changed whose names are not known.
    pub(super) fn changes_files(&mut self) {
        if self.reading {
            self.harm("files that are changed");
        }
        self.writes = true;
    }

    /// Notes that names outside the folder are put together.
    pub(super) fn composes(&mut self) {
        self.composes = true;
    }

    /// Notes that code from files is run.
    pub(super) fn run_files(&mut self) {
        if self.reading {
            self.doubt("code in files, which may write");
        }
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
        self.evaluates |= script.evaluates;
        if ["while true", "while :", "until false"].iter().any(|endless| text.contains(endless))
            && !["sleep", "break", "read", "wait"].iter().any(|stop| text.contains(stop))
            && !self.prose
        {
            self.doubt("a loop that does not end");
        }
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
        let Command { assignments, words, redirects, piped, captured, input } = command;
        for (name, value) in &assignments {
            let separator = name == "IFS" && words.first().is_some_and(|word| word.text == "read");
            if !separator {
                self.note(variables::judge(name, value, !words.is_empty()));
            }
            self.note(judge_argument(value));
            self.composes |= value.text.starts_with(['/', '~']);
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

    /// Returns whether the operator lets the program pass, alone or with its first arguments.
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
        // The options behind another program's name are that program's own.
        let own = match name {
            "npx" | "bunx" | "pnpx" => {
                let end = arguments.iter().position(|word| !word.text.starts_with('-'));
                &arguments[..end.unwrap_or(arguments.len())]
            }
            _ => arguments,
        };
        if let Some(option) = options::find(own, program.refused, exact) {
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
        if dangerous && arguments.iter().any(|word| word.may_be_option() && word.known().is_none()) {
            self.doubt("an argument that may turn out to be an option");
        }
        for word in arguments {
            self.note(judge_argument(word));
            if self.folder.is_some() {
                self.note(judge_argument(&self.as_path(word)));
            }
        }
        self.values(name, run);
        self.odd_uses(name, run);
        if self.reading {
            self.judge_changes(program, name, run);
        }
        match program.kind {
            Kind::Reads => {}
            Kind::Writes => self.written(name, program, arguments),
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
            Kind::Doubtful => self.note(Some(unknown(name))),
        }
    }

    /// Looks at values that are known only when the script runs, and at what makes them.
    fn values(&mut self, name: &str, run: &Run) {
        let arguments = &run.words[1..];
        let decodes = options::find(arguments, "-d -D -r --decode", false).is_some();
        let spells = |word: &Word| {
            let text = word.text.replace("\\n", "").replace("\\t", "");
            text.contains(['/', '~', '\\'])
        };
        let inserts = |word: &Word| word.text.contains(['~', ',', '|', '#']) && word.text.contains('/');
        let prints = |word: &Word| word.text.contains("\"/") || word.text.contains("\"~");
        self.composes |= match name {
            "base64" | "base32" | "basenc" | "xxd" | "openssl" => decodes,
            "rev" => true,
            "echo" => run.captured,
            "tr" => run.captured || run.piped,
            "awk" | "gawk" | "mawk" => run.captured || arguments.iter().any(prints),
            "printf" => run.captured || arguments.iter().any(spells),
            "sed" => run.captured || arguments.iter().any(inserts),
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

/// Returns the finding about a program that is not known.
pub(super) fn unknown(name: &str) -> Finding {
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
