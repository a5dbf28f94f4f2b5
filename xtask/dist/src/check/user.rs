//! A user who has nothing yet: an empty home folder, and few programs, without a compiler. In a root folder, also another account.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};
use tempfile::TempDir;
use tokio::process::Command;

use crate::process;

/// The programs that the user has, besides those of a root folder.
const PROGRAMS: &[&str] = &["sh", "env", "tar", "gzip", "uname", "node", "npm", "npx"];
/// The user's number in a root folder.
const ID: u32 = 1000;

/// A user.
#[derive(Debug)]
pub(super) struct User {
    folder: TempDir,
    /// The copy of a root folder that is the user's whole system.
    root: Option<PathBuf>,
    /// The home folder, as the user sees it.
    home: PathBuf,
}

impl User {
    /// Makes the user, in a copy of a root folder if there is one.
    pub(super) async fn make(scratch: &Path, root: Option<&Path>) -> Result<Self, String> {
        let failed = |error| format!("failed to make the folders of a user: {error}");
        // The socket of the gateway is in the home folder, and the path of a socket must be short.
        let mut parent = std::env::temp_dir();
        if root.is_some() {
            parent = scratch.to_owned();
        }
        let folder = tempfile::Builder::new().prefix("user").tempdir_in(parent).map_err(failed)?;
        let user = match root {
            None => Self { home: folder.path().join("home"), root: None, folder },
            Some(root) => {
                let copy = folder.path().join("root");
                let mut copying = Command::new("cp");
                copying.args(["--archive", "--one-file-system"]).arg(root).arg(&copy);
                process::output(copying).await?;
                let mut mount = Command::new("mount");
                mount.args(["-t", "proc", "proc"]).arg(copy.join("proc"));
                process::output(mount).await?;
                Self { home: "/home/ann".into(), root: Some(copy), folder }
            }
        };
        for name in [".local/bin", "run", "tools"] {
            fs::create_dir_all(user.seen(&user.home.join(name))).map_err(failed)?;
        }
        if user.root.is_none() {
            user.link_programs().await?;
        } else {
            let mut own = Command::new("chown");
            own.args(["--recursive", &format!("{ID}:{ID}")]).arg(user.seen(&user.home));
            process::output(own).await?;
        }
        let mut close = Command::new("chmod");
        close.arg("700").arg(user.seen(&user.home.join("run")));
        process::output(close).await?;
        Ok(user)
    }

    async fn link_programs(&self) -> Result<(), String> {
        let tools = self.home.join("tools");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let find = |name: &str| {
            std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
        };
        let mut links: Vec<_> =
            PROGRAMS.iter().filter_map(|name| Some(((*name).to_owned(), find(name)?))).collect();
        // `python3` in the path may be a script that looks for the real one.
        let mut python = Command::new("python3");
        python.args(["-c", "import sys; print(sys.executable)"]);
        let python = process::output(python).await?;
        links.push(("python3".to_owned(), PathBuf::from(python.trim())));
        for (name, file) in links {
            // npm finds its files from its own path.
            let file = file.canonicalize().unwrap_or(file);
            symlink(&file, tools.join(&name)).map_err(|error| format!("failed to link {name}: {error}"))?;
        }
        Ok(())
    }

    /// Returns a path of the user's as this program sees it.
    pub(super) fn seen(&self, path: &Path) -> PathBuf {
        match &self.root {
            None => path.to_owned(),
            Some(root) => root.join(path.strip_prefix("/").unwrap_or(path)),
        }
    }

    pub(super) fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// Returns a path in the home folder, as the user sees it.
    pub(super) fn home(&self, path: &str) -> PathBuf {
        self.home.join(path)
    }

    /// Returns a file where the user can read it.
    pub(super) fn given(&self, file: &Path) -> Result<PathBuf, String> {
        if self.root.is_none() {
            return Ok(file.to_owned());
        }
        let path = self.home.join(file.file_name().unwrap_or_default());
        let copied = fs::copy(file, self.seen(&path));
        copied.map_err(|error| format!("failed to copy {}: {error}", file.display()))?;
        Ok(path)
    }

    /// Returns the words that run a command as the user.
    pub(super) fn words<W: AsRef<str>>(&self, command: &[W]) -> Vec<String> {
        let user = format!("--userspec={ID}:{ID}");
        let mut words = Vec::new();
        if let Some(root) = &self.root {
            words.extend(["chroot".to_owned(), user, root.to_string_lossy().into_owned()]);
        }
        let home = self.home.to_string_lossy();
        let system = if self.root.is_some() { "/usr/bin:/bin".to_owned() } else { format!("{home}/tools") };
        words.extend(["env", "-i"].map(str::to_owned));
        words.extend([
            format!("HOME={home}"),
            "USER=ann".to_owned(),
            format!("PATH={home}/venv/bin:{home}/.local/bin:{system}"),
            format!("XDG_RUNTIME_DIR={home}/run"),
            format!("npm_config_cache={home}/.npm"),
            "npm_config_update_notifier=false".to_owned(),
        ]);
        words.extend(command.iter().map(|word| word.as_ref().to_owned()));
        words
    }

    /// Returns a command that runs as the user.
    pub(super) fn command<W: AsRef<str>>(&self, command: &[W]) -> Command {
        let words = self.words(command);
        let mut command = Command::new(words.first().map_or("env", String::as_str));
        command.args(words.get(1..).unwrap_or_default()).current_dir(self.folder.path());
        command
    }

    /// Returns a command that runs as the administrator of the user's system.
    pub(super) fn administrator(&self, command: &[&str]) -> Option<Command> {
        let mut words = Command::new("chroot");
        words.arg(self.root.as_ref()?).args(["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"]);
        words.args(["DEBIAN_FRONTEND=noninteractive"]).args(command);
        Some(words)
    }
}

impl Drop for User {
    fn drop(&mut self) {
        if let Some(root) = &self.root {
            // Before the folder is removed, with everything in it.
            let unmounted =
                std::process::Command::new("umount").arg("--lazy").arg(root.join("proc")).status();
            if !unmounted.is_ok_and(|status| status.success()) {
                eprintln!("failed to unmount {}", root.join("proc").display());
            }
        }
    }
}
