//! Judges programs that find, remove and change files.

use super::{
    finding::Finding,
    judge::ScriptJudge,
    options,
    paths::{judge_read, judge_write},
    project_names::{is_made, is_output},
};
use crate::validator::shell::{OPAQUE, Word};

/// Judges the arguments of `find`.
pub(super) fn find(judge: &mut ScriptJudge<'_>, arguments: &[Word]) {
    let mut at = 0;
    let starts = arguments
        .iter()
        .skip_while(|word| ["-L", "-H", "-P"].contains(&word.text.as_str()))
        .take_while(|word| !word.text.starts_with(['-', '(', '!']));
    let outside = starts.into_iter().any(|start| judge_write(start).is_some());
    if outside {
        judge.composes();
    }
    // A delete of files with a certain name is a question; one of everything, or of another folder, does harm.
    let is_narrow = arguments.iter().any(|word| ["-name", "-iname", "-path"].contains(&word.text.as_str()))
        && !arguments.iter().any(|word| word.text == "*")
        && !arguments[0].text.starts_with('-')
        && !start_places(arguments).any(leaves_folder);
    while let Some(word) = arguments.get(at) {
        at += 1;
        match word.text.as_str() {
            "-delete" => {
                if at == arguments.len() && finds_outputs(&arguments[..at - 1]) {
                    remove_outputs(judge);
                } else if is_narrow {
                    judge.removes_all_of("a recursive delete");
                } else {
                    judge.harm("a recursive delete");
                }
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let rest = &arguments[at..];
                let ends = |at: &usize| {
                    rest[*at].text == ";" || (rest[*at].text == "+" && *at > 0 && rest[*at - 1].text == "{}")
                };
                let end = (0..rest.len()).find(ends).unwrap_or(rest.len());
                if outside {
                    judge.doubt("files outside the folder");
                }
                let file = |word: &Word| word.with_text(word.text.replace("{}", &OPAQUE.to_string()));
                let removes = end > 0
                    && end + 1 == rest.len()
                    && rest[0].text == "rm"
                    && rest[1..end].iter().all(|word| word.text == "{}" || word.text.starts_with('-'));
                if removes && finds_outputs(&arguments[..at - 1]) {
                    remove_outputs(judge);
                } else {
                    judge.run(rest[..end].iter().map(file).collect());
                }
                at += end + 1;
            }
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                if let Some(file) = arguments.get(at) {
                    judge.write(file);
                }
                judge.doubt("an option of find that writes a file");
            }
            "-files0-from" => judge.doubt("an option of find that is not known"),
            _ if word.known().is_none() && word.may_be_option() => {
                judge.doubt("an argument that may turn out to be an option");
            }
            _ => {}
        }
    }
}

/// Returns the paths at which a search starts.
fn start_places(arguments: &[Word]) -> impl Iterator<Item = &Word> {
    arguments.iter().take_while(|word| !word.text.starts_with(['-', '(', '!', ',']))
}

fn leaves_folder(word: &Word) -> bool {
    word.text.starts_with(['/', '~', OPAQUE]) || word.text.contains("..")
}

/// Returns whether the words before its action make a search find only build outputs, inside the folder: start paths, bounds, and one
/// name.
fn finds_outputs(before: &[Word]) -> bool {
    let count = start_places(before).count();
    let (mut names, mut rest) = (0, before[count..].iter());
    while let Some(word) = rest.next() {
        if ["-depth", "-print", "-prune"].contains(&word.text.as_str()) {
            continue;
        }
        let Some(value) = rest.next() else { return false };
        match word.text.as_str() {
            "-type" | "-maxdepth" | "-mindepth" => {}
            "-name" if is_made(&value.text) => names += 1,
            _ => return false,
        }
    }
    names == 1 && count > 0 && !start_places(before).any(leaves_folder)
}

fn remove_outputs(judge: &mut ScriptJudge<'_>) {
    if judge.reading {
        judge.changes_files();
    }
    judge.removes_outputs();
}

