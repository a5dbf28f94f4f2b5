//! Grammars of programs that read with most of their options, and write with some: the options with which they only read.
//!
//! The options come from the manual pages. An option that is not listed is asked about.

use super::options::{Argument, parsed};
use crate::validator::shell::Word;

/// The grammar of a program.
struct Grammar {
    /// The names of the program, separated by blanks.
    names: &'static str,
    /// The short options without a value that only read.
    flags: &'static str,
    /// The short options with a value that only read.
    valued: &'static str,
    /// All short options that take a value.
    letters: &'static str,
    /// The long options that only read, with `=` after those that take a value.
    long: &'static str,
}

const GRAMMARS: &[Grammar] = &[
    Grammar {
        names: "sort",
        flags: "bdfghimMnRrVcCsuz",
        valued: "ktST",
        letters: "ktSTo",
        long: "--ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort --random-source= --reverse --sort= --version-sort --batch-size= --check --debug --files0-from= --key= --merge --stable --buffer-size= --field-separator= --temporary-directory= --parallel= --unique --zero-terminated --help --version",
    },
    Grammar {
        names: "shuf",
        flags: "erz",
        valued: "in",
        letters: "ino",
        long: "--echo --input-range= --head-count= --random-source= --repeat --zero-terminated --help --version",
    },
    Grammar {
        names: "date",
        flags: "uRI",
        valued: "dfrv",
        letters: "dfrvsI",
        long: "--date= --debug --file= --iso-8601 --resolution --rfc-email --rfc-3339 --reference= --utc --universal --help --version",
    },
    Grammar {
        names: "iconv",
        flags: "cls",
        valued: "ft",
        letters: "fto",
        long: "--from-code= --to-code= --list --silent --verbose --help --version",
    },
    Grammar {
        names: "cloc",
        flags: "v",
        valued: "",
        letters: "",
        long: "--by-file --by-file-by-lang --by-percent= --by-percent --csv --csv-delimiter= --json --md --xml --yaml --sum-one --quiet --hide-rate --exclude-dir= --exclude-ext= --exclude-lang= --include-ext= --include-lang= --match-f= --not-match-f= --match-d= --not-match-d= --vcs= --git --diff --ignore-case --ignore-whitespace --max-file-size= --fullpath --follow-links --no-recurse --skip-uniqueness --show-lang --show-ext --processes= --progress-rate= --list-file= --exclude-list-file= --count-and-diff --no3 --3 --help --version --timeout= --docstring-as-code --autoconf --force-lang= --include-content= --exclude-content=",
    },
    Grammar {
        names: "tree",
        flags: "adlfxJXiAqNQpugshDFvtcUrn CS",
        valued: "LPIHT",
        letters: "LPIHTo",
        long: "--noreport --gitignore --dirsfirst --filesfirst --charset= --filelimit= --timefmt= --si --du --prune --inodes --device --sort= --matchdirs --ignore-case --metafirst --nolinks --fromfile --help --version --info --hintro= --houtro= --infofile= --gitfile=",
    },
    Grammar {
        names: "rpm",
        flags: "qaVilRcdpsKv",
        valued: "f",
        letters: "fDEr",
        long: "--query --verify --all --info --list --requires --provides --changelog --scripts --queryformat= --qf= --whatprovides= --whatrequires= --last --conflicts --obsoletes --docfiles --configfiles --state --file= --group= --version --help --checksig --nodeps --nofiles --querytags --triggers --dump --recommends --suggests --qfmt= --noscripts",
    },
    Grammar {
        names: "dpkg",
        flags: "lLSsCVIc",
        valued: "p",
        letters: "irPpx",
        long: "--list --listfiles --search --status --audit --verify --print-avail --print-architecture --print-foreign-architectures --get-selections --compare-versions --version --help --info --contents --no-pager --field --assert-support-predepends --yet-to-unpack",
    },
    Grammar {
        names: "pygmentize",
        flags: "gVhs",
        valued: "lfFHSPLN",
        letters: "lfFHSPOoLN",
        long: "--help --version",
    },
    Grammar {
        names: "bat batcat",
        flags: "nApPud",
        valued: "lHmrb",
        letters: "lHmrb",
        long: "--plain --language= --highlight-line= --line-range= --style= --color= --theme= --number --show-all --paging= --decorations= --wrap= --tabs= --map-syntax= --file-name= --diff --diff-context= --list-languages --list-themes --terminal-width= --force-colorization --help --version --no-pager --squeeze-blank --config-file --config-dir --cache-dir --italic-text= --nonprintable-notation= --chop-long-lines --strip-ansi=",
    },
    Grammar {
        names: "unzip",
        flags: "lpvtZ1zqahsmTCcMUj",
        valued: "x",
        letters: "dxP",
        long: "--help --version",
    },
    Grammar {
        names: "base64 base32",
        flags: "dDi",
        valued: "w b",
        letters: "wbio",
        long: "--decode --ignore-garbage --wrap= --help --version --break= --input=",
    },
    Grammar {
        names: "ss",
        flags: "tulnpaexmisr46HoOZzbEwd0",
        valued: "fA",
        letters: "fAFDN",
        long: "--tcp --udp --listening --numeric --processes --all --extended --memory --info --summary --ipv4 --ipv6 --no-header --options --unix --resolve --raw --family= --query= --oneline --help --version --cgroup --tos --context --events",
    },
];

