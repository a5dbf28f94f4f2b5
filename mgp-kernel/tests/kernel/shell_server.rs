//! A server of a few lines of shell, which runs as a process of its own and logs what it reads.

use crate::support::until;
use mgp_discovery::config::Config;
use std::path::{Path, PathBuf};

/// A server with a resource `file:///a`, and a tool `work`, whose calls end once there is a certain file, or after two minutes.
const SCRIPT: &str = r#"
say() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
while IFS= read -r line; do
    printf '%s\n' "$line" >> "$1"
    id=$(printf '%s' "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\).*/\1/p')
    case "$line" in
    *'"method":"initialize"'*)
        say '{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{"subscribe":true}},"serverInfo":{"name":"sh","version":"1"}}' ;;
    *'"method":"tools/list"'*) say '{"tools":[{"name":"work","inputSchema":{"type":"object"}}]}' ;;
    *'"method":"resources/list"'*) say '{"resources":[{"uri":"file:///a","name":"a"}]}' ;;
    *'"method":"resources/templates/list"'*) say '{"resourceTemplates":[]}' ;;
    *'"method":"resources/subscribe"'*)
        if [ "$2" = dies ]; then exit 0; fi
        say '{}' ;;
    *'"method":"tools/call"'*)
        looks=0
        until [ -e "$1.ends" ] || [ $looks -ge 2400 ]; do
            looks=$((looks + 1))
            sleep 0.05
        done
        say '{"content":[{"type":"text","text":"done"}]}' ;;
    *'"method":"ping"'*) say '{}' ;;
    *) if [ -n "$id" ]; then
        printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}\n' "$id"
    fi ;;
    esac
done
"#;

/// The server, with the log of what it reads.
pub(crate) struct ShellServer {
    folder: PathBuf,
    log: PathBuf,
}

impl ShellServer {
    /// Writes the script of the server to a folder. Its log has the name `log`.
    pub(crate) fn new(folder: &Path, log: &str) -> Self {
        std::fs::write(folder.join("server.sh"), SCRIPT).unwrap();
        Self { folder: folder.to_owned(), log: folder.join(log) }
    }

    /// Returns the arguments of `sh` that start the server.
    pub(crate) fn arguments(&self) -> Vec<String> {
        [self.folder.join("server.sh"), self.log.clone()].map(|path| path.to_str().unwrap().to_owned()).into()
    }

    /// Returns a configuration with the server, with these keys in its table `mgp`.
    pub(crate) fn configuration(&self, mgp: &str) -> Config {
        let text = format!(
            "[[servers]]\nid = \"shell\"\ncommand = \"sh\"\nargs = {:?}\ndefault_policy = \"opt-out\"\n[servers.mgp]\n{mgp}\n",
            self.arguments()
        );
        Config::parse("mgp.toml".as_ref(), text.as_bytes(), &|_| None).unwrap()
    }

    /// Lets calls end: the one that runs, and all later ones.
    pub(crate) fn end_calls(&self) {
        std::fs::write(self.log.with_extension("ends"), "").unwrap();
    }

    /// Returns how often the server has read a method.
    pub(crate) fn count(&self, method: &str) -> usize {
        let method = format!("\"method\":\"{method}\"");
        let log = std::fs::read_to_string(&self.log).unwrap_or_default();
        log.lines().filter(|line| line.contains(&method)).count()
    }

    /// Waits until the server has read a method so often.
    pub(crate) async fn has_read(&self, method: &str, count: usize) {
        until(|| self.count(method) >= count).await;
    }
}
