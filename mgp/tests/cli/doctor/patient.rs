//! A user with a sound installation, in which faults are planted.

use crate::{
    shell_server,
    support::{CommandOutput, Host, User, ended},
};
use std::{
    any::Any,
    cell::{Cell, RefCell},
    fs,
    os::unix::fs::{PermissionsExt, chown, symlink},
    path::{Path, PathBuf},
    process::Command,
};

pub(super) const PROGRAM: &str = env!("CARGO_BIN_EXE_mgp");

/// A user with one server, one connected host, and the program in `PATH`.
pub(super) struct Patient {
    pub(super) user: User,
    /// The variables that the doctor gets in addition.
    variables: RefCell<Vec<(String, String)>>,
    /// The arguments of the doctor.
    pub(super) args: RefCell<Vec<String>>,
    /// True if this account cannot plant the fault.
    pub(super) cannot_be_planted: Cell<bool>,
    /// Anything that must last until the doctor has run.
    kept: RefCell<Vec<Box<dyn Any>>>,
}

impl Patient {
    pub(super) fn new() -> Self {
        let user = User::new();
        let patient = Self {
            user,
            variables: RefCell::default(),
            args: RefCell::default(),
            cannot_be_planted: Cell::default(),
            kept: RefCell::default(),
        };
        fs::create_dir_all(patient.user.home(".cursor")).unwrap();
        fs::create_dir_all(patient.state("")).unwrap();
        mode(&patient.state(""), 0o700);
        fs::create_dir(patient.user.path("bin")).unwrap();
        fs::create_dir(patient.user.path("run")).unwrap();
        symlink(PROGRAM, patient.user.path("bin/mgp")).unwrap();
        let table = shell_server::table(&patient.user, "s", "here", "");
        let script = fs::read_to_string(patient.user.path("server.sh")).unwrap();
        patient.user.write("server.sh", &format!("echo start >> \"$0.starts\"\n{script}"));
        patient.configure(&table);
        patient.connect(&[]);
        patient.set("XDG_RUNTIME_DIR", patient.user.path("run").to_str().unwrap());
        patient.set("PATH", &patient.search_path());
        patient
    }

    /// Returns the search path with the program.
    fn search_path(&self) -> String {
        let bin = self.user.path("bin");
        format!("{}:{}", bin.display(), std::env::var("PATH").unwrap())
    }

    /// Writes the configuration, with these servers.
    pub(super) fn configure(&self, servers: &str) {
        let path = self.user.own_configuration();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let kernel = "[kernel]\ndefault_policy = \"opt-out\"\nstart_wait_ms = 60000\n\n";
        fs::write(&path, format!("{kernel}{servers}")).unwrap();
        mode(&path, 0o600);
    }

    /// Appends a text to the configuration.
    pub(super) fn append(&self, text: &str) {
        let path = self.user.own_configuration();
        let before = fs::read_to_string(&path).unwrap();
        fs::write(path, format!("{before}\n{text}\n")).unwrap();
    }

    /// Replaces a text of the configuration.
    pub(super) fn replace(&self, old: &str, new: &str) {
        let path = self.user.own_configuration();
        let before = fs::read_to_string(&path).unwrap();
        assert!(before.contains(old), "{before}");
        fs::write(path, before.replace(old, new)).unwrap();
    }

    /// Writes the file of Cursor, with the gateway in it and other members of its list.
    pub(super) fn connect(&self, others: &[&str]) {
        let entry = self.entry(PROGRAM);
        self.write_host(&[&[&*entry], others].concat());
    }

    /// Returns the gateway's entry with a program.
    pub(super) fn entry(&self, program: &str) -> String {
        let own = self.user.own_configuration();
        let args = ["serve", "--config", own.to_str().unwrap()];
        format!(
            "\"mgp\": {}",
            serde_json::json!({ "command": program, "args": args, "env": { "KEPT": "1" } })
        )
    }

    /// Writes the file of Cursor, with these members of its list.
    pub(super) fn write_host(&self, members: &[&str]) {
        fs::write(
            self.host_file(),
            format!("{{\n  \"mcpServers\": {{\n    {}\n  }}\n}}\n", members.join(",\n    ")),
        )
        .unwrap();
    }

    pub(super) fn host_file(&self) -> PathBuf {
        self.user.home(".cursor/mcp.json")
    }

    /// Returns a path in the state folder.
    pub(super) fn state(&self, name: &str) -> PathBuf {
        self.user.home("../state").join(name)
    }

    pub(super) fn open_state(&self) {
        mode(&self.state(""), 0o755);
    }

    /// Sets a variable of the doctor.
    pub(super) fn set(&self, name: &str, value: &str) {
        self.variables.borrow_mut().push((name.to_owned(), value.to_owned()));
    }

    /// Adds a folder to the beginning of the search path.
    pub(super) fn before_path(&self, folder: &Path) {
        self.set("PATH", &format!("{}:{}", folder.display(), self.search_path()));
    }

    /// Writes an executable script into a folder of the user, and returns its path.
    pub(super) fn script(&self, name: &str, text: &str) -> String {
        let path = self.user.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let head = if text.starts_with("#!") { "" } else { "#!/bin/sh\n" };
        fs::write(&path, format!("{head}{text}\n")).unwrap();
        mode(&path, 0o700);
        path.to_str().unwrap().to_owned()
    }

    /// Gives a file to another account, which only root can.
    pub(super) fn give_away(&self, path: &Path) {
        self.cannot_be_planted.set(chown(path, Some(12_345), None).is_err());
    }

    /// Keeps something until the doctor has run.
    pub(super) fn keep(&self, kept: impl Any) {
        self.kept.borrow_mut().push(Box::new(kept));
    }

    pub(super) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.user.command(args);
        command.envs(self.variables.borrow().iter().cloned());
        command
    }

    /// Returns a command of a copy of the program, and the path of the copy.
    pub(super) fn command_of_copy(&self, args: &[&str]) -> (Command, PathBuf) {
        let copy = self.user.path("copy/mgp");
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::hard_link(PROGRAM, &copy).or_else(|_| fs::copy(PROGRAM, &copy).map(drop)).unwrap();
        let own = self.command(args);
        let mut command = Command::new(&copy);
        command.args(args).current_dir(own.get_current_dir().unwrap()).env_clear();
        command.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
        (command, copy)
    }

    /// Runs the doctor.
    pub(super) fn doctor(&self, args: &[&str]) -> CommandOutput {
        let own = self.args.borrow();
        let own: Vec<_> = own.iter().map(String::as_str).collect();
        ended(self.command(&[&["doctor"], &*own, args].concat()), "")
    }

    /// Starts a gateway for one host.
    pub(super) fn serve(&self) -> Host {
        let mut host = self.user.greeted(self.command(&["serve"])).0;
        host.send(2, "tools/list", &serde_json::json!({}));
        host.reply(2);
        host
    }

    /// Returns how often the server was started.
    pub(super) fn starts(&self) -> usize {
        fs::read_to_string(self.user.path("server.sh.starts")).unwrap_or_default().lines().count()
    }
}

/// A process that is killed when this is dropped.
pub(super) struct ProcessGuard(pub(super) std::process::Child);

impl Drop for ProcessGuard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(super) fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Returns the id of a process that has ended.
pub(super) fn ended_process() -> u32 {
    let mut child = Command::new("true").spawn().unwrap();
    child.wait().unwrap();
    child.id()
}
