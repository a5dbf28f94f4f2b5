//! Judges programs that fetch something from a host.

use super::{finding::Finding, judge::ScriptJudge, options, paths::judge_read};
use crate::validator::shell::{OPAQUE, Word};
use url::Url;

/// The options of a program that fetches. Options that are not listed are asked about.
#[derive(Debug)]
struct Grammar {
    /// The letters of options without a value.
    flags: &'static str,
    /// The letters of options with a value, each with the long name.
    valued: &'static [(char, &'static str)],
    /// The long options without a value.
    long_flags: &'static str,
    /// The long options with a value.
    long_valued: &'static str,
}

const CURL: Grammar = Grammar {
    flags: "sSfLiIvgN#46GORkhVa",
    valued: &[
        ('o', "output"),
        ('H', "header"),
        ('X', "request"),
        ('d', "data"),
        ('m', "max-time"),
        ('w', "write-out"),
        ('A', "user-agent"),
        ('e', "referer"),
        ('b', "cookie"),
        ('c', "cookie-jar"),
        ('D', "dump-header"),
        ('F', "form"),
        ('u', "user"),
        ('r', "range"),
        ('x', "proxy"),
    ],
    long_flags: "--silent --show-error --fail --fail-with-body --location --include --head --verbose --insecure --compressed --globoff --no-buffer --progress-bar --no-progress-meter --get --remote-name --ipv4 --ipv6 --http1.1 --http2 --create-dirs --parallel --retry-all-errors --path-as-is --help --version",
    long_valued: "output header request data data-raw data-binary data-ascii data-urlencode json form form-string max-time connect-timeout write-out user-agent referer cookie cookie-jar dump-header user retry retry-delay retry-max-time url range limit-rate max-redirs proxy",
};

const WGET: Grammar = Grammar {
    flags: "qSchV46",
    valued: &[
        ('O', "output"),
        ('o', "output"),
        ('a', "output"),
        ('P', "output"),
        ('T', "timeout"),
        ('t', "tries"),
        ('U', "user-agent"),
        ('w', "wait"),
    ],
    long_flags: "-nv -nc --quiet --no-verbose --verbose --spider --server-response --no-check-certificate --content-on-error --continue --no-clobber --timestamping --show-progress --no-cache --help --version",
    long_valued: "output-document output-file append-output directory-prefix timeout tries user-agent header method body-data post-data wait max-redirect referer connect-timeout read-timeout dns-timeout progress",
};

/// Judges the arguments of `curl` or `wget`.
pub(super) fn judge(judge: &mut ScriptJudge<'_>, name: &str, arguments: &[Word]) {
    let grammar = if name == "curl" { &CURL } else { &WGET };
    let (mut targets, mut shows) = (Vec::new(), false);
    let prints = name == "curl"
        || arguments.iter().any(|word| {
            word.text.ends_with("O-") || ["--spider", "-O", "--output-document"].contains(&word.text.as_str())
        });
    let keeps = |word: &Word| {
        let letters = word.text.strip_prefix('-').filter(|rest| !rest.starts_with('-')).unwrap_or_default();
        let end = letters.find(|c| "oHXdmwAebcDFurx".contains(c)).unwrap_or(letters.len());
        letters[..end].contains('O') || word.text.starts_with("--remote-name")
    };
    if !prints || name == "curl" && arguments.iter().any(keeps) {
        judge.changes_files();
        for word in arguments {
            let file = word.text.rsplit('/').next().unwrap_or_default();
            judge.write(&Word::literal(file.split('?').next().unwrap_or_default()));
        }
    }
    controls(judge, arguments);
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        shows |= ["--help", "--version", "-V", "-h"].contains(&text);
        if !text.starts_with('-') || text.len() == 1 {
            targets.push(text);
            continue;
        }
        let Some(option) = grammar.option(text) else {
            judge.note(Some(Finding::doubt(format!("an option of {name} that is not known"))));
            continue;
        };
        let Some((option, glued)) = option else { continue };
        let next = || rest.next().map_or("", |word| word.text.as_str());
        let value = glued.unwrap_or_else(next);
        match option {
            "url" | "proxy" => targets.push(value),
            _ => judge_value(judge, option, value),
        }
    }
    if targets.is_empty() && !shows {
        judge.doubt("a connection to a host that is not known");
    }
    targets.iter().for_each(|target| judge_target(judge, target));
}

/// Ports at which services accept commands that reach beyond a project.
const CONTROLS: &[&str] = &[
    ":2375", ":2376", ":2379", ":4444", ":5984", ":6443", ":8001", ":8123", ":8200", ":8500", ":8888",
    ":9200", ":10250", ":10255",
];

