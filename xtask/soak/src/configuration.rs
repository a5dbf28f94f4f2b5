//! The configuration file of the kernel, which the run changes during calls.

use crate::{
    bad_servers,
    servers::{self, Servers},
};
use mgp_discovery::config::Config;
use std::{collections::BTreeMap, fmt::Write, fs, net::SocketAddr, path::PathBuf};
use tempfile::TempDir;

/// The principal of all hosts.
pub(crate) const AGENT: &str = "agent.soak";
/// The time limit of a call, in milliseconds, and another one that a reload sets for a server.
const CALL_TIMEOUTS_MS: [u64; 2] = [5000, 4500];
/// The time after which an unused sleeper is stopped, in seconds.
const SLEEPS_AFTER_SECS: u64 = 1;
/// The settings of all servers: a killed server is started again soon, however often it is killed. A handshake whose answer is lost
/// in a fault ends long before the hosts time out.
const SETTINGS: &str = "restart_policy = \"always\"
max_restarts = 1000
restart_window_secs = 60
backoff_base_ms = 100
backoff_max_ms = 1000
startup_timeout_ms = 30000
shutdown_timeout_ms = 3000
";

/// The settings of bad servers: a start takes longer than their presence, and a call ends soon.
const BAD_SETTINGS: &str = "era = \"initialize\"
restart_policy = \"always\"
max_restarts = 1000
restart_window_secs = 60
backoff_base_ms = 100
backoff_max_ms = 1000
startup_timeout_ms = 30000
shutdown_timeout_ms = 500
call_timeout_ms = 1000
";

/// The configuration file, in a separate folder that is removed with it.
#[derive(Debug)]
pub(crate) struct ConfigurationFile {
    folder: TempDir,
    program: String,
    mark: String,
    servers: Servers,
    /// The guests by number, with true for those in the file.
    pub(crate) guests: BTreeMap<usize, bool>,
    /// True if the file has more servers than the kernel accepts.
    pub(crate) is_crowded: bool,
    /// The address of the bad servers over HTTP, if the bad servers are in the file.
    pub(crate) bad: Option<SocketAddr>,
    /// The servers by number, with true for those with the other time limit.
    pub(crate) other_limit: BTreeMap<usize, bool>,
}

impl ConfigurationFile {
    pub(crate) fn new(servers: Servers, mark: &str) -> Result<Self, String> {
        let program =
            std::env::current_exe().map_err(|error| format!("failed to find this program: {error}"))?;
        let program = program.to_str().ok_or("failed to name this program: its path is not text")?.to_owned();
        let folder = tempfile::Builder::new().prefix(mark).tempdir();
        let folder = folder.map_err(|error| format!("failed to make a folder: {error}"))?;
        let guests = servers.guests().map(|number| (number, false)).collect();
        Ok(Self {
            folder,
            program,
            mark: mark.to_owned(),
            servers,
            guests,
            is_crowded: false,
            bad: None,
            other_limit: BTreeMap::new(),
        })
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("mgp.toml")
    }

    /// Writes the file with this text at its end, and reads it as `mgp serve` does.
    ///
    /// # Errors
    /// The reason why the file cannot be used.
    pub(crate) fn write_and_read(&self, after: &str) -> Result<Config, String> {
        let path = self.path();
        fs::write(&path, self.text() + after).map_err(|error| error.to_string())?;
        let bytes = fs::read(&path).map_err(|error| error.to_string())?;
        Config::parse(&path, &bytes, &|_| None).map_err(|error| error.to_string())
    }

    fn text(&self) -> String {
        let ([limit, _], good) = (CALL_TIMEOUTS_MS, self.servers.guests().end);
        let most = good + bad_servers::ALL.len();
        // The kernel keeps the limit from its start.
        let crowd = if self.is_crowded { good..good + most } else { 0..0 };
        let mut text = format!(
            "[kernel]\nagent = {AGENT:?}\ndefault_policy = \"opt-out\"\nexposure = \"full\"\ncall_timeout_ms = {limit}\n"
        );
        // A host that has left answers no question.
        let _ = write!(
            text,
            "question_timeout_ms = {limit}\n[kernel.limits]\nmax_servers = {}\n",
            most + crowd.len()
        );
        let guests = self.guests.iter().filter(|(_, is_there)| **is_there).map(|(number, _)| *number);
        for number in (0..self.servers.configured()).chain(guests).chain(crowd) {
            self.server(&mut text, number);
        }
        let bad = self.bad.iter().flat_map(|http| bad_servers::ALL.iter().map(move |bad| (bad, *http)));
        for (bad, http) in bad {
            let (id, address) = (bad.id, bad.address(&self.program, &self.mark, http));
            let _ = write!(text, "\n[[servers]]\nid = {id:?}\n{address}[servers.mgp]\n{BAD_SETTINGS}");
        }
        text
    }

    /// Adds a server: half of them use the era of `initialize`.
    fn server(&self, text: &mut String, number: usize) {
        let (id, args) = (servers::id(number), ["--child", &number.to_string(), &self.mark]);
        let era = if number.is_multiple_of(2) { "auto" } else { "initialize" };
        let _ = write!(
            text,
            "\n[[servers]]\nid = {id:?}\ncommand = {:?}\nargs = {args:?}\n[servers.mgp]\nera = {era:?}\n{SETTINGS}",
            self.program
        );
        if self.servers.sleepers().contains(&number) {
            let _ = writeln!(text, "lazy = true\nidle_timeout_secs = {SLEEPS_AFTER_SECS}");
        }
        if self.other_limit.get(&number) == Some(&true) {
            let _ = writeln!(text, "call_timeout_ms = {}", CALL_TIMEOUTS_MS[1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_lists_the_servers_and_half_of_it_is_an_error() {
        let servers = Servers { steady: 2 };
        let mut file = ConfigurationFile::new(servers, "soak-test").unwrap();
        assert_eq!(file.write_and_read("").unwrap().servers.len(), servers.configured());
        let guest = servers.guests().start;
        file.guests.insert(guest, true);
        file.other_limit.insert(1, true);
        let config = file.write_and_read("").unwrap();
        assert_eq!(config.servers.last().unwrap().id, servers::id(guest));
        assert_eq!(config.servers[1].settings().call_timeout_ms, Some(CALL_TIMEOUTS_MS[1]));
        assert_eq!(config.servers[2].settings().lazy, Some(true));
        assert!(file.write_and_read("[[servers]]\nid = \"soak0").is_err());
        file.bad = Some(([127, 0, 0, 1], 9).into());
        assert_eq!(
            file.write_and_read("").unwrap().servers.len(),
            config.servers.len() + bad_servers::ALL.len()
        );
    }
}