/// Judges the arguments of `rm`.
pub(super) fn remove(judge: &mut ScriptJudge<'_>, arguments: &[Word]) {
    if options::find(arguments, "-r -R --recursive", false).is_some() {
        let operands = options::operands(arguments, "");
        if !operands.is_empty() && operands.iter().all(|word| is_output(word)) {
            return remove_outputs(judge);
        }
        if operands.into_iter().all(is_inside) {
            judge.removes_all_of("recursive delete");
        } else {
            judge.harm("recursive delete");
        }
    }
    let may_be_option = |word: &Word| word.splits || word.text.starts_with('-');
    if arguments.iter().any(|word| word.known().is_none() && may_be_option(word)) {
        judge.doubt("an argument that may turn out to be an option");
    }
    for word in options::operands(arguments, "") {
        let bare = word.text.trim_end_matches(['/', '*', '.']);
        let everything = bare.is_empty() && word.text.contains(['/', '*'])
            || bare == "~"
            || word.text == "."
            || word.text == ".."
            || word.text.starts_with("..");
        if everything {
            judge.harm("recursive delete");
        }
        judge.remove(word);
    }
}

/// Returns whether a word names one path inside the folder, which is known now.
fn is_inside(word: &Word) -> bool {
    let text = word.text.trim_start_matches("./");
    let known = word.known().is_some() && !word.pattern && !word.splits;
    known
        && text.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        && !text.contains("..")
        && !text.contains(':')
}

/// Judges the arguments of `chmod`, `chown` and the like.
pub(super) fn chmod(judge: &mut ScriptJudge<'_>, name: &str, arguments: &[Word]) {
    if options::find(arguments, "-R --recursive", false).is_some() {
        let inside = options::operands(arguments, "").into_iter().skip(1).all(is_inside);
        let open = arguments.iter().any(|word| word.text.contains("777"));
        return if inside && !open {
            judge.doubt("a recursive change of rights");
        } else {
            judge.harm("a recursive change of rights");
        };
    }
    if name != "chmod" {
        return judge.doubt("a change of owner");
    }
    let operands = arguments.iter().filter(|word| !word.text.starts_with("--")).collect::<Vec<_>>();
    let Some((mode, files)) = operands.split_first() else { return };
    let text = mode.text.as_str();
    let octal = text.len() <= 4 && text.bytes().all(|b| (b'0'..=b'7').contains(&b));
    // Missing digits are leading zeros: the last one is always that of the others.
    let others = octal && text.ends_with(['2', '3', '6', '7']);
    let special =
        octal && text.len() == 4 && !text.starts_with('0') || text.contains('s') || text.contains('t');
    let opens = text.split(',').any(|clause| {
        let (who, what) = clause.split_at(clause.find(['+', '=', '-']).unwrap_or(clause.len()));
        who.contains(['o', 'a']) && !what.starts_with('-') && what.contains('w')
    });
    let symbolic = !octal && text.chars().all(|c| "ugoa+-=rwxX,".contains(c));
    if special {
        judge.harm("a change of rights to another user's");
    } else if others
        || opens
        || arguments.iter().any(|word| word.text.starts_with("--ref"))
        || !(octal || symbolic)
        || text.contains("o+w")
        || text.contains("a+w")
        || text.contains("a=")
        || text.contains("o=rw")
    {
        judge.doubt("rights for every user");
    }
    files.iter().for_each(|file| judge.note(judge_write(file)));
}

/// Judges the arguments of `dd`.
pub(super) fn dd(judge: &mut ScriptJudge<'_>, arguments: &[Word]) {
    let counts = arguments.iter().any(|word| word.text.starts_with("count="));
    for word in arguments {
        let endless = ["if=/dev/zero", "if=/dev/urandom", "if=/dev/random"].contains(&word.text.as_str());
        if endless && !counts {
            judge.doubt("a file without a size limit");
        }
        if word.text.starts_with("conv=") && word.text.contains("notrunc") {
            judge.doubt("a file that is overwritten in part");
        }
        if let Some(file) = word.text.strip_prefix("of=") {
            judge.write(&word.with_text(file));
        } else if let Some(file) = word.text.strip_prefix("if=") {
            judge.note(judge_read(&word.with_text(file)));
        } else if word.known().is_none() {
            judge.doubt("an argument that is not known");
        }
    }
}

