//! Judges the arguments of programs by the kinds of the table.

use super::{
    build_options,
    finding::Finding,
    judge::{Run, ScriptJudge, unknown},
    options,
    paths::judge_write,
    programs::{Kind, Program},
};
use crate::validator::shell::{OPAQUE, Word};

impl ScriptJudge<'_> {
    /// Judges the files that a program writes.
    pub(super) fn written(&mut self, name: &str, program: &Program, run: &Run) {
        let arguments = &run.words[1..];
        let operands = options::operands(arguments, program.valued);
        let prints = options::find(arguments, "-c --stdout --to-stdout -l --list -t --test", false).is_some();
        let compresses = name.contains("zip") || ["xz", "unxz", "zstd", "unzstd", "lz4"].contains(&name);
        if prints && compresses && name != "zip" {
            return;
        }
        if name == "rsync" && operands.iter().any(|word| word.text.contains(':')) {
            self.doubt("a connection to the network");
        }
        for word in arguments.iter().filter(|word| word.text.starts_with('-')) {
            let start = word.text.find(['/', '~', '.']).filter(|_| !word.text.starts_with("--"));
            let glued = start.map(|start| &word.text[start..]);
            let value = word.text.split_once('=').map(|(_, value)| value);
            if let Some(file) = value.filter(|value| value.contains('/')).or(glued) {
                self.write(&word.with_text(file));
            }
        }
        let huge = |word: &&Word| {
            word.text.ends_with(['T', 'P', 'E', 'Z', 'Y']) && word.text.contains(|c: char| c.is_ascii_digit())
        };
        if name == "truncate" && arguments.iter().any(|word| huge(&word)) {
            self.doubt("a file without a size limit");
        }
        if name == "patch" {
            self.changes_files();
            self.patched(run);
        }
        if ["split", "csplit"].contains(&name) {
            self.changes_code();
        }
        if name == "mv" && operands.split_last().is_some_and(|(target, _)| target.text.starts_with("/tmp/")) {
            self.doubt("files that leave the project");
        }
        if ["mkdir", "rmdir", "touch", "mktemp"].contains(&name) {
            return operands.into_iter().for_each(|word| self.remove(word));
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

    /// Judges the files that a patch in the input of `patch` names.
    fn patched(&mut self, run: &Run) {
        if run.piped {
            self.doubt("a patch that is not known");
        }
        for line in run.input.iter().flat_map(|input| input.lines()) {
            let file =
                line.strip_prefix("+++ ").and_then(|rest| rest.split_whitespace().next()).unwrap_or_default();
            self.write(&Word::literal(file.strip_prefix("b/").unwrap_or(file)));
        }
    }

    pub(super) fn verbs(
        &mut self,
        program: &Program,
        name: &str,
        (pass, builds): (&str, bool),
        arguments: &[Word],
    ) {
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
            "-r",
            "--recursive",
            "-brief",
            "--no-pager",
        ];
        let before = arguments
            .iter()
            .take_while(|word| operands.first().is_none_or(|first| !std::ptr::eq(*first, *word)));
        let odd = |word: &Word| {
            word.text.starts_with('-') && !word.text.contains('=') && !flags.contains(&word.text.as_str())
        };
        if !builds_known(name, before.clone())
            && before
                .clone()
                .any(|word| odd(word) && !program.valued.split(' ').any(|option| option == word.text))
        {
            self.note(Some(Finding::doubt(format!("an option of {name} that is not known"))));
        }
        if name == "go" && verb == "run" && operands.iter().any(|word| word.text.contains('@')) {
            self.doubt("a program from the network");
        }
        if ["docker", "podman"].contains(&name) && verb == "build" && self.builds_image(arguments) {
            return self.run_files();
        }
        let tells =
            |word: &Word| ["-f", "-s", "-i", "-I", "-d", "--fqdn", "--short"].contains(&word.text.as_str());
        if name == "hostname" && !arguments.is_empty() && arguments.iter().all(tells) {
            return;
        }
        let listed = pass.split(';').any(|verb_words| {
            let mut parts = verb_words.split(' ');
            let alone = verb_words.strip_suffix('.').is_some_and(|alone| alone == verb && second.is_empty());
            alone || (parts.next() == Some(verb) && parts.next().is_none_or(|part| part == second))
        });
        let toolchain = name == "cargo" && first.starts_with('+');
        let help = asks_for_help(name, arguments, program.valued)
            && (!self.reading || operands.len() <= 2 && operands.iter().all(|word| !word.text.contains(' ')));
        if name == "yarn" && first == "workspace" && operands.len() > 2 {
            let at = arguments
                .iter()
                .position(|word| word.text == "workspace")
                .map_or(arguments.len(), |at| at + 2);
            return self.run([&[Word::literal("yarn")], arguments.get(at..).unwrap_or_default()].concat());
        }
        if ["npx", "bunx", "pnpx"].contains(&name)
            && Program::named(verb).is_some_and(|program| program.kind == Kind::Builds)
        {
            let at = arguments.iter().position(|word| word.text == verb).unwrap_or_default();
            self.run(arguments[at..].to_vec());
        } else if ["npx", "bunx", "pnpx"].contains(&name) {
            let at = arguments.iter().position(|word| word.text == verb).map_or(arguments.len(), |at| at + 1);
            self.build(verb, &arguments[at..]);
        }
        if builds
            && ["run", "exec"].contains(&verb)
            && ["uv", "poetry", "pipenv", "pdm", "hatch", "rye", "bundle"].contains(&name)
        {
            let at = arguments.iter().position(|word| word.text == verb).map_or(arguments.len(), |at| at + 1);
            self.build(name, &arguments[..at.saturating_sub(1)]);
            return self.run(arguments[at..].to_vec());
        }
        let fetches = ["pipenv", "rye", "poetry", "pdm", "hatch"].contains(&name)
            && verb == "install"
            && operands.len() > 1
            && ["pipenv", "rye"].contains(&name);
        let foreign = !builds
            && arguments.iter().any(|word| {
                word.text.contains("://")
                    && !word.text.starts_with("s3://")
                    && !word.text.contains("://localhost")
                    && !word.text.contains("://127.0.0.1")
            });
        let far = ["terraform", "tofu"].contains(&name)
            && operands
                .iter()
                .skip(1)
                .any(|word| word.text.starts_with(['/', '~']) || word.text.starts_with(".."));
        if fetches || foreign || far {
            self.note(Some(Finding::doubt(format!("something from elsewhere for {name}"))));
        }
        if alone
            || help
            || (listed && !verb.is_empty())
            || (toolchain && pass.split(';').any(|pass| pass == second))
        {
            if builds && !(alone || help || self.only_tells(verb, arguments)) {
                self.run_files();
            }
            if builds {
                self.build(name, arguments);
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
            self.build(name, arguments);
            return self.run_files();
        }
        self.note(Some(unknown(&format!("{name} {first}"))));
    }

    pub(super) fn wrapped(
        &mut self,
        program: &Program,
        name: &str,
        (flags, operands): (&str, usize),
        run: &Run,
    ) {
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
            if let Some(token) = replaced(&arguments[..arguments.len() - rest.len()]) {
                let file = |word: &Word| word.with_text(word.text.replace(&token, &OPAQUE.to_string()));
                words = words.iter().map(file).collect();
            }
            words.push(Word::opaque());
        }
        let Run { piped, captured, ref input, .. } = *run;
        self.run_with(Run { words, piped, captured, input: input.clone(), redirects: Vec::new() });
    }

    pub(super) fn network(&mut self, name: &str, arguments: &[Word]) {
        let looks_up =
            ["dig", "nslookup", "host", "ping", "ping6", "traceroute", "tracepath", "whois"].contains(&name);
        let long = |word: &Word| word.text.split('.').any(|label| label.len() > 24);
        if looks_up && !arguments.iter().any(long) && arguments.iter().all(|word| word.known().is_some()) {
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

/// Returns whether all options before a subcommand are known options of a build program.
fn builds_known<'a>(name: &str, before: impl Iterator<Item = &'a Word>) -> bool {
    let mut options = before.filter(|word| word.text.starts_with('-')).peekable();
    options.peek().is_some() && options.all(|word| build_options::known(name, &word.text).is_some())
}

/// Returns whether arguments request a program's help. After the name of another program, the option belongs to that program.
fn asks_for_help(name: &str, arguments: &[Word], valued: &str) -> bool {
    const RUN_OTHERS: &[&str] = &["run", "exec", "dlx", "x", "create", "init"];
    let mut words = arguments.iter().take_while(|word| word.text != "--");
    let Some(at) = words.position(|word| word.text == "--help") else { return false };
    let before = &arguments[..at];
    let is_value =
        before.last().is_some_and(|word| valued.split_whitespace().any(|option| option == word.text));
    let of_another = match options::operands(before, valued)[..] {
        [_, ..] if ["npx", "bunx", "pnpx"].contains(&name) => true,
        [ref verbs @ .., _] => verbs.iter().any(|verb| RUN_OTHERS.contains(&verb.text.as_str())),
        [] => false,
    };
    !is_value && !of_another
}

/// Returns the text that `xargs` replaces with its input.
fn replaced(options: &[Word]) -> Option<String> {
    let at = options
        .iter()
        .position(|word| ["-I", "-i", "--replace"].iter().any(|option| word.text.starts_with(option)))?;
    let text = options[at].text.as_str();
    let token = match text {
        "-I" => options.get(at + 1).map_or("{}", |word| word.text.as_str()),
        "-i" | "--replace" => "{}",
        _ => text.trim_start_matches("--replace=").trim_start_matches("-I").trim_start_matches("-i"),
    };
    Some(token.to_owned()).filter(|token| !token.is_empty())
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