/// Judges requests to services of this machine that control more than the project, or reveal its secrets.
fn controls(judge: &mut ScriptJudge<'_>, arguments: &[Word]) {
    let any = |test: &dyn Fn(&str) -> bool| arguments.iter().any(|word| test(&word.text));
    let orders = any(&|text| {
        ["POST", "PUT", "DELETE", "PATCH"].iter().any(|method| text.ends_with(method))
            || text.starts_with("-d")
            || text.starts_with("--data")
            || text.starts_with("--json")
    });
    let controlled = |text: &str| CONTROLS.iter().any(|port| text.contains(port));
    let told = |text: &str| {
        let inner = text.split_once("/actuator/").map(|(_, rest)| rest);
        inner.is_some_and(|rest| {
            !["health", "info", "metrics", "prometheus"].iter().any(|open| rest.starts_with(open))
        }) || text.starts_with(['h', 'l', '1']) && text.contains("/secret")
    };
    let asks =
        any(&|text| ["/_search", "/_count", "/_mapping", "/_analyze"].iter().any(|path| text.contains(path)));
    if orders && any(&controlled) && !asks || any(&told) {
        judge.doubt("a command to a service, or a request for its secrets");
    }
    if any(&|text| text.split_once('?').is_some_and(|(_, query)| query.contains("://"))) {
        judge.doubt("an address that leads to another one");
    }
}

impl Grammar {
    /// Reads an option: its long name and its attached value, or `None` inside for one without a value. Returns `None` for an unknown
    /// option.
    fn option<'a>(&self, text: &'a str) -> Option<Option<(&'static str, Option<&'a str>)>> {
        if self.long_flags.split(' ').any(|flag| flag == text) {
            return Some(None);
        }
        if let Some(long) = text.strip_prefix("--") {
            let (name, value) =
                long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            let name = self.long_valued.split(' ').find(|valued| *valued == name)?;
            return Some(Some((name, value)));
        }
        for (at, letter) in text.char_indices().skip(1) {
            if let Some((_, name)) = self.valued.iter().find(|(valued, _)| *valued == letter) {
                let glued = &text[at + letter.len_utf8()..];
                return Some(Some((name, (!glued.is_empty()).then_some(glued))));
            }
            self.flags.contains(letter).then_some(())?;
        }
        Some(None)
    }
}

/// Judges the value of an option.
fn judge_value(judge: &mut ScriptJudge<'_>, option: &str, value: &str) {
    let file = match option {
        "output" | "output-document" | "output-file" | "append-output" | "directory-prefix"
        | "dump-header" | "cookie-jar" => {
            return if value != "-" {
                judge.write(&Word::literal(value));
            };
        }
        "data" | "data-ascii" | "data-binary" | "json" | "header" => value.strip_prefix('@'),
        "data-urlencode" => value.split_once('@').map(|(_, file)| file),
        "form" => value.split_once('=').and_then(|(_, value)| value.strip_prefix(['@', '<'])),
        "cookie" => (!value.contains('=')).then_some(value),
        "write-out" if value.contains("%output") => Some(value),
        "write-out" => value.strip_prefix('@'),
        _ => None,
    };
    if let Some(file) = file {
        judge.note(judge_read(&Word::literal(file)));
        judge.doubt("a file that is sent");
    }
}

/// Judges the host of a repository, and the target folder.
pub(super) fn hosts(judge: &mut ScriptJudge<'_>, rest: &[Word]) {
    let settings =
        options::find(rest, "-c --config -u --recurse-submodules --reference --separate-git-dir", false);
    if settings.is_some() {
        judge.doubt("an option of git that may run something");
    }
    let operands = options::operands(rest, "-b --branch --depth -o --origin -j --jobs --filter");
    let Some((target, behind)) = operands.split_first() else { return };
    judge_target(judge, &target.text);
    behind.iter().for_each(|folder| judge.write(folder));
}

fn judge_target(judge: &mut ScriptJudge<'_>, target: &str) {
    if target.contains(OPAQUE) {
        return judge.doubt("a connection whose target is known only when it runs");
    }
    let Some(host) = host_of(target) else { return judge.doubt("a connection to a host that is not known") };
    if host.starts_with("169.254.")
        || host == "metadata.google.internal"
        || host == "metadata"
        || host == "[fd00:ec2::254]"
    {
        return judge.harm("a connection to a metadata service");
    }
    let own = ["localhost", "127.0.0.1", "[::1]"].contains(&&*host);
    let allowed = judge.settings().hosts.iter().any(|allowed| {
        let allowed = allowed.trim_start_matches("*.");
        host == allowed || host.strip_suffix(allowed).is_some_and(|rest| rest.ends_with('.'))
    });
    if !(own || allowed || judge.reading) {
        judge.note(Some(Finding::doubt(format!("a connection to {host}"))));
    }
}

/// Returns the host of an address, in lower case.
fn host_of(target: &str) -> Option<String> {
    let url = if target.contains("://") {
        target.to_owned()
    } else if let Some((user_host, _)) = target.split_once(':').filter(|(before, _)| before.contains('@')) {
        format!("ssh://{user_host}")
    } else {
        format!("http://{target}")
    };
    let url = Url::parse(&url).ok()?;
    if !["http", "https", "ssh", "git", "ftp"].contains(&url.scheme()) {
        return None;
    }
    url.host_str().map(str::to_ascii_lowercase)
}
