//! Judges programs that fetch something from a host.

use super::{finding::Finding, judge::ScriptJudge, options, paths::judge_read};
use crate::validator::shell::{OPAQUE, Word};
use url::Url;

/// The options of `curl` and `wget` that are followed by a value.
const VALUED: &str = "-o -O -d -H -X -F -T -u -A -e -b -c -m -w -x -K -E -r -y -Y -z -P -t --output --data --data-raw --data-binary --data-urlencode --header --request --form --upload-file --user --user-agent --referer --cookie --cookie-jar --max-time --write-out --proxy --config --cert --connect-timeout --retry --url --timeout --tries --output-document --json --limit-rate --range --resolve --post-data --method --body-data --retry-delay --retry-max-time";

/// Judges the arguments of `curl` or `wget`.
pub(super) fn judge(judge: &mut ScriptJudge<'_>, name: &str, arguments: &[Word]) {
    let config = if name == "wget" {
        "--execute --config --use-askpass --post-file --body-file -i --input-file"
    } else {
        "-K --config --upload-file -T --engine --libcurl --dump-header --trace"
    };
    if options::find(arguments, config, false).is_some() {
        judge.doubt("an option that reads or sends a file");
    }
    if name == "wget"
        && options::find(arguments, "-r -m --recursive --mirror -P --directory-prefix -e", false).is_some()
    {
        judge.doubt("files that are written");
    }
    for (at, word) in arguments.iter().enumerate() {
        let text = word.text.as_str();
        let value = arguments.get(at + 1).map_or("", |next| next.text.as_str());
        let output = (name == "curl" && (text == "-o" || text == "--output"))
            || (name == "wget" && (text == "-O" || text == "--output-document"));
        let cluster = text.starts_with('-')
            && !text.starts_with("--")
            && text.len() > 2
            && text.ends_with(if name == "wget" { 'O' } else { 'o' });
        if output || cluster {
            judge.write(&Word::literal(value));
        } else if let Some(file) = text
            .strip_prefix("--output=")
            .or(text.strip_prefix("--output-document="))
            .or(text.strip_prefix("-o").filter(|_| !cluster))
        {
            judge.write(&Word::literal(file));
        }
        let sends = [
            "-d",
            "-F",
            "--data",
            "--data-binary",
            "--data-urlencode",
            "--form",
            "--json",
            "-b",
            "--cookie",
            "-H",
            "--header",
        ]
        .iter()
        .any(|option| text.starts_with(option));
        if sends
            && (value.contains('@') && !value.contains(' ') && !value.starts_with("User")
                || text.contains("=@")
                || text.contains('@')
                || value.starts_with('@'))
        {
            judge.note(judge_read(&Word::literal(value.rsplit('@').next().unwrap_or_default())));
            judge.doubt("a file that is sent");
        }
    }
    let operands = options::operands(arguments, VALUED);
    let named: Vec<&str> = operands
        .iter()
        .map(|word| word.text.as_str())
        .chain(arguments.iter().filter_map(|word| word.text.strip_prefix("--url=")))
        .chain(
            arguments
                .iter()
                .zip(arguments.iter().skip(1))
                .filter(|(option, _)| {
                    ["--url", "-x", "--proxy", "--resolve", "--connect-to"].contains(&option.text.as_str())
                })
                .map(|(_, value)| value.text.as_str()),
        )
        .collect();
    if named.is_empty() {
        if options::find(arguments, "--version --help -V -h", false).is_none() {
            judge.doubt("a connection to a host that is not known");
        }
        return;
    }
    named.iter().for_each(|target| judge_target(judge, target));
}

/// Judges the host of a repository.
pub(super) fn hosts(judge: &mut ScriptJudge<'_>, rest: &[Word], target: &str) {
    let settings =
        options::find(rest, "-c --config -u --recurse-submodules --reference --separate-git-dir", false);
    if settings.is_some() {
        judge.doubt("an option of git that may run something");
    }
    judge_target(judge, target);
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
    let allowed = judge.settings.hosts.iter().any(|allowed| {
        let allowed = allowed.trim_start_matches("*.");
        host == allowed || host.strip_suffix(allowed).is_some_and(|rest| rest.ends_with('.'))
    });
    if !(own || allowed) {
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