/// Returns whether a program only reads with its arguments; `None` if its grammar is not known.
pub(super) fn only_reads(name: &str, arguments: &[Word]) -> Option<bool> {
    let grammar = GRAMMARS.iter().find(|grammar| grammar.names.split(' ').any(|other| other == name))?;
    let names: Vec<&str> =
        grammar.long.split_whitespace().filter_map(|name| name.strip_suffix('=')).collect();
    let arguments = parsed(arguments, grammar.letters, &names.join(" "));
    let listed = |Argument { option, .. }: &Argument| {
        let letter = option.strip_prefix('-').filter(|letter| !letter.starts_with('-'));
        match letter {
            Some(letter) => {
                grammar.flags.contains(letter)
                    || grammar.valued.contains(letter)
                    || name != "rpm" && letter.chars().all(|c| c.is_ascii_digit())
            }
            None => {
                option.is_empty()
                    || grammar.long.split_whitespace().any(|long| long.trim_end_matches('=') == option)
            }
        }
    };
    let every = arguments.iter().all(listed);
    let has = |list: &[&str]| arguments.iter().any(|argument| list.contains(&argument.option.as_str()));
    let operands = || arguments.iter().filter(|argument| argument.option.is_empty());
    Some(
        every
            && match name {
                // A date without a leading sign sets the clock.
                "date" => {
                    operands().all(|argument| argument.value.starts_with('+') || has(&["-j", "-v", "-r"]))
                }
                "rpm" => has(&[
                    "-q",
                    "-V",
                    "-K",
                    "--query",
                    "--verify",
                    "--checksig",
                    "--version",
                    "--help",
                    "--querytags",
                ]),
                "dpkg" => has(&[
                    "-l",
                    "-L",
                    "-S",
                    "-s",
                    "-C",
                    "-V",
                    "-I",
                    "-c",
                    "-p",
                    "--list",
                    "--listfiles",
                    "--search",
                    "--status",
                    "--audit",
                    "--verify",
                    "--print-avail",
                    "--print-architecture",
                    "--print-foreign-architectures",
                    "--get-selections",
                    "--compare-versions",
                    "--version",
                    "--help",
                    "--info",
                    "--contents",
                ]),
                "unzip" => has(&["-l", "-p", "-v", "-t", "-Z", "-z", "-c", "-h", "--help", "--version"]),
                "bat" | "batcat" => operands().next().is_none_or(|argument| argument.value != "cache"),
                _ => true,
            },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listed_options_read() {
        for (line, reads) in [
            ("sort -t, -k3,3nr a", Some(true)),
            ("sort -uonames.txt a", Some(false)),
            ("sort -to a", Some(true)),
            ("date -Iseconds", Some(true)),
            ("date -s now", Some(false)),
            ("date 01010000", Some(false)),
            ("rpm -qi bash", Some(true)),
            ("rpm -i a.rpm", Some(false)),
            ("unzip -l a.zip", Some(true)),
            ("unzip a.zip -x -l", Some(false)),
            ("cat a", None),
        ] {
            let words: Vec<Word> = line.split(' ').map(Word::literal).collect();
            assert_eq!(only_reads(&words[0].text, &words[1..]), reads, "{line}");
        }
    }
}
