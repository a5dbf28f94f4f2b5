//! Values that are known only when a script runs.

use super::{
    judge::{Run, ScriptJudge},
    options,
    paths::{composes, normal},
};
use crate::validator::shell::{OPAQUE, Word};

impl ScriptJudge<'_> {
    /// Judges values that are known only when the script runs, and their sources.
    pub(super) fn values(&mut self, name: &str, run: &Run) {
        let arguments = &run.words[1..];
        let decodes = options::find(arguments, "-d -D -r --decode", false).is_some();
        let spells = |word: &Word| {
            let text = word.text.replace("\\n", "").replace("\\t", "");
            text.contains(['/', '~', '\\'])
        };
        let inserts = |word: &Word| word.text.contains(['~', ',', '|', '#']) && word.text.contains('/');
        let prints = |word: &Word| word.text.contains("\"/") || word.text.contains("\"~");
        self.traits.composes |= match name {
            "base64" | "base32" | "basenc" | "xxd" | "openssl" => decodes,
            "rev" => true,
            "echo" => {
                run.captured
                    || arguments.iter().any(|word| word.text.contains("\\0") || word.text.contains("\\x"))
            }
            "tr" => run.captured || run.piped,
            "awk" | "gawk" | "mawk" => run.captured || arguments.iter().any(prints),
            "printf" => run.captured || arguments.iter().any(spells),
            "sed" => run.captured || arguments.iter().any(inserts),
            // The values of a loop.
            ":" => arguments.iter().any(|word| word.text.starts_with(['/', '~'])),
            "set" => arguments.iter().any(composes),
            _ => false,
        };
        let shows =
            ["echo", "printf", "test", "[", ":", "export", "read", "seq", "tr", "rev", "git"].contains(&name);
        self.traits.opaque |= !shows && arguments.iter().any(|word| word.text.starts_with(OPAQUE));
        if ["cd", "pushd"].contains(&name) {
            self.go_to(arguments);
        }
        if name == "printenv" && arguments.is_empty() {
            self.doubt("the whole environment");
        }
        let whole = |word: &Word| {
            let path = normal(&word.text);
            let own = ["/home/", "/Users/"]
                .iter()
                .find_map(|top| path.strip_prefix(top))
                .is_some_and(|rest| !rest.contains('/'));
            own || ["/", "/etc", "~", "/home", "/root", "/var"].contains(&path.as_str())
        };
        let gathers = ["tar", "zip", "cp", "rsync", "grep", "rg", "ag"].contains(&name);
        if gathers && arguments.iter().any(whole) {
            self.doubt("every file of the system or of the user");
        }
    }
}