/// Judges the arguments of `tar`, except the options that the table describes.
pub(super) fn tar(judge: &mut ScriptJudge<'_>, arguments: &[Word]) {
    if judge.reading {
        tar_changes(judge, arguments);
    } else if options::find(arguments, "-t --list -c --create", false).is_none() {
        judge.changes_files();
    }
    let clustered = arguments.first().filter(|word| !word.text.starts_with('-'));
    if clustered.is_some_and(|word| word.text.contains(['I', 'F', 'P'])) {
        judge.harm("an option of tar that runs or changes something");
    }
    let first = arguments.first().map_or("", |word| word.text.as_str());
    let creates = first.contains(['c', 'r', 'u', 'A']) && !first.starts_with("--")
        || options::find(arguments, "--create --append --update", false).is_some();
    for (at, word) in arguments.iter().enumerate() {
        let next = || arguments.get(at + 1);
        let short = word
            .text
            .strip_prefix('-')
            .filter(|letters| !letters.starts_with('-'))
            .or(clustered.filter(|_| at == 0).map(|word| word.text.as_str()));
        let long = |name: &str| {
            let (option, value) = word.text.split_once('=')?;
            (option.len() > 4 && name.starts_with(option)).then_some(value)
        };
        let abbreviated = word.text.len() > 4 && "--directory".starts_with(word.text.as_str());
        let glued = word.text.strip_prefix("-C").filter(|folder| !folder.is_empty());
        if let Some(folder) = long("--directory").or(long("--one-top-level")).or(glued) {
            judge.write(&Word::literal(folder));
        }
        if (word.text == "-C" || abbreviated || short.is_some_and(|letters| letters.ends_with('C')))
            && let Some(folder) = next()
        {
            judge.write(folder);
        }
        let letters = short.unwrap_or_default();
        let inside =
            letters.find('f').map(|at| &letters[at + 1..]).filter(|rest| rest.starts_with(['/', '~', '.']));
        let archive = long("--file")
            .or(inside)
            .map(Word::literal)
            .or_else(|| short.filter(|letters| letters.ends_with('f')).and_then(|_| next().cloned()));
        if let Some(archive) = archive.filter(|word| word.text != "-") {
            if creates {
                judge.write(&archive);
            }
            if archive.text.contains(':') {
                judge.note(Some(Finding::doubt("an archive on another machine")));
            }
        }
    }
}

/// Judges the changes by `tar`: it only reads if it lists, or extracts or creates to its standard output.
fn tar_changes(judge: &mut ScriptJudge<'_>, arguments: &[Word]) {
    const LETTERS: &str = "fCTXIbgHKNVFLo";
    const NAMES: &str = "--file --directory --files-from --exclude-from --exclude --use-compress-program --listed-incremental --index-file --transform --strip-components --owner --group --mtime --newer --volno-file";
    let mut words = arguments.to_vec();
    // The first word may be a cluster without a dash, whose values follow in order.
    let old = words.first().is_some_and(|word| {
        !word.text.starts_with('-') && word.text.chars().all(|c| c.is_ascii_alphabetic())
    });
    if let Some(first) = words.first_mut().filter(|_| old) {
        let cluster = first.text.clone();
        let valued: Vec<char> =
            cluster.chars().filter(|letter| LETTERS.contains(*letter) && *letter != 'o').collect();
        let mut rest = words.split_off(1).into_iter();
        let flags: String = cluster.chars().filter(|letter| !valued.contains(letter)).collect();
        words = if flags.is_empty() { Vec::new() } else { vec![Word::literal(format!("-{flags}"))] };
        for letter in valued {
            words.push(Word::literal(format!("-{letter}")));
            words.extend(rest.next());
        }
        words.extend(rest);
    }
    let parsed = options::parsed(&words, &LETTERS.replace('o', ""), NAMES);
    let has = |list: &[&str]| parsed.iter().any(|argument| list.contains(&argument.option.as_str()));
    let lists = has(&["-t", "--list", "-d", "--diff", "--compare", "--version", "--help"]);
    let prints = has(&["-x", "--extract", "--get"]) && has(&["-O", "--to-stdout"]);
    let archive = parsed.iter().rev().find(|argument| ["-f", "--file"].contains(&argument.option.as_str()));
    let streams = has(&["-c", "--create"])
        && archive.is_none_or(|archive| archive.value == "-" || archive.value == "/dev/null");
    let others = has(&[
        "-x",
        "--extract",
        "--get",
        "-r",
        "--append",
        "-u",
        "--update",
        "-A",
        "--catenate",
        "--concatenate",
        "--delete",
    ]);
    if !(lists && !others || prints || streams && !others)
        || has(&["-g", "--listed-incremental", "--index-file", "--remove-files", "--volno-file"])
    {
        judge.changes_files();
    }
}
