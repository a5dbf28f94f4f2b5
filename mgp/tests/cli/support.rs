//! Runs the program in a folder of its own, without the files and variables of the user who runs the tests.

use serde_json::Value;
use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::mpsc::{Receiver, channel},
};
use tempfile::TempDir;
use xtask_testing::block_until_some;

const PROGRAM: &str = env!("CARGO_BIN_EXE_mgp");

/// A user with an empty home, a working folder and a state folder.
pub(crate) struct User {
    folder: TempDir,
    /// True if every command of the user asks for the demo's servers.
    demo: bool,
}

/// The exit code and the output of a command that has ended.
#[derive(Debug)]
pub(crate) struct CommandOutput {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl User {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("project")).unwrap();
        Self { folder, demo: false }
    }

    /// Creates a user of the demo's servers.
    pub(crate) fn of_demo() -> Self {
        Self { demo: true, ..Self::new() }
    }

    /// Creates a user whose own configuration has the notes of the demo, imported from another host's list.
    pub(crate) fn with_notes() -> Self {
        let user = Self::new();
        user.write("list.json", &user.notes_list());
        user.run(&["init", "--from", "list.json"]).succeeds();
        // A host that lists the tools once does not miss a server that starts slowly.
        let own = user.own_configuration();
        let file = text(&own).replace("[kernel]\n", "[kernel]\nstart_wait_ms = 60000\n");
        std::fs::write(own, file).unwrap();
        user
    }

    /// Returns another host's list with the notes of the demo.
    pub(crate) fn notes_list(&self) -> String {
        let db = self.path("notes.sqlite3");
        serde_json::json!({ "mcpServers": { "notes": {
            "command": PROGRAM, "args": ["embedded-server", "notes", "--db", db],
        } } })
        .to_string()
    }

    /// Returns a path in the working folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("project").join(name)
    }

    /// Returns the folder of the control sockets.
    #[cfg(unix)]
    pub(crate) fn control(&self) -> PathBuf {
        self.folder.path().join("state/control")
    }

    /// Returns the names and contents of the files in the state folder.
    pub(crate) fn state_files(&self) -> Vec<(String, Vec<u8>)> {
        let entries = std::fs::read_dir(self.folder.path().join("state")).unwrap();
        let files = entries.map(Result::unwrap).filter(|entry| entry.file_type().unwrap().is_file());
        let read = |entry: std::fs::DirEntry| {
            (entry.file_name().to_string_lossy().into_owned(), std::fs::read(entry.path()).unwrap())
        };
        files.map(read).collect()
    }

    /// Returns a path in the home folder.
    #[cfg(target_os = "linux")]
    pub(crate) fn home(&self, name: &str) -> PathBuf {
        self.folder.path().join("home").join(name)
    }

    /// Returns the path of the user's own configuration.
    pub(crate) fn own_configuration(&self) -> PathBuf {
        self.folder.path().join("home/.config/mgp/servers.toml")
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// Returns a command that runs the program with arguments, and is not started yet.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let home = self.folder.path().join("home");
        let mut command = Command::new(PROGRAM);
        command
            .args(args)
            .args(self.demo.then_some("--demo"))
            .current_dir(self.folder.path().join("project"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", home.join(".config"))
            .env("APPDATA", home.join(".config"))
            .env("MGP_STATE_DIR", self.folder.path().join("state"))
            .env("USER", "ann")
            .env("MGP_KEYRING", "off")
            // A gateway for all hosts would outlive its test.
            .env("MGP_ALONE", "1");
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> CommandOutput {
        self.run_with(args, "")
    }

    /// Runs a command that gets `input` on stdin.
    pub(crate) fn run_with(&self, args: &[&str], input: &str) -> CommandOutput {
        ended(self.command(args), input)
    }

    /// Runs a command with `--json` and reads the one document that it prints.
    pub(crate) fn json(&self, args: &[&str]) -> (i32, Value) {
        let ended = self.run(&[&["--json"], args].concat());
        let document =
            serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
        (ended.code, document)
    }

    /// Returns the text with this user's folder as `~`, for comparison in a test.
    pub(crate) fn without_folder(&self, text: &str) -> String {
        let real = self.folder.path().canonicalize().unwrap();
        text.replace(real.to_str().unwrap(), "~").replace(self.folder.path().to_str().unwrap(), "~")
    }

    /// Starts `mgp serve` and does the handshake of a plain MCP host.
    pub(crate) fn serve(&self, args: &[&str]) -> Host {
        self.greeted(self.command(&[&["serve"], args].concat())).0
    }

    /// Starts a command that serves and does the handshake of a plain MCP host. Returns the answer to the handshake as well.
    pub(crate) fn greeted(&self, command: Command) -> (Host, Value) {
        self.greeted_by("test", command)
    }

    /// Does the same for a host whose program states a name.
    pub(crate) fn greeted_by(&self, name: &str, command: Command) -> (Host, Value) {
        let mut host = Host::start(command);
        host.send(1, "initialize", &serde_json::json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": name, "version": "1" },
        }));
        let greeting = host.reply(1);
        assert_eq!(greeting["result"]["serverInfo"]["name"], "mgp");
        host.line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        (host, greeting)
    }
}

pub(crate) fn ended(mut command: Command, input: &str) -> CommandOutput {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A program that does not read its input may have closed it.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    CommandOutput {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

impl CommandOutput {
    #[track_caller]
    pub(crate) fn succeeds(self) -> Self {
        assert_eq!(self.code, 0, "{self:?}");
        self
    }

    #[track_caller]
    pub(crate) fn fails_with(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:?}");
        self
    }
}

/// A host that started `mgp serve`.
pub(crate) struct Host {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    /// The lines of stderr that no test has waited for.
    stderr: Receiver<String>,
}

impl Host {
    fn start(mut command: Command) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (lines, stderr) = channel();
        let written = BufReader::new(child.stderr.take().unwrap());
        // It reads to the end also if nobody listens, so that the program is never held up.
        std::thread::spawn(move || {
            written.lines().map_while(Result::ok).for_each(|line| drop(lines.send(line)));
        });
        Self { stdin: child.stdin.take(), stdout, stderr, child }
    }

    /// Waits for a line on stderr that has a text.
    #[track_caller]
    pub(crate) fn says(&self, text: &str) {
        block_until_some(|| self.stderr.try_iter().find(|line| line.contains(text)));
    }

    pub(crate) fn line(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    pub(crate) fn send(&mut self, id: i64, method: &str, params: &Value) {
        self.line(
            &serde_json::json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
                .to_string(),
        );
    }

    pub(crate) fn call(&mut self, id: i64, tool: &str, arguments: &Value) {
        let meta = serde_json::json!({ "progressToken": id });
        self.send(
            id,
            "tools/call",
            &serde_json::json!({ "name": tool, "arguments": arguments, "_meta": meta }),
        );
    }

    /// Reads the next message.
    pub(crate) fn message(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.stdout.read_line(&mut line).unwrap() > 0, "the program has ended");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Reads the reply to a request, and skips the messages before it.
    pub(crate) fn reply(&mut self, id: i64) -> Value {
        loop {
            let message = self.message();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    /// Returns the id of the process.
    #[cfg(unix)]
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Closes stdin.
    pub(crate) fn close(&mut self) {
        self.stdin = None;
    }

    #[cfg(unix)]
    pub(crate) fn signal(&self, signal: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
    }

    /// Kills the program at once.
    #[cfg(unix)]
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits for the end and returns the exit code.
    pub(crate) fn end(mut self) -> i32 {
        let status = block_until_some(|| self.child.try_wait().unwrap());
        status.code().unwrap_or(-1)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}
