//! Judges the arguments of programs by the kinds of the table.

use super::{
    finding::Finding,
    judge::{Run, ScriptJudge, unknown},
    options,
    paths::judge_write,
    programs::Program,
    variables,
};
use crate::validator::shell::Word;

impl ScriptJudge<'_> {
    /// Judges the files that a program writes.
    pub(super) fn written(&mut self, name: &str, program: &Program, arguments: &[Word]) {
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
    pub(super) fn build(&mut self, arguments: &[Word]) {
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
            words.push(Word::opaque());
        }
        self.run_with(Run { words, piped: run.piped, input: run.input.clone(), redirects: Vec::new() });
    }

    pub(super) fn network(&mut self, name: &str, arguments: &[Word]) {
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
